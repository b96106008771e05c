// Inputs made wrong in the ways that files go wrong, the same ones every time: bits turned, parts cut, doubled, moved
// and exchanged for what parsers stumble over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace warpwright::test {

class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    std::string operator()(std::string text) {
        const unsigned changes = 1 + below(4);
        for (unsigned i = 0; i < changes; ++i) change(text);
        return text;
    }

private:
    std::uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }
    unsigned below(std::size_t n) { return n == 0 ? 0 : static_cast<unsigned>((next() >> 33) % n); }

    void change(std::string& text) {
        static constexpr std::string_view kStumbles[] = {"1e400",
                                                         "-1",
                                                         "0",
                                                         "18446744073709551616",
                                                         "9223372036854775807",
                                                         "nan",
                                                         "\"",
                                                         "[",
                                                         "]]",
                                                         "{",
                                                         "}",
                                                         "(",
                                                         "((((",
                                                         "\n",
                                                         "\\",
                                                         "\xff\xfe",
                                                         "/*",
                                                         "//",
                                                         "null",
                                                         "true",
                                                         "%",
                                                         "..",
                                                         "1e-400",
                                                         "-9223372036854775808",
                                                         "\t",
                                                         ",,",
                                                         "=",
                                                         "\xf0\x9f\x92\xa9",
                                                         "/dev/zero",
                                                         "2147483648",
                                                         "4294967295",
                                                         "0x",
                                                         "'",
                                                         ";"};
        const std::size_t at = below(text.size() + 1);
        const std::size_t length =
            text.empty() ? 0 : 1 + below(std::min<std::size_t>(text.size() - std::min(at, text.size() - 1), 64));
        switch (below(8)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                return;
            case 1:
                text.resize(at);
                return;
            case 2:
                if (at < text.size()) text.erase(at, length);
                return;
            case 3:
                if (at < text.size()) text.insert(below(text.size() + 1), text.substr(at, length));
                return;
            case 4:
                text.insert(at, kStumbles[below(std::size(kStumbles))]);
                return;
            case 5:
                if (at < text.size()) text.replace(at, length, kStumbles[below(std::size(kStumbles))]);
                return;
            case 6:
                if (at < text.size()) text[at] = static_cast<char>(next());
                return;
            default:
                for (std::size_t i = at; i < text.size() && i < at + 4; ++i) text[i] = below(2) ? '\xff' : '\0';
                return;
        }
    }

    std::uint64_t state_;
};

}  // namespace warpwright::test
