#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares what the shared libraries export, and the layouts of public types, with what is kept beside this file.

weft.symbols has each library's symbols as nm names them; types.abi.xz is what abidw (Debian: abigail-tools) says of one
source that takes every public class and every struct of weft.h, compiled by GCC 12. A difference is a change of the
binary interface: users have to build again, and the libraries' SONAME, the minor version until 1.0, says so. --write
renews both files."""
import argparse
import difflib
import lzma
import pathlib
import re
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).parent


def symbols_of(library):
    """The exported symbols, demangled, in short."""
    nm = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True)
    lines = {line.split(" ", 2)[2] for line in nm.stdout.splitlines()}
    short = {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >": "std::string",
             "std::basic_string_view<char, std::char_traits<char> >": "std::string_view",
             "18446744073709551615ul": "any"}
    for long, word in short.items():
        lines = {line.replace(long, word) for line in lines}
    return sorted(lines)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("libraries", nargs="+", type=pathlib.Path)
    parser.add_argument("--headers", required=True, type=pathlib.Path)
    parser.add_argument("--c-header", type=pathlib.Path, help="weft.h")
    parser.add_argument("--include", action="append", default=[], help="where Vulkan's headers are")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
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
    if not shutil.which("abidw") or not re.match(r"\S+ \(.*\) 12\.", version):
        print("layouts of public types are not compared: that takes GCC 12 and abidw (Debian: abigail-tools)")
        return
    dump, kept = types_of(options, options.work), options.work / "kept.abi"
    if options.write:
        (here / "types.abi.xz").write_bytes(lzma.compress(dump.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        return
    kept.write_bytes(lzma.decompress((here / "types.abi.xz").read_bytes()))
    if subprocess.run(["abidiff", kept, dump]).returncode != 0:
        sys.exit(f"layouts of public types are not those of packaging/abi/types.abi.xz{renew}")


main()
