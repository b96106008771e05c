// Fat binaries: the container in which CUDA programs carry their kernels, as PTX and as machine code for several
// architectures. They are read from programs that other compilers built (PTX plain, zstd or LZ4), and written for ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// One piece of code in a fat binary.
struct FatEntry {
    enum class Kind { ptx, machine, other } kind = Kind::other;
    enum class Packing { plain, zstd, lz4 } packing = Packing::plain;
    unsigned arch = 0;                   ///< compute capability, major * 10 + minor
    bool any_device = false;             ///< PTX that write_fat_binary has marked for every device model
    bool relocatable = false;            ///< and as one file's part, to be linked with others'
    std::uint64_t unpacked = 0;          ///< bytes after unpacking; 0 where it is plain
    std::span<const std::byte> payload;  ///< in the fat binary
};

/// The entries of the container that starts at `data`; at most `most` bytes are read. ErrorKind::input if it is
/// corrupt.
Result<std::vector<FatEntry>> read_fat_binary(const std::byte* data, std::uint64_t most = ~std::uint64_t{0});

/// The PTX that a device of this compute capability runs, chosen as by NVIDIA's driver: the highest that is not above
/// it. PTX for one architecture alone (sm_90a) is for that one, PTX for a family (sm_100f) for it and later ones of the
/// same major number. ErrorKind::input if the text cannot be unpacked, with Cause::no_ptx if there is none for the
/// device; the message then names what there is.
Result<std::string> ptx_of(const std::vector<FatEntry>& entries, unsigned compute_capability);

/// The compute capability that a PTX text is for, by its .target: 90 for sm_90a; 0 where it names none.
unsigned ptx_arch(std::string_view text);

/// A fat binary with one plain PTX. `any_device`: devices of a lower compute capability accept it too. `relocatable`:
/// the PTX is one file's part of device code that files share.
std::string write_fat_binary(const std::string& ptx, unsigned arch, bool any_device = false, bool relocatable = false);

}  // namespace warpwright::compile
