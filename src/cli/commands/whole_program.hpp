// What run, build and check share: where the runtime library is, and programs compiled from source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "record/finding.hpp"
#include "support/result.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::cli {

/// Where libraries of ours may be that programs load: installed, or in a build tree.
std::vector<std::string> library_roots();

/// The folders of our drop-in libraries (support/libraries.inc), that of the runtime library first.
/// ErrorKind::no_device where it is not there.
Result<std::vector<std::string>> cudart_folders();

/// Compiles and links a program, and tells the compiler's warnings; `lines`: source lines in the kernels.
Result<void> build_whole(const ProgramOptions& options, const std::string& source, const std::string& program,
                         bool lines, Console& console);

/// The library that is loaded into a program first (src/takeover), where this machine has it.
inline constexpr const char* kTakeover = "libwarpwright_takeover.so";
/// The folder that names our OpenCL platform to the loader (src/opencl), beside the folders of libraries.
inline constexpr const char* kOpenclVendors = "opencl/vendors";

/// A program that can be started against our runtime library.
struct ReadyProgram {
    std::string name;  ///< as the user called it
    std::vector<std::string> words;
    std::map<std::string, std::string> environment;
    std::unique_ptr<TemporaryFolder> folder;  ///< for what it leaves for us
};
/// Compiles it where it is a source, finds it, says what stands against it. `options.words` has at least one.
Result<ReadyProgram> ready_program(const ProgramOptions& options, const std::string& model_file, Console& console);

/// Whether a file is to be run as it is: a .cu file with a main function, or something that is no source.
bool is_whole_program(const std::string& file);

/// A program that ran under the checkers.
struct CheckedProgram {
    int code = 0;         ///< the program's own
    int signal = 0;       ///< that ended it; 0: none
    bool looked = false;  ///< it used our runtime library
    std::vector<record::Finding> findings;
    std::uint64_t kernels = 0;  ///< launches that ran, those that an error ended among them
    std::string trouble;        ///< launches that failed, in words; empty where none did
};
Result<CheckedProgram> run_checked(const ProgramOptions& options, const std::string& checkers, Console& console);

}  // namespace warpwright::cli
