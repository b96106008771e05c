# Our drop-in libraries, as src/support/libraries.inc lists them. Of each name NAME there:
#   WW_LIBRARY_NAME_VERSIONS         its versions, the newest first
#   WW_LIBRARY_NAME_KERNELS          its files of kernels/
#   WW_LIBRARY_NAME_FOLDER_VERSION   the folder of a version
# and of each folder FOLDER: WW_LIBRARIES_IN_FOLDER, the names of what lies there.
set(libraries_table ${PROJECT_SOURCE_DIR}/src/support/libraries.inc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${libraries_table})
file(STRINGS ${libraries_table} rows REGEX "^WARPWRIGHT_LIBRARY\\(")
foreach(row IN LISTS rows)
    if(NOT row MATCHES "^WARPWRIGHT_LIBRARY\\(\"([^\"]+)\", ([0-9]+), \"([^\"]+)\", \"([^\"]*)\", \"")
        message(FATAL_ERROR "src/support/libraries.inc: this row cannot be read: ${row}")
    endif()
    set(name ${CMAKE_MATCH_1})
    list(APPEND WW_LIBRARY_${name}_VERSIONS ${CMAKE_MATCH_2})
    set(WW_LIBRARY_${name}_FOLDER_${CMAKE_MATCH_2} ${CMAKE_MATCH_3})
    list(APPEND WW_LIBRARIES_IN_${CMAKE_MATCH_3} ${name})
    list(REMOVE_DUPLICATES WW_LIBRARIES_IN_${CMAKE_MATCH_3})
    string(REPLACE " " ";" WW_LIBRARY_${name}_KERNELS "${CMAKE_MATCH_4}")
    list(APPEND WW_LIBRARY_FILES lib${name}.so.${CMAKE_MATCH_2})
endforeach()

# The target makes the row's file; `folder` gets where it belongs.
function(ww_makes_library target name version folder)
    if(NOT DEFINED WW_LIBRARY_${name}_FOLDER_${version})
        message(FATAL_ERROR "${target} makes lib${name}.so.${version}, which has no row in src/support/libraries.inc")
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
    set_property(GLOBAL APPEND PROPERTY WW_LIBRARIES_MADE lib${name}.so.${version})
    set(${folder} ${WW_LIBRARY_${name}_FOLDER_${version}} PARENT_SCOPE)
endfunction()

# To be called when all rooms are there: no row is without a target.
function(ww_expect_all_libraries)
    get_property(made GLOBAL PROPERTY WW_LIBRARIES_MADE)
    set(missing ${WW_LIBRARY_FILES})
    list(REMOVE_ITEM missing ${made})
    if(missing)
        message(FATAL_ERROR "src/support/libraries.inc lists what no target makes: ${missing}")
    endif()
endfunction()
