# SPDX-License-Identifier: MIT OR Apache-2.0
# An overlay port of the tree that it lies in: vcpkg install weft --overlay-ports=packaging/vcpkg
set(SOURCE_PATH "${CURRENT_PORT_DIR}/../..")
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES jit WEFT_JIT tools WEFT_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DWEFT_INSTALL=ON -DWEFT_BOTH_LIBRARIES=OFF -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_BENCH=OFF
          -DWEFT_BUILD_EXAMPLES=OFF "-DCMAKE_PROGRAM_PATH=${CURRENT_HOST_INSTALLED_DIR}/tools/shaderc")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES gstd AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/LICENSES/MIT.txt"
                                  "${SOURCE_PATH}/LICENSES/Apache-2.0.txt")
