# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P installed_copy.cmake
function(must what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what} failed (${status}):\n${text}")
    endif()
    set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/example)
must("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must("configure" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/example -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
must("build" ${CMAKE_COMMAND} --build ${WORK}/example)
must("run" ${WORK}/example/saxpy ${SOURCE}/saxpy.cu)
# 1000 elements in warps of 32: 32 warps with a lane in range, two loads each (x and y); 125 sectors of 8 floats, twice.
if(NOT text MATCHES "right; global load requests 64, sectors 250")
    message(FATAL_ERROR "the example printed: ${text}")
endif()
