// dlopen with an error that says which file was missing or why it could not be loaded, and the search for files by a
// pattern, the newest version first.
#include "support/shared_library.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <strings.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "host/self.hpp"

namespace warpwright {
namespace {

Error missing(std::string what) {
    Error error;
    error.kind = ErrorKind::no_device;
    error.what = std::move(what);
    return error;
}

bool exists(const std::string& file) {
    struct stat info{};
    return file.find('/') != std::string::npos && ::stat(file.c_str(), &info) == 0;
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(const std::string& file) {
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* why = ::dlerror();
        return missing(why ? why : file + " cannot be opened");
    }
    SharedLibrary library;
    library.file_ = file;
    // A driver has its own threads and exit handlers: unloading it while they run would crash at the program's end.
    library.handle_ = std::shared_ptr<void>(handle, [](void*) {});
    return library;
}

Result<SharedLibrary> SharedLibrary::open_first(const std::vector<std::string>& files) {
    std::string tried, broken;
    for (const std::string& file : files) {
        auto library = open(file);
        if (library) return library;
        if (exists(file)) broken = library.error().what;
        tried += (tried.empty() ? "" : ", ") + file;
    }
    if (!broken.empty()) return missing(broken);
    return missing(tried.empty() ? "there is nowhere to look" : "none of these was found: " + tried);
}

void* SharedLibrary::symbol(const char* name) const { return handle_ ? ::dlsym(handle_.get(), name) : nullptr; }

std::string SharedLibrary::path() const {
    const std::string loaded = handle_ ? host::file_of(handle_.get()) : "";
    return loaded.empty() ? file_ : loaded;
}

std::vector<std::string> matching_files(const std::string& pattern) {
    ::glob_t found{};
    std::vector<std::string> out;
    if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
        out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    // Newest first; numbers compare as numbers (12.9 before 12.10 would be wrong).
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
        const int order = ::strverscmp(a.c_str(), b.c_str());
        return order != 0 ? order > 0 : a < b;
    });
    return out;
}

}  // namespace warpwright
