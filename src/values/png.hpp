// Pictures in PNG files, 8 bits per channel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::values {

struct Picture {
    std::uint32_t width = 0, height = 0;
    std::uint32_t channels = 3;         ///< 1 (grey) or 3 (red, green, blue), side by side
    std::vector<std::uint8_t> values;   ///< height lines of width * channels
    std::vector<std::uint8_t> opacity;  ///< one per pixel; empty if the picture has none
};

/// Errors: input (no such file, no PNG file, a damaged one, more than 2^28 pixels, or more than its bytes can hold),
/// limit (no memory for it).
Result<Picture> read_png(const std::string& path);
/// The same for bytes in memory; `name` is their name in messages.
Result<Picture> parse_png(std::string_view bytes, const std::string& name);
/// ErrorKind::input if it cannot be written; a partly written file is removed.
Result<void> write_png(const std::string& path, const Picture& picture);
/// The bytes of such a file. ErrorKind::input if the picture cannot be one.
Result<std::string> png_bytes(const Picture& picture);

}  // namespace warpwright::values
