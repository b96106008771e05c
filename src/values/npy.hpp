// Reading and writing .npy files (NumPy's array format, versions 1.0 and 2.0: NEP 1) and raw binary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.hpp"
#include "values/element.hpp"

namespace warpwright::values {

struct NpyArray {
    Element element = Element::f32;
    std::vector<std::uint64_t> shape;  ///< empty: a scalar
    std::vector<std::byte> data;       ///< C order
    std::uint64_t count() const;
};

/// Accepts little-endian (or one-byte) numbers in C order. Everything else, a truncated file and bytes after the data
/// are errors that name the file and the reason.
Result<NpyArray> read_npy(const std::string& path);
/// The same for text in memory; `name` is its name in messages.
Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name);

/// Version 1.0, one dimension unless a shape is given. bf16 and the 8-bit floats, for which NumPy has no name, are
/// written as u16 and u8.
Result<void> write_npy(const std::string& path, Element element, std::span<const std::byte> data,
                       std::vector<std::uint64_t> shape = {});

/// A file that fills a buffer of `count` elements exactly: .npy by its extension, else raw bytes.
Result<std::vector<std::byte>> read_buffer_file(const std::string& path, Element element, std::uint64_t count);
/// Writes a buffer: .npy by the extension, else raw bytes.
Result<void> write_buffer_file(const std::string& path, Element element, std::span<const std::byte> data);

}  // namespace warpwright::values
