# Toolchain file: builds for AArch64 on another machine, and runs what it built under qemu.
#   tools/arm64-system build/arm64-system          # an arm64 system of this machine's release, in a folder
#   cmake --preset aarch64                         # WARPWRIGHT_SYSROOT names another folder
# Needs the packages g++-aarch64-linux-gnu, qemu-user-static and those of ./setup (cmake/native.cmake).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(WARPWRIGHT_SYSROOT "" CACHE PATH "an arm64 system with the packages that setup lists (tools/arm64-system)")
if(NOT EXISTS "${WARPWRIGHT_SYSROOT}/usr/include")
    message(FATAL_ERROR "WARPWRIGHT_SYSROOT is '${WARPWRIGHT_SYSROOT}', which holds no arm64 system: tools/arm64-system makes one")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPWRIGHT_SYSROOT)
set(CMAKE_SYSROOT ${WARPWRIGHT_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${WARPWRIGHT_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
