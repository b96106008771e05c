// xxHash's XXH3 in its canonical byte order, so that a hash is the same text on every machine. The parts of a key are
// hashed one by one: their borders count too.
#include "support/content_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warpwright {

std::string content_hash(std::string_view bytes) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(32);
    for (unsigned char byte : canonical.digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

ContentHasher& ContentHasher::add(std::string_view part) {
    joined_ += content_hash(part);
    return *this;
}

std::string ContentHasher::digest() const { return content_hash(joined_); }

}  // namespace warpwright
