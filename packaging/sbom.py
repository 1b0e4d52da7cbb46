#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes an SPDX 2.3 document of an installed tree: its files with checksums, and the dependencies that are built in,
of the table in third_party/README.md, in the versions that dpkg has where it is there."""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess

root = pathlib.Path(__file__).parent.parent
licence = "MIT OR Apache-2.0"
# Of the table: what is compiled or linked into libraries and programs.
inside = ["volk", "libshaderc", "libzstd", "Highway", "xxHash", "liburing", "lz4, libdeflate", "{fmt}", "CLI11",
          "JSON for Modern C++"]


def dependencies():
    """(Debian package, version, SPDX licence) of each."""
    for line in (root / "third_party/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] not in inside:
            continue
        packages, versions, licences = ([part.strip() for part in cells[i].split(",")] for i in (1, 2, 3))
        for i, package in enumerate(packages):
            found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True) \
                if os.path.exists("/usr/bin/dpkg-query") else None
            version = found.stdout if found and found.returncode == 0 else versions[min(i, len(versions) - 1)]
            words = re.sub(r"LGPL-2\.1\b", "LGPL-2.1-only", licences[min(i, len(licences) - 1)]).replace(" or ", " OR ")
            yield package, version, words


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    files, sums = [], []
    for path in sorted(path for path in options.tree.rglob("*") if path.is_file() and not path.is_symlink()):
        content, name = path.read_bytes(), "./" + path.relative_to(options.tree).as_posix()
        sums.append(hashlib.sha1(content).hexdigest())
        files.append({"SPDXID": f"SPDXRef-File-{len(files)}", "fileName": name, "licenseConcluded": licence,
                      "copyrightText": "2026 The authors of weft",
                      "checksums": [{"algorithm": "SHA1", "checksumValue": sums[-1]},
                                    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}]})
    weft = {"SPDXID": "SPDXRef-weft", "name": "weft", "versionInfo": options.version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": True, "licenseConcluded": licence, "licenseDeclared": licence,
            "licenseInfoFromFiles": ["MIT", "Apache-2.0"], "copyrightText": "2026 The authors of weft",
            "packageVerificationCode":
                {"packageVerificationCodeValue": hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()},
            "hasFiles": [file["SPDXID"] for file in files]}
    packages, relations = [weft], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-weft")]
    for name, version, words in dependencies():
        packages.append({"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "filesAnalyzed": False,
                         "downloadLocation": "NOASSERTION", "licenseConcluded": words, "licenseDeclared": words,
                         "copyrightText": "NOASSERTION", "externalRefs": [{
                             "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                             "referenceLocator": f"pkg:deb/debian/{name}@{version}"}]})
        relations.append(("SPDXRef-weft", "DEPENDS_ON", f"SPDXRef-{name}"))
    now = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    created = datetime.datetime.fromtimestamp(now, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"weft-{options.version}",
                "documentNamespace":
                    f"urn:weft:{options.version}:{weft['packageVerificationCode']['packageVerificationCodeValue']}",
                "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]},
                "packages": packages, "files": files,
                "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                                  for one, kind, other in relations]}
    options.output.write_text(json.dumps(document, indent=1) + "\n")


main()
