// Headers that a program gives by name are written to a folder that lives as long as the compiler runs.
#include "cudart/registry/opencl_code.hpp"

#include <filesystem>

#include "compile/kernel/compile.hpp"
#include "support/disk_cache.hpp"
#include "support/temporary_folder.hpp"
#include "support/write_file.hpp"

namespace warpwright::cudart {
namespace fs = std::filesystem;
namespace {

/// Whether a name stays below the folder that it is put into.
bool stays_below(const fs::path& name) {
    if (name.empty() || name.is_absolute()) return false;
    for (const auto& part : name)
        if (part == "..") return false;
    return true;
}

Result<void> write_headers(const OpenclSource& source, const std::string& folder) {
    for (const auto& [name, text] : source.headers) {
        if (!stays_below(name)) return Error{ErrorKind::usage, "'" + name + "' is no name of a header", {}, ""};
        const fs::path file = fs::path(folder) / name;
        std::error_code ec;
        fs::create_directories(file.parent_path(), ec);
        if (auto ok = write_file(file.string(), text); !ok) return ok;
    }
    return {};
}

}  // namespace

Result<std::string> opencl_ptx(const OpenclSource& source, std::string& log) {
    compile::CompileRequest request;
    request.path = source.name;
    request.text = source.text;
    request.language = "opencl";
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    options.log = &log;
    const TemporaryFolder folder("opencl");
    if (!source.headers.empty()) {
        if (auto ok = write_headers(source, folder.path()); !ok) return ok.error();
        request.include_dirs.push_back(folder.path());
    }
    request.flags = source.flags;
    auto compiled = compile::compile(request, options);
    if (!compiled) return compiled.error();
    return std::move(compiled->ptx);
}

std::vector<launch::Declared> opencl_parameters(const std::string& kernel, std::size_t count,
                                                const std::string& source) {
    return launch::declared_parameters(kernel, count, source);
}

}  // namespace warpwright::cudart
