# The kernels of PyTorch's operators (kernels/aten): each file as PTX for each type of its row in kernels.txt, in the folder aten beside
# libwarpwright_cuda.so, where toolchain/python/warpwright_torch looks for them.
include(GNUInstallDirs)
set(aten ${PROJECT_SOURCE_DIR}/kernels/aten)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${aten}/kernels.txt)
# A type's name in C++, its kind (element.cuh), and the type that atomicAdd has for it.
set(type_f32 "float" FLOATING "float")
set(type_f64 "double" FLOATING "double")
set(type_f16 "float16" FLOATING "")
set(type_bf16 "bfloat16" FLOATING "")
set(type_i64 "long long" INTEGER "unsigned long long")
set(type_i32 "int" INTEGER "int")
set(type_i16 "short" INTEGER "")
set(type_i8 "signed char" INTEGER "")
set(type_u8 "unsigned char" INTEGER "")
set(type_b8 "bool" BOOL "")

file(GLOB headers CONFIGURE_DEPENDS ${aten}/*.cuh)
list(APPEND headers ${PROJECT_SOURCE_DIR}/kernels/blas/number.cuh ${PROJECT_SOURCE_DIR}/kernels/rand/generators.cuh)
file(STRINGS ${aten}/kernels.txt rows REGEX "^[a-z]")
set(texts "")
foreach(row ${rows})
    string(REGEX MATCHALL "[^ ]+" types ${row})
    list(POP_FRONT types file)
    foreach(type ${types})
        list(GET type_${type} 0 element)
        list(GET type_${type} 1 kind)
        list(GET type_${type} 2 atomic)
        set(text ${PROJECT_BINARY_DIR}/aten/${file}_${type}.ptx)
        set(defined "-DWW_ELEMENT=${element}" -DWW_SUFFIX=${type} -DWW_KIND=WW_${kind})
        if(atomic)
            list(APPEND defined "-DWW_ATOMIC=${atomic}")
        endif()
        add_custom_command(OUTPUT ${text}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/aten
            COMMAND ${CMAKE_COMMAND} -E env WARPWRIGHT_TOOLCHAIN=${PROJECT_SOURCE_DIR}/toolchain WARPWRIGHT_CACHE=${folder}/cache
                ${WW_NATIVE_NVCC} --ptx -arch=sm_60 ${defined} -o ${text} ${aten}/${file}.cu
            DEPENDS ${aten}/${file}.cu ${headers} ${WW_NATIVE_MADE} VERBATIM)
        list(APPEND texts ${text})
    endforeach()
endforeach()
add_custom_target(warpwright_aten ALL DEPENDS ${texts})
install(FILES ${texts} DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwright/aten)
