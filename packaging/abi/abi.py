#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares what the shared libraries export, and the layouts of public types, with what is kept beside this file.

Both are what abidw (Debian: abigail-tools) says: weft.symbols of each library, its SONAME and symbols; types.abi.xz of
one source that takes every public class and every struct of weft.h, compiled by GCC 12. A difference is a change of the
binary interface: users have to build again, and the libraries' SONAME, the minor version until 1.0, says so. --write
renews both files. --tag compares them with those of the last tag that git has: with the same SONAMEs no symbol may be
gone, and no layout another."""
import argparse
import difflib
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

here = pathlib.Path(__file__).parent


def symbols_of(library):
    """The SONAME, then the exported symbols, demangled, in short."""
    abidw = subprocess.run(["abidw", "--no-show-locs", library], capture_output=True, text=True, check=True)
    corpus = xml.etree.ElementTree.fromstring(abidw.stdout)
    names = "\n".join(symbol.get("name") for symbol in corpus.iter("elf-symbol"))
    lines = {*subprocess.run(["c++filt"], input=names, capture_output=True, text=True, check=True).stdout.splitlines()}
    short = {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >": "std::string",
             "std::basic_string_view<char, std::char_traits<char> >": "std::string_view",
             "18446744073709551615ul": "any"}
    for long, word in short.items():
        lines = {line.replace(long, word) for line in lines}
    return [f"SONAME {corpus.get('soname')}", *sorted(lines)]


def public_classes(headers):
    """Classes that are no templates, with their namespaces."""
    for header in sorted(headers.glob("*.hpp")):
        space, is_template = [], False
        for line in header.read_text().splitlines():
            if found := re.match(r"namespace ([\w:]+) \{$", line):
                space.append(found[1])
            elif re.match(r"\}(  // namespace.*)?$", line):
                space.pop()
            elif re.match(r"\w.*\)( const)?( noexcept)? \{$", line):
                space.append("function")
            elif found := re.match(r"(?:class|struct) (?:\[\[nodiscard\]\] )?(?:WEFT_API )?(\w+)[^;]*\{$", line):
                if not is_template:
                    yield "::".join([*space, found[1]])
            is_template = line.startswith("template")


def types_of(options, work):
    text = "".join(f"#include <weft/{path.name}>\n" for path in sorted(options.headers.glob("*.hpp")))
    names = [*public_classes(options.headers)]
    if options.c_header:
        text += f'#include "{options.c_header}"\n'
        names += re.findall(r"^typedef struct (\w+) \{$", options.c_header.read_text(), re.M)
    for name in names:
        text += f'extern "C" void takes_{name.replace("::", "_")}(const {name}*) {{}}\n'
    # By a relative name, which is all that the dump has of the machine.
    (work / "types.cpp").write_text(text)
    library, dump = work / "types.so", work / "types.abi"
    subprocess.run([options.cxx, "-std=c++20", "-g", "-fPIC", "-shared", "-Og", "-o", library.name, "types.cpp",
                    f"-I{options.headers.parent}", *[f"-I{path}" for path in options.include]], check=True, cwd=work)
    of_c = ["--headers-dir", options.c_header.parent] if options.c_header else []
    subprocess.run(["abidw", "--headers-dir", options.headers, *of_c, "--drop-private-types", "--no-corpus-path",
                    "--no-show-locs", "--no-comp-dir-path", "--type-id-style", "hash", "--out-file", dump, library],
                   check=True)
    return dump


def compare_with_tag(work):
    def git(*arguments):
        return subprocess.run(["git", "-C", here, *arguments], capture_output=True)

    tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").stdout.decode().strip()
    released = [git("show", f"{tag}:./{name}").stdout for name in ("weft.symbols", "types.abi.xz")]
    if not tag or not all(released):
        print("there is no tag to compare with")
        return
    was, now = released[0].decode().splitlines(), (here / "weft.symbols").read_text().splitlines()
    # But what is for weft's own libraries alone.
    inside = re.compile(r"\S+ (\w+ (name )?for )?weft::(runtime|primitives|vk)::")
    if gone := [line for line in was if line not in now and not inside.match(line)]:
        print(f"of {tag}, and no longer there:", *gone, sep="\n")
    types = []
    for name, text in (("tag.abi", released[1]), ("tree.abi", (here / "types.abi.xz").read_bytes())):
        types.append(work / name)
        types[-1].write_bytes(lzma.decompress(text))
    differ = subprocess.run(["abidiff", "--no-added-syms", *types]).returncode != 0
    if (gone or differ) and not any(" SONAME " in line for line in gone):
        sys.exit(f"{tag} has the same SONAMEs: what is linked with it would break. Raise the version")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("libraries", nargs="*", type=pathlib.Path)
    parser.add_argument("--headers", type=pathlib.Path)
    parser.add_argument("--c-header", type=pathlib.Path, help="weft.h")
    parser.add_argument("--include", action="append", default=[], help="where Vulkan's headers are")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tag", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.tag:
        compare_with_tag(options.work)
        return
    if not shutil.which("abidw"):
        print("nothing is compared: abidw (Debian: abigail-tools) is not installed")
        return
    options.headers = options.headers.resolve()
    renew = "; if that is meant, run packaging/abi/abi.py --write, and say so in CHANGELOG.md"

    kept = here / "weft.symbols"
    found, names = [], {library.name.split(".")[0] for library in options.libraries}
    for library in sorted(options.libraries, key=lambda path: path.name):
        found += [f"{library.name.split('.')[0]} {symbol}" for symbol in symbols_of(library)]
    if options.write:
        kept.write_text("\n".join(found) + "\n")
    else:
        expected = [line for line in kept.read_text().splitlines() if line.split(" ", 1)[0] in names]
        if changes := [line for line in difflib.unified_diff(expected, found, n=0, lineterm="") if line[:2] != "@@"]:
            sys.exit("\n".join(changes) + f"\nexported symbols are not those of packaging/abi/weft.symbols{renew}")

    version = subprocess.run([options.cxx, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.match(r"\S+ \(.*\) 12\.", version):
        print("layouts of public types are not compared: that takes GCC 12")
        return
    dump, kept = types_of(options, options.work), options.work / "kept.abi"
    if options.write:
        (here / "types.abi.xz").write_bytes(lzma.compress(dump.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        return
    kept.write_bytes(lzma.decompress((here / "types.abi.xz").read_bytes()))
    if subprocess.run(["abidiff", kept, dump]).returncode != 0:
        sys.exit(f"layouts of public types are not those of packaging/abi/types.abi.xz{renew}")


main()
