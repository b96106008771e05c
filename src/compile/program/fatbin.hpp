// Fat binaries: the container in which CUDA programs carry the code of their kernels, as PTX and as machine code for
// several architectures. Read from programs that other compilers built (PTX plain, zstd or LZ4), written for ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// One piece of code in a fat binary.
struct FatEntry {
    enum class Kind { ptx, machine, other } kind = Kind::other;
    enum class Packing { plain, zstd, lz4 } packing = Packing::plain;
    unsigned arch = 0;                   ///< compute capability, major * 10 + minor
    std::uint64_t unpacked = 0;          ///< bytes once unpacked; 0 where it is plain
    std::span<const std::byte> payload;  ///< in the fat binary
};

/// The entries of the container that starts at `data`; at most `most` bytes are looked at. ErrorKind::input where it is
/// corrupt.
Result<std::vector<FatEntry>> read_fat_binary(const std::byte* data, std::uint64_t most = ~std::uint64_t{0});

/// The PTX of a fat binary that suits a device best: the highest for its compute capability or less, else the lowest.
/// ErrorKind::input where there is machine code only, or the text cannot be unpacked.
Result<std::string> ptx_of(const std::vector<FatEntry>& entries, unsigned compute_capability);

/// A fat binary with one plain PTX.
std::string write_fat_binary(const std::string& ptx, unsigned arch);

}  // namespace warpwright::compile
