# What `cmake --install` puts where: the program with its data, and the library with its CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The rooms install what is theirs (devices, kernels, the program); this is what no room owns.
if(EXISTS ${PROJECT_SOURCE_DIR}/toolchain)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/toolchain DESTINATION ${CMAKE_INSTALL_DATADIR}/warpwright
        PATTERN warpwright-nvcc EXCLUDE)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/toolchain/warpwright-nvcc DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Programs to read and to start from; the page `vecadd` shows one.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/warpwright)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# One shared library with all rooms inside and only the public API's symbols outside, so that a user's build needs
# none of the packages that ours needs.
get_target_property(device_kind warpwright_device TYPE)
if(NOT TARGET warpwright_api OR NOT device_kind STREQUAL STATIC_LIBRARY)
    return()
endif()
# Whole: the rooms whose headers are installed are used from outside, not only from within.
add_library(warpwright_library SHARED
    $<TARGET_OBJECTS:warpwright_api> $<TARGET_OBJECTS:warpwright_support> $<TARGET_OBJECTS:warpwright_record>)
set_target_properties(warpwright_library PROPERTIES
    OUTPUT_NAME warpwright EXPORT_NAME warpwright VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_link_libraries(warpwright_library PRIVATE warpwright_api)
target_link_options(warpwright_library PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map -Wl,--no-undefined)
# The second: headers of rooms include each other by their own names.
target_include_directories(warpwright_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/warpwright>)
if(WARPWRIGHT_STATIC_LLVM)  # beside the libraries that the program brings (static.cmake)
    set_target_properties(warpwright_library PROPERTIES INSTALL_RPATH "$ORIGIN/warpwright")
    target_link_options(warpwright_library PRIVATE -Wl,--disable-new-dtags)
endif()
target_compile_features(warpwright_library INTERFACE cxx_std_20)

install(TARGETS warpwright_library EXPORT warpwright LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/warpwright/warpwright.hpp ${PROJECT_SOURCE_DIR}/include/warpwright/kernels.hpp
              ${PROJECT_SOURCE_DIR}/include/warpwright/profile.hpp ${PROJECT_SOURCE_DIR}/include/warpwright/testing.hpp
              ${PROJECT_SOURCE_DIR}/include/warpwright/matchers.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwright)
# The public header includes these by the same names, which it then finds beside itself.
install(FILES ${PROJECT_SOURCE_DIR}/src/support/result.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwright/support)
install(FILES ${PROJECT_SOURCE_DIR}/src/record/counts.hpp ${PROJECT_SOURCE_DIR}/src/record/metrics.inc
              ${PROJECT_SOURCE_DIR}/src/record/finding.hpp ${PROJECT_SOURCE_DIR}/src/record/findings.inc ${PROJECT_SOURCE_DIR}/src/record/extent.hpp
              ${PROJECT_SOURCE_DIR}/src/record/record.hpp
              ${PROJECT_SOURCE_DIR}/src/record/predicted.hpp ${PROJECT_SOURCE_DIR}/src/record/predicted.inc
              ${PROJECT_SOURCE_DIR}/src/record/bottleneck.hpp ${PROJECT_SOURCE_DIR}/src/record/causes.inc
              ${PROJECT_SOURCE_DIR}/src/record/touched.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwright/record)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/warpwright)
install(EXPORT warpwright NAMESPACE warpwright:: FILE warpwright-targets.cmake DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/warpwright-config.cmake.in
    ${PROJECT_BINARY_DIR}/warpwright-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwright-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwright-config.cmake ${PROJECT_BINARY_DIR}/warpwright-config-version.cmake
        DESTINATION ${package})
