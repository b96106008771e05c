# What this machine runs while Warpwright is built: our compiler driver, which makes PTX of the libraries' kernels, and the pass that
# clang loads. They are the build's own, unless it is made for another architecture: then a second, small build makes them for this one.
# clang and what it loads are this machine's also where an emulator runs our programs for a test.
#   WW_NATIVE_NVCC   the driver, a path
#   WW_NATIVE_PASS   the pass, a path
#   WW_NATIVE_MADE   what a custom command that starts the driver depends on
set(WARPWRIGHT_NATIVE "" CACHE PATH "cross builds: a build folder of these sources for this machine; unless given, one is made in native/")
if(NOT CMAKE_CROSSCOMPILING)
    set(WW_NATIVE_NVCC $<TARGET_FILE:warpwright_nvcc>)
    set(WW_NATIVE_PASS ${PROJECT_BINARY_DIR}/toolchain/warpwright_clang_pass.so)
    set(WW_NATIVE_MADE warpwright_nvcc)
    return()
endif()
# No variable `native`: LLVM's package asks for the component of that name by if(), which would read the variable.
set(ww_native ${WARPWRIGHT_NATIVE})
if(NOT ww_native)
    set(ww_native ${PROJECT_BINARY_DIR}/native)
    include(ExternalProject)
    ExternalProject_Add(warpwright_native SOURCE_DIR ${PROJECT_SOURCE_DIR} PREFIX ${ww_native} BINARY_DIR ${ww_native}
        STAMP_DIR ${ww_native}/stamps TMP_DIR ${ww_native}/temporary
        CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DWARPWRIGHT_TESTS=OFF -DWARPWRIGHT_BENCH=OFF -DWARPWRIGHT_UNITY=${WARPWRIGHT_UNITY}
        BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> -j 2 --target warpwright_nvcc warpwright_clang_pass
        BUILD_ALWAYS ON BUILD_BYPRODUCTS ${ww_native}/compilers/bin/nvcc ${ww_native}/toolchain/warpwright_clang_pass.so
        INSTALL_COMMAND "" EXCLUDE_FROM_ALL ON)
endif()
set(WW_NATIVE_NVCC ${ww_native}/compilers/bin/nvcc)
set(WW_NATIVE_PASS ${ww_native}/toolchain/warpwright_clang_pass.so)
set(WW_NATIVE_MADE ${WW_NATIVE_NVCC} ${WW_NATIVE_PASS})
