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
# What the files need, from the files: by dpkg-shlibdeps (package dpkg-dev). Our own libraries are in a folder of their own.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
include(CPack)
