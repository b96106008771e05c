// Files that only this user can have written: data that is kept between runs (compiled code, tuned values, the secret)
// is read from no other files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

/// Why a file or a folder is not this user's alone: it is a link, belongs to another user, or others may write to it.
/// Nothing where it is, or does not exist. A group of the user's own name without other members is nobody else.
std::optional<Error> not_own(const std::string& path);

/// An open folder that belongs to the effective user and that nobody else can write to. Its files are named without a
/// slash; the folder is opened once, so that it cannot be exchanged in between.
class OwnFolder {
public:
    /// Nothing if it does not exist. Errors: input, naming the folder: it belongs to another user, others may write to
    /// it, or it is no folder.
    static Result<std::optional<OwnFolder>> open(const std::string& path);
    /// Makes it and its parents, for the user alone.
    static Result<OwnFolder> make(const std::string& path);

    OwnFolder(OwnFolder&& other) noexcept : path_(std::move(other.path_)), descriptor_(other.descriptor_) {
        other.descriptor_ = -1;
    }
    OwnFolder& operator=(OwnFolder&&) = delete;
    ~OwnFolder();

    const std::string& path() const { return path_; }

    /// Who may read a file.
    enum class Readers { anybody, user_only };

    /// The whole file, whose time of last use becomes now; nothing if it does not exist. Errors: input, naming the
    /// file: it is a link, a folder, a pipe; it belongs to another user; others may write to it, or read it where only
    /// the user should; it is larger than `most`.
    Result<std::optional<std::string>> read(const std::string& name, std::uint64_t most,
                                            Readers readers = Readers::anybody) const;

    /// Writes a file whole or not at all, readable by the user alone. `replace` false: an existing file stays, and
    /// `false` is returned. Errors: input.
    Result<bool> write(const std::string& name, std::string_view bytes, bool replace = true) const;

    void remove(const std::string& name) const;

private:
    OwnFolder(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    std::string path_;
    int descriptor_;
};

}  // namespace warpwright
