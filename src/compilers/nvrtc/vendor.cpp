#include "compilers/nvrtc/vendor.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>

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

const VendorNvrtc* open_vendor() {
    const std::string place = settings::text(Setting::nvrtc);
    if (place.empty()) return nullptr;
    void* const library = ::dlopen(file_of(place).c_str(), RTLD_NOW | RTLD_LOCAL);
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
