# SPDX-License-Identifier: MIT OR Apache-2.0
"""A Conan 2 recipe of the tree that it lies in: conan create packaging/conan --build=missing"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class WeftRecipe(ConanFile):
    name = "weft"
    description = "Parallel primitives for Vulkan and Gstd, a compressor whose streams a GPU decodes"
    license = "MIT OR Apache-2.0"
    topics = ("vulkan", "gpu", "compression")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "jit": [True, False]}
    default_options = {"shared": False, "fPIC": True, "jit": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._tree, "include", "weft", "version.hpp"))
        self.version = ".".join(re.findall(r"^#define WEFT_VERSION_[A-Z]+ (\d+)$", text, re.M))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "LICENSES/*", "README.md", "CHANGELOG.md", "bench/CMakeLists.txt",
                        "cmake/*", "docs/*", "examples/*", "include/*", "packaging/*.cmake", "shaders/*", "src/*",
                        "third_party/*", "tools/*"):
            copy(self, pattern, self._tree, self.export_sources_folder, excludes="docs/site/*")

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("vulkan-headers/[>=1.3.239 <2]", transitive_headers=True)
        self.requires("zstd/[>=1.5 <1.6]")
        self.requires("highway/[>=1.0.3]")
        self.requires("volk/[>=1.3]")
        self.requires("xxhash/[>=0.8.1]")
        if self.settings.os == "Linux":
            self.requires("liburing/[>=2.3]")
        if self.options.jit:
            self.requires("shaderc/[>=2023]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("shaderc/[>=2023]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("BUILD_TESTS", "BUILD_BENCH", "BUILD_EXAMPLES", "BUILD_TOOLS", "BOTH_LIBRARIES"):
            toolchain.cache_variables[f"WEFT_{option}"] = False
        toolchain.cache_variables["WEFT_JIT"] = bool(self.options.jit)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # weft's own package files describe its components and what they need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "weft"))
