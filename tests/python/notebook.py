# SPDX-License-Identifier: MIT OR Apache-2.0
"""Executes a notebook with the installed package, and renders it: notebook.py <example.ipynb> <example.html>"""
import os
import pathlib
import re
import subprocess
import sys

import weft

notebook, page = map(pathlib.Path, sys.argv[1:])
page.unlink(missing_ok=True)
# The kernel is the system's, which gets the package of this environment.
subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", notebook, "--output-dir", page.parent,
                "--output", page.stem], check=True,
               env={**os.environ, "PYTHONPATH": str(pathlib.Path(weft.__file__).parent.parent),
                    "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
text = page.read_text("utf-8")
outputs = len(re.findall(r'<div class="jp-RenderedText', text))
if outputs < 9 or "corrupt_stream: byte" not in text or "llvmpipe" not in text and "VK_DRIVER_FILES" in os.environ:
    sys.exit(f"the page has {outputs} outputs, or not those of the notebook")
