# SPDX-License-Identifier: MIT OR Apache-2.0
"""As build_wheel.py calls it, in a copy that has the library and the version."""
import os

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """Of any Python, for one platform: the library is loaded, not linked."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=os.environ["WEFT_VERSION"], cmdclass={"bdist_wheel": Wheel})
