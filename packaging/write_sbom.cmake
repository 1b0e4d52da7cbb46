# SPDX-License-Identifier: MIT OR Apache-2.0
# Run by CPack before it packs what it has installed: the archive of everything has an SPDX document beside it.
if(CPACK_GENERATOR STREQUAL "TGZ")
  execute_process(COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/sbom.py" "${CPACK_TEMPORARY_INSTALL_DIRECTORY}"
                          "${CPACK_PACKAGE_DIRECTORY}/weft-${CPACK_PACKAGE_VERSION}.spdx.json"
                          --version ${CPACK_PACKAGE_VERSION}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
