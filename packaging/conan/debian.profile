# SPDX-License-Identifier: MIT OR Apache-2.0
# Debian 12's own packages in place of Conan's, of which none is fetched:
#   conan create packaging/conan --profile:all packaging/conan/debian.profile --no-remote
[settings]
os=Linux
arch={{ detect_api.detect_arch() }}
build_type=Release
compiler=gcc
compiler.version=12
compiler.libcxx=libstdc++11
compiler.cppstd=20

[platform_requires]
vulkan-headers/1.3.239
zstd/1.5.4
highway/1.0.3
volk/1.3.239
xxhash/0.8.1
liburing/2.3

[platform_tool_requires]
cmake/3.25.1
shaderc/2023.2

[conf]
tools.cmake.cmaketoolchain:generator=Ninja
tools.cmake.cmaketoolchain:user_presets=
