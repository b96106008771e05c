// Random values are a function of the seed, the buffer's name and the element's index (splitmix64), and of nothing
// else: so a buffer is the same whoever fills it, in whatever pieces and on however many threads.
#include "values/contents.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "values/npy.hpp"

namespace warpwright::values {
namespace {

std::uint64_t splitmix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/// The seed of a buffer's random values. It is FNV-1a, not the hash of support/content_hash.hpp: whatever was measured
/// and recorded with random values holds for these.
std::uint64_t seed_of(std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
}

std::optional<double> number(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The text between "name(" and ")".
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
    if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
    text.remove_prefix(name.size());
    if (text.size() < 2 || text.front() != '(') return std::nullopt;
    return text.substr(1, text.size() - 2);
}

void default_range(Element element, double& low, double& high) {
    if (is_floating(element)) {
        low = -1, high = 1;
        return;
    }
    high = element_size(element) == 1 ? 100 : 1000;
    low = is_signed(element) ? -high : 0;
}

/// Which of the six pairs of four elements is kept.
bool pruned(std::uint64_t key, std::uint64_t index) {
    constexpr unsigned kPairs[6] = {0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100};
    const std::uint64_t pair = splitmix(~key + index / 4) % 6;
    return !(kPairs[pair] >> (index % 4) & 1);
}

/// Blocks of random values of the floating types: the same values as random_value's, without its long double.
void random_floats(const Contents& contents, Element element, std::uint64_t key, std::uint64_t begin,
                   std::uint64_t count, std::byte* out) {
    const double a = contents.low.value_or(-1), b = contents.high.value_or(1);
    const bool wide = element == Element::f64;
    const unsigned size = element_size(element);
    constexpr std::uint64_t kBlock = 1024;
    double values[kBlock];
    for (std::uint64_t at = 0; at < count; at += kBlock) {
        const std::uint64_t n = std::min(kBlock, count - at);
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::uint64_t bits = splitmix(key + begin + at + i);
            const double unit = wide ? static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53
                                     : static_cast<double>(static_cast<std::int64_t>(bits >> 40)) * 0x1p-24;
            const double value = a + (b - a) * unit;
            values[i] = value < b || a == b ? value : a;
        }
        if (contents.kind == Contents::Kind::random_2_4)
            for (std::uint64_t i = 0; i < n; ++i)
                if (pruned(key, begin + at + i)) values[i] = 0;
        store_doubles(element, values, n, out + at * size);
    }
}

template <class T>
void random_integers(std::int64_t first, std::uint64_t span, std::uint64_t key, std::uint64_t begin,
                     std::uint64_t count, std::byte* out) {
    for (std::uint64_t i = 0; i < count; ++i) {
        // The high half of the product, by parts: span is below 2^32.
        const std::uint64_t bits = splitmix(key + begin + i);
        const std::uint64_t offset = (span * (bits >> 32) + (span * (bits & 0xffffffff) >> 32)) >> 32;
        const auto value = static_cast<T>(first + static_cast<std::int64_t>(offset));
        std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

/// The elements [begin, begin + count), on this thread.
void fill_piece(const Contents& contents, Element element, std::string_view name, std::uint64_t seed,
                std::uint64_t begin, std::uint64_t count, std::byte* out) {
    const unsigned size = element_size(element);
    const bool sparse = contents.kind == Contents::Kind::random_2_4;
    if (contents.kind == Contents::Kind::random || sparse) {
        const std::uint64_t key = splitmix(seed ^ seed_of(name));
        if (is_floating(element)) return random_floats(contents, element, key, begin, count, out);
        double a, b;
        default_range(element, a, b);
        a = std::ceil(contents.low.value_or(a)), b = std::floor(contents.high.value_or(b));
        if (!sparse && a <= b && std::fabs(a) < 0x1p30 && std::fabs(b) < 0x1p30) {
            const auto first = static_cast<std::int64_t>(a);
            const auto span = static_cast<std::uint64_t>(b - a) + 1;
            if (size == 1) return random_integers<std::uint8_t>(first, span, key, begin, count, out);
            if (size == 2) return random_integers<std::uint16_t>(first, span, key, begin, count, out);
            if (size == 4) return random_integers<std::uint32_t>(first, span, key, begin, count, out);
            return random_integers<std::uint64_t>(first, span, key, begin, count, out);
        }
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        long double value = 0;
        switch (contents.kind) {
            case Contents::Kind::ones:
                value = 1;
                break;
            case Contents::Kind::constant:
                value = contents.value;
                break;
            case Contents::Kind::iota:
                value = static_cast<long double>(begin + i);
                break;
            default:
                if (sparse && pruned_2_4(seed, name, begin + i)) break;
                value = random_value(element, seed, name, begin + i, contents.low, contents.high);
                break;
        }
        store_element(element, out + i * size, value);
    }
}

}  // namespace

Result<Contents> parse_contents(std::string_view text, Location where) {
    Contents c;
    auto bad = [&](std::string what) {
        return Error{ErrorKind::usage, std::move(what), where,
                     "contents are zero, ones, const(v), iota, random, random(a,b), random_2_4 or file:path"};
    };
    if (text == "zero") return c;
    if (text == "ones") return c.kind = Contents::Kind::ones, c;
    if (text == "iota") return c.kind = Contents::Kind::iota, c;
    if (text == "random") return c.kind = Contents::Kind::random, c;
    if (text == "random_2_4") return c.kind = Contents::Kind::random_2_4, c;
    if (auto v = inside(text, "const")) {
        auto value = number(*v);
        if (!value) return bad("'" + std::string(*v) + "' in '" + std::string(text) + "' is not a number");
        c.kind = Contents::Kind::constant;
        c.value = *value;
        return c;
    }
    if (auto v = inside(text, "random")) {
        auto comma = v->find(',');
        if (comma == std::string_view::npos) return bad("'" + std::string(text) + "' needs two bounds");
        c.low = number(v->substr(0, comma));
        c.high = number(v->substr(comma + 1));
        if (!c.low || !c.high) return bad("a bound in '" + std::string(text) + "' is not a number");
        if (!std::isfinite(*c.low) || !std::isfinite(*c.high) || *c.low > *c.high)
            return bad("the bounds in '" + std::string(text) + "' are not finite or in the wrong order");
        c.kind = Contents::Kind::random;
        return c;
    }
    if (text.starts_with("file:") && text.size() > 5) {
        c.kind = Contents::Kind::file;
        c.path = text.substr(5);
        return c;
    }
    return bad("'" + std::string(text) + "' does not say what the buffer holds");
}

long double random_value(Element element, std::uint64_t seed, std::string_view name, std::uint64_t index,
                         std::optional<double> low, std::optional<double> high) {
    double a, b;
    default_range(element, a, b);
    a = low.value_or(a);
    b = high.value_or(b);
    std::uint64_t bits = splitmix(splitmix(seed ^ seed_of(name)) + index);
    if (is_floating(element)) {
        double unit = element == Element::f64 ? static_cast<double>(bits >> 11) * 0x1p-53
                                              : static_cast<double>(bits >> 40) * 0x1p-24;
        double value = a + (b - a) * unit;
        return value < b || a == b ? value : a;
    }
    auto first = static_cast<__int128>(std::ceil(a)), last = static_cast<__int128>(std::floor(b));
    if (last < first) return static_cast<long double>(first);
    auto span = static_cast<unsigned __int128>(last - first) + 1;
    return static_cast<long double>(first + static_cast<__int128>(span * bits >> 64));
}

bool pruned_2_4(std::uint64_t seed, std::string_view name, std::uint64_t index) {
    return pruned(splitmix(seed ^ seed_of(name)), index);
}

void fill_contents(const Contents& contents, Element element, std::string_view name, std::uint64_t seed,
                   std::uint64_t begin, std::span<std::byte> out) {
    if (contents.kind == Contents::Kind::zero) {
        std::memset(out.data(), 0, out.size());
        return;
    }
    const unsigned size = element_size(element);
    const std::uint64_t count = out.size() / size;
    const auto piece = [&](std::uint64_t from, std::uint64_t to) {
        fill_piece(contents, element, name, seed, begin + from, to - from, out.data() + from * size);
    };
    constexpr std::uint64_t kPiece = 1 << 16;
    if (count <= kPiece) return piece(0, count);
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, kPiece),
                      [&](const auto& range) { piece(range.begin(), range.end()); });
}

Result<std::uint64_t> buffer_bytes(Element element, std::uint64_t count, std::string_view name) {
    unsigned size = element_size(element);
    if (count > (std::uint64_t{1} << 40) / size)
        return Error{
            ErrorKind::limit,
            "the buffer '" + std::string(name) + "' would have " + std::to_string(count) + " elements, over 1 TiB",
            {},
            ""};
    return count * size;
}

Result<std::vector<std::byte>> make_contents(const Contents& contents, Element element, std::uint64_t count,
                                             std::string_view name, std::uint64_t seed) {
    auto size = buffer_bytes(element, count, name);
    if (!size) return std::move(size).error();
    if (contents.kind == Contents::Kind::file) return read_buffer_file(contents.path, element, count);
    std::vector<std::byte> bytes;
    try {
        bytes.resize(*size);
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::limit,
                     "no memory for the buffer '" + std::string(name) + "' of " + std::to_string(*size) + " bytes",
                     Location{}, ""};
    }
    fill_contents(contents, element, name, seed, 0, bytes);
    return bytes;
}

}  // namespace warpwright::values
