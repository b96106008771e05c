# Toolchain file: builds for AArch64 on another machine, and runs what it built under qemu.
#   cmake -B build/aarch64 -G Ninja --toolchain cmake/aarch64.cmake -DWARPWRIGHT_SYSROOT=/folder/of/an/arm64/system
# Needs the packages g++-aarch64-linux-gnu and qemu-user-static; the folder holds an arm64 Debian or Ubuntu of this
# machine's release with the packages that ./setup lists (debootstrap --arch=arm64 makes one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(WARPWRIGHT_SYSROOT "" CACHE PATH "an arm64 system with the packages that setup lists")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPWRIGHT_SYSROOT)
set(CMAKE_SYSROOT ${WARPWRIGHT_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${WARPWRIGHT_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
