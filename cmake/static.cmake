# WARPWRIGHT_STATIC_LLVM: a program for machines that have none of our packages. What the distribution has archives of
# goes into the program; the few libraries it has no archives of are installed beside it (docs/static.md).
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(Boost_USE_STATIC_LIBS ON)
# LLVM's archives name libraries that only parts of theirs which we do not use would call.
add_link_options(-Wl,--as-needed)
# LLVM's package asks for this target by name and defines it for the shared library only.
find_library(WARPWRIGHT_ZSTD zstd REQUIRED)
add_library(zstd::libzstd_shared STATIC IMPORTED)
set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${WARPWRIGHT_ZSTD})

# Installs a program with the shared libraries it still needs, but for those of every system with the compiler's runtime.
function(ww_install_with_libraries program)
    include(GNUInstallDirs)
    set(folder ${CMAKE_INSTALL_LIBDIR}/warpwright)
    file(RELATIVE_PATH up /${CMAKE_INSTALL_BINDIR} /${folder})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
    # The old form, which also serves the libraries that these libraries need.
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
    install(TARGETS ${program} RUNTIME_DEPENDENCY_SET ww_libraries RUNTIME)
    # Another machine's libraries are no library of this system: they lie in the folder that the build links with.
    set(elsewhere "")
    if(CMAKE_CROSSCOMPILING)
        set(elsewhere DIRECTORIES ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
    endif()
    install(RUNTIME_DEPENDENCY_SET ww_libraries
        PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so"
        ${elsewhere} LIBRARY DESTINATION ${folder})
endfunction()
