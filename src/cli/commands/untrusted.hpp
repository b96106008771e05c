// --untrusted: a command's work in a confined child (confine/confine.hpp), with what that command needs to read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "confine/confine.hpp"

namespace warpwright::cli {

/// What a command's work needs of the world outside, besides the system's own files and the device models.
struct Needs {
    std::vector<std::string> read;           ///< files, and folders with all below them
    std::vector<std::string> hidden = {};    ///< within these and the system's: see confine::Bounds
    bool compiles = true;                    ///< it starts the compiler, until end_of_compiling()
    bool links = false;                      ///< and the linker
    std::vector<std::string> programs = {};  ///< others that it may start
    std::vector<confine::Kept> kept;
    double seconds = 0;                   ///< by the clock; 0: the usual
    std::uint64_t processor_seconds = 0;  ///< of processor time; 0: the usual
};

/// "X and --untrusted exclude each other", with what to do instead.
Error not_untrusted(const std::string& what, const std::string& hint);

/// ErrorKind::usage where records were to go to files: a confined child writes none.
Result<void> only_standard_output(const OutputOptions& options);

/// Does `work` in a confined child, on the emulated device. The exit code. ErrorKind::usage (told on the console) where
/// another device was asked for.
int confined(RunOptions& run, const Needs& needs, Console& console, const std::function<int()>& work);
/// The same, with the error in place of an exit code where the child could not be confined or passed a limit.
Result<int> confined_result(RunOptions& run, const Needs& needs, Console& console, const std::function<int()>& work);

/// The same of a command on one kernel: the child may read its file, the --include folders and the files of arguments.
/// Without --untrusted `work` is done as it is.
int maybe_confined(LaunchOptions& options, Console& console, const std::function<int()>& work);

/// The same of a command on a ladder, by its name or path: the child may read the ladder's folder, and `more`. `ladder`
/// becomes the path, since names are looked up outside.
int confined_ladder(RunOptions& run, std::string& ladder, const std::vector<std::string>& more, Console& console,
                    const std::function<int()>& work);

/// From now on a confined process starts nothing.
Result<void> end_of_compiling();

}  // namespace warpwright::cli
