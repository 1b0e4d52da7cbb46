# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds the wheel from the shared library weft::c, without a compiler or a network.

    build_wheel.py --library <libweft_c.so> --cdef <weft_cdef.h> --version <version>
                   --work <directory> --wheels <directory>

Needs cffi, setuptools, wheel and pip (Debian: python3-cffi python3-setuptools python3-wheel python3-pip).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import cffi


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
                   env={**os.environ, "WEFT_VERSION": options.version})


main()
