# A toolchain file for CMake projects whose programs are to run under Warpwright:
#
#     cmake -B build -DCMAKE_TOOLCHAIN_FILE=<prefix>/share/warpwright/toolchain/warpwright-toolchain.cmake
#
# Targets of the language CUDA get PTX for every device model, the shared runtime and source lines. CMake's language CUDA needs
# NVIDIA's nvcc (no GPU and no driver); without it, projects are built by `warpwright build` or warpwright-nvcc.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(NOT CMAKE_CUDA_COMPILER)
        unset(CMAKE_CUDA_COMPILER CACHE)
        message(WARNING "Warpwright: there is no nvcc, which CMake's language CUDA needs; sources can be compiled by warpwright-nvcc")
    endif()
endif()
# PTX alone: machine code is of no use here. 80: what every device model from Ampere on runs, in its newest common form.
if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-virtual CACHE STRING "PTX, for Warpwright")
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared CACHE STRING "for Warpwright")
set(CMAKE_CUDA_FLAGS_INIT "-lineinfo")
