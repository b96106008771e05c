// What a confined child takes of the disk, which no resource limit of the operating system bounds.
#pragma once

#include <cstdint>
#include <string>

namespace warpwright::confine {

/// Watches the folder in which a child may write, and the file system that the folder lies in.
class DiskWatch {
public:
    /// `most`: bytes of all files in the folder together.
    DiskWatch(std::string folder, std::uint64_t most);

    /// Which limit was passed; empty: none. Files that were removed and are still open have no name, so what is left on
    /// the file system counts too.
    std::string passed() const;

private:
    std::uint64_t free_bytes() const;

    std::string folder_;
    std::uint64_t most_ = 0, free_at_start_ = 0;
};

}  // namespace warpwright::confine
