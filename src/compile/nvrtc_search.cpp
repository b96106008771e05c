// Where NVRTC and its headers may be.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "compile/nvrtc.hpp"
#include "compile/process.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
    for (const std::string& s : more)
        if (std::find(to.begin(), to.end(), s) == to.end()) to.push_back(s);
}

/// The libraries of one folder, newest first. Its builtins and its static variants are others' business.
std::vector<std::string> libraries_in(const std::string& folder) {
    std::vector<std::string> out;
    for (const std::string& file : matching_files(folder + "/libnvrtc.so*"))
        if (file.find(".alt.") == std::string::npos) out.push_back(file);
    return out;
}

}  // namespace

NvrtcSearch NvrtcSearch::of_machine() {
    NvrtcSearch s;
    if (std::string own = variable("WARPWRIGHT_NVRTC"); !own.empty()) s.own = own;
    std::vector<std::string> prefixes;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (std::string prefix = variable(name); !prefix.empty()) prefixes.push_back(prefix);
    if (std::string python = find_program("python3"); !python.empty()) {
        prefixes.push_back(fs::path(python).parent_path().parent_path().string());
        std::error_code ec;
        if (auto real = fs::canonical(python, ec); !ec) prefixes.push_back(real.parent_path().parent_path().string());
    }
    if (std::string home = variable("HOME"); !home.empty()) prefixes.push_back(home + "/.local");
    add(prefixes, {"/usr/local", "/usr"});
    std::string path = variable("PYTHONPATH");
    for (std::size_t at = 0; at < path.size();) {
        const auto end = std::min(path.find(':', at), path.size());
        if (end > at) add(s.packages, {path.substr(at, end - at)});
        at = end + 1;
    }
    for (const std::string& prefix : prefixes)
        for (const char* folder : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages"})
            add(s.packages, matching_files(prefix + folder));
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (std::string folder = variable(name); !folder.empty()) add(s.toolkits, {folder});
    add(s.toolkits, {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda"});
    return s;
}

std::vector<std::string> nvrtc_candidates(const NvrtcSearch& search) {
    std::vector<std::string> out;
    if (search.own) {
        std::error_code ec;
        if (!fs::is_directory(*search.own, ec)) return {*search.own};
        for (const char* below : {"", "/lib64", "/lib"}) add(out, libraries_in(*search.own + below));
        if (out.empty()) out.push_back(*search.own + "/libnvrtc.so");  // so that a message names the folder
        return out;
    }
    for (const std::string& folder : search.packages) {
        // One wheel a library up to CUDA 12 (nvidia/cuda_nvrtc), one folder for all from 13 on (nvidia/cu13).
        for (const std::string& wheel : matching_files(folder + "/nvidia/cu[0-9]*/lib")) add(out, libraries_in(wheel));
        add(out, libraries_in(folder + "/nvidia/cuda_nvrtc/lib"));
    }
    for (const std::string& toolkit : search.toolkits)
        for (const char* below : {"/lib64", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"})
            for (const std::string& folder : matching_files(toolkit + below)) add(out, libraries_in(folder));
    if (search.loader)
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) out.push_back(name);
    return out;
}

std::vector<std::string> nvrtc_headers(const std::string& path) {
    std::vector<std::string> folders;
    std::error_code ec;
    const fs::path given = fs::path(path).parent_path(), real = fs::weakly_canonical(path, ec).parent_path();
    for (const fs::path& lib : {given, real}) {
        if (lib.empty()) continue;
        for (const char* from : {"../include", "../../cuda_runtime/include", "../../include"})
            folders.push_back((lib / from).lexically_normal().string());
    }
    folders.emplace_back("/usr/local/cuda/include");
    for (const std::string& folder : folders) {
        if (!fs::exists(folder + "/cuda_fp16.h", ec)) continue;
        std::vector<std::string> out{folder};
        if (fs::is_directory(folder + "/cccl", ec)) out.push_back(folder + "/cccl");
        return out;
    }
    return {};
}

}  // namespace warpwright::compile
