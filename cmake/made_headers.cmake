# Headers of CUDA's names that declare nothing of their own: programs include them, and what they promise is in another header of
# ours. They are written when CMake configures, into the build folder, and installed beside the others (toolchain/include).
#   NAME                  the first header that every kernel is compiled with has all of it (warpwright/cuda.h)
#   NAME|MACRO            the same; programs ask for the macro
#   NAME|MACRO|HEADER     HEADER has all of it
set(WARPWRIGHT_MADE_HEADERS ${PROJECT_BINARY_DIR}/toolchain/include)
foreach(row
        builtin_types.h channel_descriptor.h common_functions.h
        crt/common_functions.h crt/cudacc_ext.h crt/device_double_functions.h crt/device_functions.h crt/func_macro.h
        crt/host_config.h crt/host_defines.h crt/math_functions.h "crt/mma.h||mma.h" crt/sm_70_rt.h crt/sm_80_rt.h crt/sm_90_rt.h
        "cuda_bf16.hpp|__CUDA_BF16_HPP__|cuda_bf16.h" cuda_device_runtime_api.h "cuda_fp16.hpp|__CUDA_FP16_HPP__|cuda_fp16.h"
        cuda_occupancy.h "cuda_profiler_api.h|__CUDA_PROFILER_API_H__"
        device_atomic_functions.h device_double_functions.h device_functions.h device_launch_parameters.h
        driver_functions.h host_config.h host_defines.h math_functions.h
        sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h sm_32_intrinsics.h
        sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h
        surface_functions.h surface_indirect_functions.h "surface_types.h|__SURFACE_TYPES_H__|driver_types.h"
        texture_fetch_functions.h texture_indirect_functions.h "texture_types.h|__TEXTURE_TYPES_H__|driver_types.h")
    string(REGEX MATCH "^([^|]+)\\|?([^|]*)\\|?(.*)$" parts "${row}")
    set(name ${CMAKE_MATCH_1})
    set(macro "${CMAKE_MATCH_2}")
    set(header "${CMAKE_MATCH_3}")
    if(EXISTS ${PROJECT_SOURCE_DIR}/toolchain/include/${name})
        message(FATAL_ERROR "toolchain/include/${name} is in the source tree and in cmake/made_headers.cmake")
    endif()
    set(text "// Made by cmake/made_headers.cmake. ")
    if(header)
        string(APPEND text "What it declares stands in ${header}.\n#pragma once\n")
    else()
        string(APPEND text "All that kernels need of it is in the header that the compile room includes first.\n#pragma once\n")
    endif()
    if(macro)
        string(APPEND text "#define ${macro}\n")
    endif()
    if(header)
        string(APPEND text "#include <${header}>\n")
    endif()
    file(CONFIGURE OUTPUT ${WARPWRIGHT_MADE_HEADERS}/${name} CONTENT "${text}" @ONLY)  # left alone where it says this already
    get_filename_component(folder ${name} DIRECTORY)
    install(FILES ${WARPWRIGHT_MADE_HEADERS}/${name} DESTINATION share/warpwright/toolchain/include/${folder})
endforeach()
