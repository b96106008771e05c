// The library is searched where a setting says, or beside other NVIDIA packages that the process has loaded. It is
// opened with dlmopen, because dlopen would lead back to the stand-in.
#include "compilers/nvrtc/vendor.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "host/self.hpp"
#include "support/settings.hpp"

namespace warpwright::compilers {
namespace {

/// The file of a setting that may name a folder.
std::string file_of(const std::string& place) {
    namespace fs = std::filesystem;
    std::error_code ec;
    if (!fs::is_directory(place, ec)) return place;
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
        if (fs::exists(fs::path(place) / name, ec)) return (fs::path(place) / name).string();
    return place;
}

/// NVIDIA's wheel in the site-packages folder from which this process has loaded something; empty: there is none.
std::string in_site_packages() {
    std::string found;
    host::each_loaded([&](const std::string& file) {
        constexpr std::string_view kFolder = "/site-packages/";
        const auto at = file.find(kFolder);
        if (at == std::string::npos) return false;
        const std::string root = file.substr(0, at + kFolder.size());
        for (const char* wheel : {"nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"}) {
            std::error_code ec;
            if (!std::filesystem::exists(root + wheel, ec)) continue;
            found = root + wheel;
            return true;
        }
        return false;
    });
    return found;
}

const VendorNvrtc* open_vendor() {
    const bool named = settings::is_set(Setting::nvrtc);
    const std::string place = named ? settings::text(Setting::nvrtc) : in_site_packages();
    if (place.empty()) return nullptr;
    // By another name than dlopen, which leads to ours in a program that `warpwright run` has started.
    void* const library = host::open_library_itself(file_of(place).c_str());
    if (!library) {
        std::fprintf(stderr, "warpwright: NVIDIA's NVRTC cannot be loaded (%s): clang compiles in its place\n",
                     ::dlerror());
        return nullptr;
    }
    static VendorNvrtc found;
    found.error_string = reinterpret_cast<const char* (*)(nvrtcResult)>(::dlsym(library, "nvrtcGetErrorString"));
#define WW_RTC(name, parameters, arguments) \
    found.name = reinterpret_cast<nvrtcResult(*) parameters>(::dlsym(library, #name));
#include "warpwright/nvrtc_api.inc"
#undef WW_RTC
    // Ours, by a link of that name.
    if (found.nvrtcCompileProgram == &::nvrtcCompileProgram || !found.nvrtcCompileProgram) return nullptr;
    return &found;
}

}  // namespace

const VendorNvrtc* vendor_nvrtc() {
    static const VendorNvrtc* const found = open_vendor();
    return found;
}

}  // namespace warpwright::compilers
