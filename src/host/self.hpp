// What the system knows of this process: its program, its threads, the files that it has loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpwright::host {

/// A path that leads to this process's program while it runs, even if the file was replaced.
inline constexpr const char* kOwnProgram = "/proc/self/exe";
/// The program's file; empty if the system does not say.
std::string own_program();
std::vector<std::string> command_line();
/// Whether addresses are the same in each run.
bool addresses_are_fixed();

/// The system's number of the calling thread.
std::uint64_t thread_number();
/// The lowest address of the calling thread's own stack; 0 if the system does not say.
std::uintptr_t lowest_of_stack();

/// A file of code that this process has loaded.
struct LoadedFile {
    std::string path;         ///< empty: there is none; kOwnProgram for the program
    std::uintptr_t base = 0;  ///< what its addresses are counted from
};
/// The file that holds the code at an address.
LoadedFile file_with(const void* code);
/// The function that a slot of a linker's table of functions leads to, also before its first call; null: it is none.
const void* function_of_slot(const void* slot);
/// The path by which a library was loaded; empty if the system does not say. `library`: of dlopen.
std::string file_of(void* library);
/// Calls `look` with the path of each loaded file, until it returns true.
void each_loaded(const std::function<bool(const std::string& path)>& look);
/// The identifier that the linker has given to the file with this code; empty: none.
std::string build_id_of(const void* code);
/// dlopen, by a name that no library which stands in for dlopen has; null with dlerror().
void* open_library_itself(const char* path);

}  // namespace warpwright::host
