# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds the wheel from the shared library weft::c, without a compiler or a network.

    build_wheel.py --library <libweft_c.so> --cdef <weft_cdef.h> --version <version>
                   --work <directory> --wheels <directory>

Needs cffi, setuptools, wheel and pip (Debian: python3-cffi python3-setuptools python3-wheel python3-pip). By objdump it
finds which systems the library runs on, for the wheel's tag.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import cffi


# Of each libstdc++ the oldest glibc of systems that have it, as the tags of PEP 600 mean it.
GLIBC_OF_GLIBCXX = {29: 34, 30: 35, 32: 39}


def platform_of(library):
    """manylinux_2_N, by the newest symbols that the library asks of the C and the C++ library. None if it needs another
    library, or one that is not known here."""
    told = subprocess.run(["objdump", "-pT", str(library)], capture_output=True, text=True)
    needed = set(re.findall(r"NEEDED +(\S+?)\.so", told.stdout))
    if told.returncode != 0 or not needed <= {"libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64",
                                              "ld-linux-aarch64"}:
        return None
    glibc = max((int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", told.stdout)), default=17)
    glibcxx = max((int(minor) for minor in re.findall(r"\bGLIBCXX_3\.4\.(\d+)", told.stdout)), default=0)
    least = [least for minor, least in GLIBC_OF_GLIBCXX.items() if minor >= glibcxx]
    return f"manylinux_2_{max(glibc, least[0])}_{platform.machine()}" if least else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("library", "cdef", "work", "wheels"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    shutil.rmtree(options.work, ignore_errors=True)
    shutil.copytree(here, options.work)
    package = options.work / "src/weft"
    shutil.copyfile(options.library, package / "libweft_c.so")
    # The declarations, parsed once: users need no parser of C.
    ffi = cffi.FFI()
    ffi.cdef(options.cdef.read_text("utf-8"))
    ffi.set_source("weft._declarations", None)
    ffi.emit_python_code(str(package / "_declarations.py"))
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                    "--wheel-dir", str(options.wheels), str(options.work)], check=True,
                   env={**os.environ, "WEFT_VERSION": options.version,
                        "WEFT_PLATFORM": platform_of(options.library) or ""})


main()
