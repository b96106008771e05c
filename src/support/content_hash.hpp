// A 128-bit content hash (XXH3), for cache keys and for detecting damage. It is no protection against an adversary.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace warpwright {

/// 32 lower-case hexadecimal digits.
std::string content_hash(std::string_view bytes);

/// Hash of several parts: unlike hashing their concatenation, moving a byte from one part to the next changes it.
class ContentHasher {
public:
    ContentHasher& add(std::string_view part);
    std::string digest() const;

private:
    std::string joined_;  ///< hash of each part in order
};

}  // namespace warpwright
