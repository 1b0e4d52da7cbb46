# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds the wheel and installs it into an environment of its own, from the file alone.

    install.py <empty directory> <arguments of build_wheel.py but for the directories>
"""
import pathlib
import platform
import shutil
import subprocess
import sys
import venv
import zipfile

work = pathlib.Path(sys.argv[1])
shutil.rmtree(work, ignore_errors=True)
subprocess.run([sys.executable, sys.argv[2], *sys.argv[3:], "--work", work / "work", "--wheels", work / "wheels"],
               check=True)
wheel, = (work / "wheels").glob("weft-*-py3-none-*.whl")
# pip takes a tag of PEP 600 where the C library is as new as it says. Such a wheel says that it is no pure Python.
with zipfile.ZipFile(wheel) as archive:
    said, = [archive.read(name).decode() for name in archive.namelist() if name.endswith("WHEEL")]
assert "Root-Is-Purelib: false" in said and f"Tag: {wheel.stem.split('-', 2)[2]}" in said, said
assert platform.libc_ver()[0] != "glibc" or "-manylinux_2_" in wheel.name, wheel.name
venv.create(work / "venv", system_site_packages=True, symlinks=True)
python = work / "venv/bin/python"
subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps",
                wheel], check=True)
subprocess.run([python, "-c", f"import weft; assert weft.__file__.startswith({str(work)!r}), weft.__file__"],
               check=True, cwd="/")
