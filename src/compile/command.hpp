// The compiler's command line, and what its diagnostics say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"
#include "compile/process.hpp"

namespace warpwright::compile {

struct Tools {
    std::string compiler;  ///< full path
    std::string toolchain_dir;
    std::string libclc;  ///< full path of the bitcode file
    std::string pass;    ///< full path of our pass for the compiler (toolchain/pass); empty: there is none
};

/// Finds the compiler, our headers and libclc (whose absence matters only once something needs it).
Result<Tools> find_tools(const CompileOptions& options);

/// The part of the command line that says what is compiled and how: everything that decides the PTX, without the names
/// of files.
Result<std::vector<std::string>> compile_flags(const CompileRequest& request, const Tools& tools);

/// The flags that link libclc's bitcode in.
std::vector<std::string> library_flags(const Tools& tools);

/// The flags that load our pass, which keeps accesses of 16 bytes in one piece; none where there is no pass.
std::vector<std::string> pass_flags(const Tools& tools);

/// Whether a compiler's diagnostics say that it cannot load the pass: one that was built otherwise than the
/// distribution's.
bool refuses_pass(const std::string& diagnostics);

/// The flags that make shared addresses 32 bits wide, as they are in nvcc's PTX. They narrow addresses of constant
/// memory too, which nvcc keeps at 64 bits: only for modules that have no constant memory.
std::vector<std::string> short_address_flags();

/// How long a compiler may run, and how much it may write and use.
ProcessSettings compiler_settings(const CompileOptions& options);

/// The error of a compiler that was ended by a signal, or because its time was over; nothing when it ended by itself.
std::optional<Error> ended_early(const ProcessResult& ran, const CompileOptions& options, const std::string& file);

/// The errors in the compiler's output: the first one, located, and in further lines of its text all others, each at
/// its place.
Error all_errors(const std::string& diagnostics, const CompileRequest& request);

/// The prerequisites of a make rule, as -MD writes them.
std::vector<std::string> parse_dependencies(const std::string& rule);

}  // namespace warpwright::compile
