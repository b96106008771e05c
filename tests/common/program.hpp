// The program as its users have it: its words, its exit code, what it prints.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/program/cli.hpp"
#include "common/files.hpp"

namespace warpwright::test {

struct Said {
    int code;  ///< of the exit; 124 where `timeout` ended it
    std::string out, error;
};

/// In this process: quick, and breakpoints hold. `words`: without the program's own name.
inline Said program(const std::vector<std::string>& words) {
    std::vector<const char*> argv{"warpwright"};
    for (const std::string& w : words) argv.push_back(w.c_str());
    std::FILE *out = std::tmpfile(), *error = std::tmpfile();
    cli::Console console(out, error);
    const int code = cli::run(static_cast<int>(argv.size()), argv.data(), console);
    return {code, drain(out), drain(error)};
}

/// Through a shell, as a process of its own.
inline Said shell(const std::string& command) {
    const Folder folder("shell");
    const auto out = folder / "out", error = folder / "error";
    const int code = std::system(("(" + command + ") >" + out.string() + " 2>" + error.string()).c_str());
    return {WEXITSTATUS(code), text_of(out), text_of(error)};
}

}  // namespace warpwright::test
