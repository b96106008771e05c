# `cpack -G DEB` in a build folder. In that of the preset `static` (docs/static.md) it makes one package for Debian 12 and Ubuntu
# 24.04, which needs nothing but the C and C++ libraries of the system.
set(CPACK_PACKAGE_NAME warpwright)
set(CPACK_PACKAGE_VENDOR Warpwright)
set(CPACK_PACKAGE_CONTACT "the Warpwright project <warpwright@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA kernels on an emulated GPU, with exact counts and predicted times")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# CUDA C++ is compiled by clang; PTX needs none of these.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-19, libclc-19, libclc-19-dev")
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
# What the files need, from the files: by dpkg-shlibdeps (package dpkg-dev). The libraries that the package brings are in a folder
# of its own; found there, they are nobody else's package. CPack names the folder in which it packs only when it packs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(packed ${CPACK_PACKAGE_NAME}-${CPACK_PACKAGE_VERSION}-${CMAKE_SYSTEM_NAME})
set(CPACK_PACKAGE_FILE_NAME ${packed})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR}/_CPack_Packages/${CMAKE_SYSTEM_NAME}/DEB/${packed}/usr/${CMAKE_INSTALL_LIBDIR}/warpwright)
include(CPack)
