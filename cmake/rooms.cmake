# A room that is built by other means than ww_room (a library that carries its sources with it) declares its arrows alone.
function(ww_room_arrows name)
endfunction()

# Each room of src/ is one library target warpwright_<room>, made of every .cpp file under its folder. A room may include only
# what it may link: tests/architecture checks the includes against the same ROOMS list.
#   WORDS    the room handles text: compiling it takes more time than running it ever will, so it is built at -O1
#   OBJECT   an object library, for a room whose shared libraries are made from the same objects
#   EXCLUDE  patterns of files that do not belong to the library (a program's main, a second entry)
function(ww_room name)
    cmake_parse_arguments(ARG "WORDS;OBJECT" "" "EXCLUDE;ROOMS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    foreach(pattern ${ARG_EXCLUDE})
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()
    set(kind STATIC)
    if(ARG_OBJECT)
        set(kind OBJECT)
    endif()
    add_library(warpwright_${name} ${kind} ${sources})
    target_include_directories(warpwright_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(warpwright_${name} PRIVATE -Wall -Wextra $<$<BOOL:${ARG_WORDS}>:-O1>)
    foreach(room ${ARG_ROOMS})
        target_link_libraries(warpwright_${name} PUBLIC warpwright_${room})
    endforeach()
    target_link_libraries(warpwright_${name} PUBLIC ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE_LIBRARIES})
endfunction()
