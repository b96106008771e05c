# A room that is built by other means than ww_room (a library that carries its sources with it) declares its arrows alone.
function(ww_room_arrows name)
endfunction()

# What nearly every file includes of the standard library and of fmt is compiled once: a third of the time that a build takes. Only by GCC, whose
# precompiled headers serve files with other macros and levels of optimisation; other compilers notice a header that a file forgot to include.
option(WARPWRIGHT_PRECOMPILE "precompile the headers of the standard library (GCC only)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(WARPWRIGHT_PRECOMPILE OFF)
endif()
set(WARPWRIGHT_COMMON_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
# From GCC 13 on, -O2 turns on two options of code generation for x86 that -Og and -O1 leave off. Headers that were
# precompiled with other options are refused, with a warning for each file; so files at these levels have the two as well.
if(WARPWRIGHT_PRECOMPILE AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13 AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(WARPWRIGHT_AS_PRECOMPILED -munroll-only-small-loops -mvzeroupper)
endif()
function(ww_precompile name)
    cmake_parse_arguments(ARG "" "" "HEADERS;LIBRARIES" ${ARGN})
    if(NOT WARPWRIGHT_PRECOMPILE)
        return()
    endif()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "" @ONLY)  # left alone where it is there
    add_library(warpwright_precompiled_${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    target_link_libraries(warpwright_precompiled_${name} PRIVATE fmt::fmt ${ARG_LIBRARIES})
    target_precompile_headers(warpwright_precompiled_${name} PRIVATE ${WARPWRIGHT_COMMON_HEADERS} ${ARG_HEADERS})
endfunction()

# Files compiled eight at a time take less than half as long as alone: what they share is read and instantiated once; sixteen at a
# time a tenth to a third less again. Those of LLVM's headers, and of HOT rooms, stay at eight: they take the most memory. `./setup`
# does it in a fresh folder; who changes files often waits less without. `ALONE`: files whose names meet those of others (paths from
# the folder of the CMakeLists.txt).
option(WARPWRIGHT_UNITY "compile the files of a room, or of a test program, by the dozen" OFF)
function(ww_batch target size)
    if(WARPWRIGHT_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
        set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endfunction()

# Each room of src/ is one library target warpwright_<room>, made of every .cpp file under its folder. A room may include only
# what it may link: tests/architecture checks the includes against the same lists, and refuses what no include uses.
#   ROOMS    the rooms it may include, and links
#   LINKED   rooms that it needs although no include says so, each with the reason: "cudart: found when the program runs"
#   FOLDERS  for a room that has folders: each of them, the lowest first, and after a colon those that it may include, as in
#            FOLDERS shared "runtime: shared" "run: shared runtime". It may include no other, not even one that those it names
#            include, and the arrows have no circle. `.` stands for the files that lie directly in the room: a folder like the
#            others, mostly the lowest, with what the others share. A folder within a folder belongs to it.
#   APART    folders that are compiled with options of their own (ww_room_folder)
#   WORDS    the room handles text: compiling it takes more time than running it ever will, so it is built at -Og
#   HOT      kernels spend their time in it: the release build has it at -O3, the other rooms at -O2;
#            with pointers to frames, by which run --profile-emulator finds the generated code that has called; without
#            precompiled headers, whose options of optimisation GCC takes in place of these
#   OBJECT   an object library, for a room whose shared libraries are made from the same objects
#   PLAIN    no precompiled headers: a small room, or one with compiler options of its own
#   PRECOMPILED  a set of precompiled headers (ww_precompile) other than the common one
#   ALONE    files that are never compiled together with others (ww_batch)
#   EXCLUDE  patterns of files that do not belong to the library (a program's main, a second entry)
function(ww_room name)
    cmake_parse_arguments(ARG "WORDS;HOT;OBJECT;PLAIN" "PRECOMPILED"
        "ALONE;APART;EXCLUDE;FOLDERS;LINKED;ROOMS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    foreach(folder ${ARG_APART})
        list(APPEND ARG_EXCLUDE "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
    endforeach()
    foreach(pattern ${ARG_EXCLUDE})
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()
    list(TRANSFORM ARG_LINKED REPLACE ":.*" "")
    set(kind STATIC)
    if(ARG_OBJECT)
        set(kind OBJECT)
    endif()
    add_library(warpwright_${name} ${kind} ${sources})
    set(size 16)
    if(ARG_HOT)
        set(size 8)
    endif()
    ww_batch(warpwright_${name} ${size} ${ARG_ALONE})
    target_include_directories(warpwright_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(warpwright_${name} PRIVATE -Wall -Wextra "$<$<BOOL:${ARG_WORDS}>:-Og;${WARPWRIGHT_AS_PRECOMPILED}>"
        $<$<AND:$<BOOL:${ARG_HOT}>,$<CONFIG:Release>>:-O3>
        $<$<BOOL:${ARG_HOT}>:-fno-omit-frame-pointer>)
    if(WARPWRIGHT_PRECOMPILE AND NOT ARG_PLAIN AND NOT ARG_HOT)
        if(NOT ARG_PRECOMPILED)
            set(ARG_PRECOMPILED common)
        endif()
        target_precompile_headers(warpwright_${name} REUSE_FROM warpwright_precompiled_${ARG_PRECOMPILED})
    endif()
    foreach(room ${ARG_ROOMS} ${ARG_LINKED})
        target_link_libraries(warpwright_${name} PUBLIC warpwright_${room})
    endforeach()
    target_link_libraries(warpwright_${name} PUBLIC ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE_LIBRARIES})
endfunction()

# A folder that ww_room has set APART: its files belong to the room's library, and see what the room links.
#   OPTIONS  of the compiler, in place of those of the room
#   HEADERS  precompiled besides the common ones
#   ALONE    as in ww_room
function(ww_room_folder name folder)
    cmake_parse_arguments(ARG "" "" "ALONE;OPTIONS;HEADERS" ${ARGN})
    set(part warpwright_${name}_${folder})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    add_library(${part} OBJECT ${sources})
    ww_batch(${part} 8 ${ARG_ALONE})
    target_sources(warpwright_${name} PRIVATE $<TARGET_OBJECTS:${part}>)
    target_include_directories(${part} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${part} PRIVATE -Wall -Wextra ${ARG_OPTIONS})
    get_target_property(libraries warpwright_${name} LINK_LIBRARIES)
    target_link_libraries(${part} PRIVATE ${libraries})
    if(WARPWRIGHT_PRECOMPILE)
        target_precompile_headers(${part} PRIVATE ${WARPWRIGHT_COMMON_HEADERS} ${ARG_HEADERS})
    endif()
endfunction()

# LLVM for a room that knows it: its archives in the static build and in every library with the property WARPWRIGHT_OWN_LLVM,
# else the shared library. Whoever loads libwarpwright_cuda.so, or a program linked to our runtime library, may have another LLVM
# (Triton, PyTorch, Numba): the symbols of a shared one would stand before theirs.
define_property(TARGET PROPERTY WARPWRIGHT_OWN_LLVM BRIEF_DOCS "link LLVM's archives into this library" FULL_DOCS "see ww_link_llvm")
function(ww_link_llvm room)
    llvm_map_components_to_libnames(archives ${ARGN})
    if(WARPWRIGHT_STATIC_LLVM)
        target_link_libraries(${room} PRIVATE ${archives})
        return()
    endif()
    set(own "$<BOOL:$<TARGET_PROPERTY:WARPWRIGHT_OWN_LLVM>>")
    foreach(archive ${archives})
        target_link_libraries(${room} PRIVATE "$<${own}:${archive}>")
    endforeach()
    target_link_libraries(${room} PRIVATE "$<$<NOT:${own}>:LLVM>")
endfunction()
