// A file system overlay for clang lays our headers over those of each toolkit that the search path reaches, because
// toolkit headers include each other from their own folder, whatever the path says.
#include "compile/toolkit_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "compile/failure.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 4> kFolderFlags{"-I", "-isystem", "-idirafter", "-iquote"};

/// The folder that the flag at `i` names, in one word or two; `words`: the number of words.
std::optional<std::string> folder_of(const std::vector<std::string>& flags, std::size_t i, std::size_t& words) {
    for (const auto flag : kFolderFlags) {
        if (flags[i] == flag && i + 1 < flags.size()) {
            words = 2;
            return flags[i + 1];
        }
        if (flags[i].size() > flag.size() && flags[i].starts_with(flag)) {
            words = 1;
            return flags[i].substr(flag.size());
        }
    }
    return std::nullopt;
}

/// A JSON string, which is also valid YAML.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string absolute(const std::string& folder) {
    std::error_code ec;
    std::string path = fs::absolute(folder, ec).lexically_normal().string();
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

/// Our headers by their names within include/, without those that only our headers include.
std::vector<std::string> header_names(const std::string& include) {
    std::vector<std::string> names;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(include, ec), end; !ec && it != end; it.increment(ec)) {
        if (it->path().filename() == "warpwright") {
            it.disable_recursion_pending();
            continue;
        }
        std::error_code one;
        if (it->is_regular_file(one)) names.push_back(it->path().string().substr(include.size() + 1));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

bool holds_toolkit_headers(const std::string& folder) {
    std::error_code ec;
    return fs::is_regular_file(folder + "/cuda_runtime_api.h", ec) &&
           fs::is_regular_file(folder + "/vector_types.h", ec) && !fs::exists(folder + "/warpwright/cuda.h", ec);
}

std::vector<std::string> toolkits_last(const std::vector<std::string>& flags) {
    std::vector<std::string> kept, last;
    for (std::size_t i = 0; i < flags.size();) {
        std::size_t words = 1;
        const auto folder = folder_of(flags, i, words);
        if (folder && holds_toolkit_headers(*folder)) {
            std::error_code ec;
            if (fs::is_directory(*folder + "/cccl", ec)) last.insert(last.end(), {"-isystem", *folder + "/cccl"});
            last.insert(last.end(), {"-isystem", *folder});
        } else {
            for (std::size_t k = 0; k < words; ++k) kept.push_back(flags[i + k]);
        }
        i += words;
    }
    kept.insert(kept.end(), last.begin(), last.end());
    return kept;
}

std::string own_libcu(const std::string& toolchain_dir) { return toolchain_dir + "/include/warpwright/cccl"; }

bool refuses_shared_constructor(const std::string& diagnostics) {
    return diagnostics.find("initialization is not supported for __shared__ variables") != std::string::npos;
}

std::vector<std::string> ours_last(const std::string& toolchain_dir) {
    return {"-idirafter", own_libcu(toolchain_dir), "-idirafter", toolchain_dir + "/include/warpwright/libraries"};
}

std::vector<std::string> own_libcu_first(const std::string& toolchain_dir) {
    return {"-isystem", own_libcu(toolchain_dir)};
}

Result<std::vector<std::string>> cover_toolkits(const std::vector<std::string>& flags,
                                                const std::vector<std::string>& ours, const std::string& folder) {
    std::vector<std::string> candidates{"/usr/local/include", "/usr/include"}, covered;
    for (std::size_t i = 0; i < flags.size();) {
        std::size_t words = 1;
        if (auto named = folder_of(flags, i, words)) candidates.push_back(absolute(*named));
        i += words;
    }
    for (const auto& candidate : candidates)
        if (holds_toolkit_headers(candidate) && std::find(covered.begin(), covered.end(), candidate) == covered.end())
            covered.push_back(candidate);
    if (covered.empty()) return std::vector<std::string>{};

    const std::string file = folder + "/headers.yaml";
    std::ofstream out(file, std::ios::binary);
    out << "{\"version\": 0, \"case-sensitive\": \"true\", \"roots\": [\n";
    bool first = true;
    for (const auto& named : ours) {
        const std::string include = absolute(named);
        for (const auto& name : header_names(include))
            for (const auto& toolkit : covered) {
                out << (first ? "" : ",\n") << "{\"type\": \"file\", \"name\": " << quoted(toolkit + "/" + name)
                    << ", \"external-contents\": " << quoted(include + "/" + name) << "}";
                first = false;
            }
    }
    out << "\n]}\n";
    if (!out.flush()) return failure(ErrorKind::internal, "cannot write " + file, {}, "is the disk full?");
    return std::vector<std::string>{"-ivfsoverlay", file};
}

std::string overlay_name(const std::string& path) { return quoted(absolute(path)); }

std::string missing_header_hint(const std::string& name) {
    // The first parts of names of headers that a toolkit has and this project has not.
    if (name.starts_with("thrust/") || name.starts_with("cub/"))
        return fmt::format(
            "Debian and Ubuntu have it in the package lib{}-dev; it comes with NVIDIA's CUDA toolkit too: name "
            "one by --cuda-path DIR, and its headers are read from there",
            name.substr(0, name.find('/')));
    for (const std::string_view start :
         {"cuda/", "cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "npp", "nvml", "nvToolsExt", "nvtx3/",
          "nvrtc", "nvJitLink", "nvjpeg", "cupti", "cuda_fp4.h", "cuda_fp6.h"})
        if (name.starts_with(start))
            return "it comes with NVIDIA's CUDA toolkit: name one by --cuda-path DIR, and its headers are read from "
                   "there";
    if (name.starts_with("cutlass/") || name.starts_with("cute/"))
        return "it comes with CUTLASS: name its folder by -I DIR/include, and a CUDA toolkit by --cuda-path DIR";
    if (name.starts_with("helper_") || name == "exception.h")
        return "it comes with NVIDIA's CUDA samples: name their folder by -I DIR/Common";
    return {};
}

}  // namespace warpwright::compile
