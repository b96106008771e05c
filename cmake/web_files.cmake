# ww_web_files(ROOM HEADER FUNCTION=FILE[:FILE...] ...): files that go into a room's library, each as a function of the
# room's namespace that gives its bytes; HEADER declares them. Several files, with ":" between them, become one.
# Run as a script (cmake -P) it writes the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(ww_web_files_script ${CMAKE_CURRENT_LIST_FILE})
    function(ww_web_files room header)
        set(made ${CMAKE_CURRENT_BINARY_DIR}/made_web_files.cpp)
        set(needs "")
        foreach(entry ${ARGN})
            string(REGEX REPLACE "^[^=]*=" "" files "${entry}")
            string(REPLACE ":" ";" files "${files}")
            list(APPEND needs ${files})
        endforeach()
        add_custom_command(OUTPUT ${made}
            COMMAND ${CMAKE_COMMAND} -D OUTPUT=${made} -D ROOM=${room} -D HEADER=${header} "-DFILES=${ARGN}" -P ${ww_web_files_script}
            DEPENDS ${needs} ${ww_web_files_script}
            VERBATIM)
        target_sources(warpwright_${room} PRIVATE ${made})
    endfunction()
    return()
endif()

set(out "// Made by the build.\n#include \"${HEADER}\"\n\nnamespace warpwright::${ROOM} {\n")
foreach(entry ${FILES})
    string(REGEX MATCH "^[^=]*" function "${entry}")
    string(REGEX REPLACE "^[^=]*=" "" parts "${entry}")
    string(REPLACE ":" ";" parts "${parts}")
    set(bytes "")
    foreach(part IN LISTS parts)
        # As bytes: no character of a file means anything here.
        file(READ "${part}" more HEX)
        if(more STREQUAL "")
            message(FATAL_ERROR "${part} is empty")
        endif()
        string(APPEND bytes "${more}")
    endforeach()
    string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND out "\n" "std::string_view ${function}() {\n    static constexpr char text[] = {\n${bytes}\n    };\n    return {text, sizeof text};\n}\n")
endforeach()
file(WRITE "${OUTPUT}" "${out}\n}  // namespace warpwright::${ROOM}\n")
