// The places where NVRTC and its headers may be.
#include <filesystem>

#include "compile/kernel/nvrtc.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;

std::vector<std::string> nvrtc_candidates(const LibrarySearch& search) {
    return library_candidates(
        search, {"libnvrtc", "cuda_nvrtc", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}});
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
