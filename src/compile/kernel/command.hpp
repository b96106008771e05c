// The compiler's command line, and the interpretation of its diagnostics.
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
    std::vector<std::string>
        headers;         ///< the folders of our headers: include/ of the toolchain, and what the build made
    std::string libclc;  ///< full path of the bitcode file
    std::string pass;    ///< full path of our pass for the compiler (toolchain/pass); empty: there is none
};

/// Finds the compiler, our headers and libclc (whose absence matters only once something needs it).
Result<Tools> find_tools(const CompileOptions& options);

/// The flags by which the compiler finds our headers.
std::vector<std::string> header_flags(const Tools& tools);

/// Flags by which char and wchar_t have a sign, as on x86-64: on AArch64 they have none unless told, in kernels and in
/// programs, and the same source would compute something else there. The user's -fshort-wchar decides about wchar_t.
std::vector<std::string> signed_characters(const std::vector<std::string>& user_flags);

/// Flags that include the headers which nvcc's cuda_runtime.h includes, and on which programs rely without an #include.
const std::vector<std::string>& host_headers();

/// The architecture that a request is compiled for: that of its last -arch, else its own.
std::string architecture_of(const CompileRequest& request);

/// The part of the command line that decides the PTX: what is compiled and how, without the names of
/// files.
Result<std::vector<std::string>> compile_flags(const CompileRequest& request, const Tools& tools);

/// The architectures that the program is compiled for, as nvcc defines them: CUB names a namespace by it.
std::string arch_list_flag(const std::string& arch);

/// The flags that link libclc's bitcode in.
std::vector<std::string> library_flags(const Tools& tools);

/// The flags that load our pass, which keeps accesses of 16 bytes in one piece; none where there is no pass.
std::vector<std::string> pass_flags(const Tools& tools);

/// Whether a compiler's diagnostics say that it cannot load the pass, because it was built differently from the
/// distribution's.
bool refuses_pass(const std::string& diagnostics);

/// Whether a compiler's errors may come from a header that is not included.
bool lacks_names(const std::string& diagnostics);

/// The flags that make shared addresses 32 bits wide, as they are in nvcc's PTX. They narrow addresses of constant
/// memory too, which nvcc keeps at 64 bits: only for modules that have no constant memory.
std::vector<std::string> short_address_flags();

/// Limits on a compiler's time, output and memory.
ProcessSettings compiler_settings(const CompileOptions& options);

/// The error of a compiler that a signal or the time limit ended; nothing when it ended by itself.
std::optional<Error> ended_early(const ProcessResult& ran, const CompileOptions& options, const std::string& file);

/// All errors in the compiler's output: the first one, located, and the others in further lines of its text, each with
/// its place.
Error all_errors(const std::string& diagnostics, const CompileRequest& request);

/// The prerequisites of a make rule, as -MD writes them.
std::vector<std::string> parse_dependencies(const std::string& rule);

}  // namespace warpwright::compile
