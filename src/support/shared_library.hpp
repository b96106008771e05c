// Libraries that are found when the program runs, never linked: a driver or compiler that a machine may not have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

class SharedLibrary {
public:
    /// Opens `file`: a path, or a name that the loader looks up. ErrorKind::no_device, with the loader's message.
    static Result<SharedLibrary> open(const std::string& file);

    /// The first of `files` that opens. If none does, the error names the last one that exists but does not open (a
    /// broken installation), else all that were tried.
    static Result<SharedLibrary> open_first(const std::vector<std::string>& files);

    /// The address of a symbol; null if the library does not have it.
    void* symbol(const char* name) const;
    template <class Function>
    bool get(Function*& into, const char* name) const {
        into = reinterpret_cast<Function*>(symbol(name));
        return into != nullptr;
    }

    /// The name by which it was opened.
    const std::string& file() const { return file_; }
    /// The file that the loader chose; file() if that is not known.
    std::string path() const;

private:
    std::string file_;
    std::shared_ptr<void> handle_;
};

/// Files that match `pattern` ("/usr/local/cuda*/lib64/libx.so*", as a shell would), the newest version first: "so.13"
/// before "so.12".
std::vector<std::string> matching_files(const std::string& pattern);

}  // namespace warpwright
