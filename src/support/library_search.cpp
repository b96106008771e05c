// Lists the files that may be one of NVIDIA's libraries, in the order in which they are tried, and finds programs in
// PATH. Wheels of CUDA 12 and 13 have different folders, so both are looked through.
#include "support/library_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace warpwright {
namespace fs = std::filesystem;
namespace {

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
    for (const std::string& s : more)
        if (std::find(to.begin(), to.end(), s) == to.end()) to.push_back(s);
}

/// The libraries of one folder, newest first. Static variants (".alt.") are skipped.
std::vector<std::string> libraries_in(const std::string& folder, const std::string& name) {
    std::vector<std::string> out;
    for (const std::string& file : matching_files(folder + "/" + name + ".so*"))
        if (file.find(".alt.") == std::string::npos) out.push_back(file);
    return out;
}

}  // namespace

LibrarySearch LibrarySearch::of_machine(Setting own_place) {
    LibrarySearch s;
    if (std::string own = settings::text(own_place); !own.empty()) s.own = own;
    std::vector<std::string> prefixes;
    for (const Setting name : {Setting::virtual_env, Setting::conda_prefix})
        if (std::string prefix = settings::text(name); !prefix.empty()) prefixes.push_back(prefix);
    if (std::string python = find_program("python3"); !python.empty()) {
        prefixes.push_back(fs::path(python).parent_path().parent_path().string());
        std::error_code ec;
        if (auto real = fs::canonical(python, ec); !ec) prefixes.push_back(real.parent_path().parent_path().string());
    }
    if (std::string home = settings::text(Setting::home); !home.empty()) prefixes.push_back(home + "/.local");
    add(prefixes, {"/usr/local", "/usr"});
    add(s.packages, settings::paths(Setting::python_path));
    for (const std::string& prefix : prefixes)
        for (const char* folder : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages"})
            add(s.packages, matching_files(prefix + folder));
    for (const Setting name : {Setting::cuda_home, Setting::cuda_path})
        if (std::string folder = settings::text(name); !folder.empty()) add(s.toolkits, {folder});
    add(s.toolkits, {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda"});
    return s;
}

std::vector<std::string> library_candidates(const LibrarySearch& search, const LibraryName& name) {
    std::vector<std::string> out;
    if (search.own) {
        std::error_code ec;
        if (!fs::is_directory(*search.own, ec)) return {*search.own};
        for (const char* below : {"", "/lib64", "/lib"}) add(out, libraries_in(*search.own + below, name.file));
        if (out.empty()) out.push_back(*search.own + "/" + name.file + ".so");  // so that the message names the folder
        return out;
    }
    for (const std::string& folder : search.packages) {
        // One wheel a library up to CUDA 12 (nvidia/cuda_nvrtc), one folder for all from 13 on (nvidia/cu13).
        for (const std::string& wheel : matching_files(folder + "/nvidia/cu[0-9]*/lib"))
            add(out, libraries_in(wheel, name.file));
        add(out, libraries_in(folder + "/nvidia/" + name.wheel + "/lib", name.file));
    }
    for (const std::string& toolkit : search.toolkits)
        for (const char* below : {"/lib64", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"})
            for (const std::string& folder : matching_files(toolkit + below)) add(out, libraries_in(folder, name.file));
    if (search.loader) add(out, name.loader);
    return out;
}

std::string find_program(const std::string& name) {
    if (name.empty()) return {};
    const auto runs = [](const std::string& file) {
        std::error_code ec;
        return ::access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file, ec);
    };
    if (name.find('/') != std::string::npos) return runs(name) ? name : std::string();
    const std::vector<std::string> folders = settings::is_set(Setting::path)
                                                 ? settings::paths(Setting::path)
                                                 : std::vector<std::string>{"/usr/local/bin", "/usr/bin", "/bin"};
    for (const std::string& folder : folders) {
        std::string candidate = folder + "/" + name;
        if (runs(candidate)) return candidate;
    }
    return {};
}

Error no_program(const std::string& name) {
    std::error_code ec;
    const bool there = name.find('/') != std::string::npos && std::filesystem::is_regular_file(name, ec);
    if (std::filesystem::is_directory(name, ec))
        return Error{ErrorKind::input, "'" + name + "' is a folder, not a program", {}, ""};
    if (!there) {
        const bool source = std::filesystem::is_regular_file(name + ".cu", ec);
        return Error{ErrorKind::input,
                     "there is no program '" + name + "'",
                     {},
                     source ? "did you mean '" + name + ".cu'?" : ""};
    }
    return Error{ErrorKind::input, "'" + name + "' may not be executed", {}, "a program needs the right: chmod +x"};
}

}  // namespace warpwright
