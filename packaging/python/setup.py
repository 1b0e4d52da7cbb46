# SPDX-License-Identifier: MIT OR Apache-2.0
"""As build_wheel.py calls it, in a copy that has the library and the version."""
import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """Of any Python, for one platform: the library is loaded, not linked."""

    def get_tag(self):
        return "py3", "none", os.environ["WEFT_PLATFORM"] or super().get_tag()[2]


class WithLibrary(Distribution):
    """Not for every platform."""

    def has_ext_modules(self):
        return True


setup(distclass=WithLibrary, version=os.environ["WEFT_VERSION"], cmdclass={"bdist_wheel": Wheel})
