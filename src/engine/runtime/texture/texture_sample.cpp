// How a place in a texture is read: levels, cube faces, address modes, filters, formats.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/runtime/half_number.hpp"
#include "engine/runtime/texture/texture.hpp"
#include "engine/runtime/texture/touched_texels.hpp"

namespace warpwright::engine {
namespace {

using Kind = TextureState::Kind;
using Address = TextureState::Address;

float as_float(std::uint32_t bits) {
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}

std::uint32_t as_bits(float f) {
    std::uint32_t b;
    std::memcpy(&b, &f, 4);
    return b;
}

/// Place of an element along one dimension; -1: outside, where the border's colour is read.
std::int64_t place(std::int64_t i, std::uint32_t extent, Address mode) {
    const auto n = static_cast<std::int64_t>(extent);
    if (n == 0) return -1;
    switch (mode) {
        case Address::clamp:
            return std::min(std::max<std::int64_t>(i, 0), n - 1);
        case Address::border:
            return i < 0 || i >= n ? -1 : i;
        case Address::wrap:
            return ((i % n) + n) % n;
        case Address::mirror: {
            const auto m = ((i % (2 * n)) + 2 * n) % (2 * n);
            return m < n ? m : 2 * n - 1 - m;
        }
    }
    return -1;
}

struct Texel {
    float real[4] = {0, 0, 0, 0};
    std::uint32_t bits[4] = {0, 0, 0, 0};  ///< as an integer texture gives it
};

/// One channel as stored.
std::uint32_t channel(const TextureState& t, const std::uint8_t* at, unsigned k) {
    if (t.packed) {
        std::uint32_t word;
        std::memcpy(&word, at, 4);
        return word >> 10 * k & (k == 3 ? 0x3u : 0x3ffu);
    }
    const auto* p = at + k * t.bits / 8;
    if (t.bits == 8)
        return t.kind == Kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int8_t>(*p)) : *p;
    if (t.bits == 16) {
        std::uint16_t v;
        std::memcpy(&v, p, 2);
        return t.kind == Kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int16_t>(v)) : v;
    }
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}

/// The linear value of an sRGB value (IEC 61966-2-1).
float linear_light(float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); }

float number(const TextureState& t, std::uint32_t raw, unsigned k) {
    if (t.kind == Kind::real) return t.bits == 16 ? half::to_float(static_cast<std::uint16_t>(raw)) : as_float(raw);
    if (!t.normalized_floats) return as_float(raw);
    if (t.packed) return static_cast<float>(raw) / (k == 3 ? 3.0f : 1023.0f);
    if (t.kind == Kind::signed_integer)
        return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(raw)) / (t.bits == 8 ? 127.0f : 32767.0f));
    const float c = static_cast<float>(raw) / (t.bits == 8 ? 255.0f : 65535.0f);
    return t.srgb && t.bits == 8 && k < 3 ? linear_light(c) : c;
}

Texel border(const TextureState& t) {
    Texel out;
    for (unsigned k = 0; k < 4; ++k) out.real[k] = t.border[k], out.bits[k] = as_bits(t.border[k]);
    return out;
}

Texel texel(const TextureState& t, const TextureLevel& level, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x < 0 || y < 0 || z < 0) return border(t);
    Texel out;
    const auto* at = reinterpret_cast<const std::uint8_t*>(level.data) + static_cast<std::uint64_t>(z) * level.slice +
                     static_cast<std::uint64_t>(y) * level.pitch + static_cast<std::uint64_t>(x) * t.element();
    for (unsigned k = 0; k < 4; ++k) {
        if (k < t.channels) {
            const auto raw = channel(t, at, k);
            out.real[k] = number(t, raw, k);
            out.bits[k] = t.numbers() ? as_bits(out.real[k]) : raw;
        } else {
            out.real[k] = k == 3 ? 1.0f : 0.0f;
            out.bits[k] = k == 3 ? (t.numbers() ? as_bits(1.0f) : 1u) : 0u;
        }
    }
    return out;
}

/// Weights have 8 bits after the point.
float weight(float fraction) { return std::floor(fraction * 256.0f + 0.5f) / 256.0f; }

/// Which of a direction's coordinates s and t run along, and whether backwards, for each face (Programming Guide,
/// "Cubemap Textures"): s and t are these divided by the coordinate along `face / 2`, all with their signs.
struct Axes {
    unsigned s, t;
    bool s_back, t_back;
};
constexpr Axes kFace[6] = {{2, 1, true, true},  {2, 1, false, true}, {0, 2, false, false},
                           {0, 2, false, true}, {0, 1, false, true}, {0, 1, true, true}};

/// The element beside a face: it lies on the neighbouring one. Whole numbers all along: with the cube's half edge n,
/// the element i of a row has its middle at 2 i + 1 - n. False where three faces meet, and there is no such element.
bool over_edge(std::int64_t n, unsigned& face, std::int64_t& x, std::int64_t& y) {
    const bool out_x = x < 0 || x >= n, out_y = y < 0 || y >= n;
    if (!out_x && !out_y) return true;
    if (out_x && out_y) return false;
    const auto& from = kFace[face];
    std::int64_t d[3];
    const std::int64_t s = 2 * x + 1 - n, t = 2 * y + 1 - n, out = out_x ? s : t;
    const unsigned axis = out_x ? from.s : from.t;
    d[face / 2] = face % 2 ? -n : n;
    d[from.s] = from.s_back ? -s : s;
    d[from.t] = from.t_back ? -t : t;
    // Past the edge, the axis the face stood on runs along the neighbour, from its edge inwards.
    const std::int64_t beyond = (out < 0 ? -out : out) - n;
    d[face / 2] = face % 2 ? -(n - beyond) : n - beyond;
    const bool negative = d[axis] < 0;
    face = 2 * axis + (negative ? 1 : 0);
    const auto& to = kFace[face];
    x = ((to.s_back ? -d[to.s] : d[to.s]) + n - 1) / 2;
    y = ((to.t_back ? -d[to.t] : d[to.t]) + n - 1) / 2;
    return true;
}

/// A fetch in one level: the places of its elements.
struct Spot {
    const TextureState& t;
    const TextureLevel& level;
    unsigned dimensions;
    std::uint32_t extent[3];
    Address mode[3];
    float x[3] = {0, 0, 0};   ///< in elements
    std::int64_t layer = -1;  ///< or -1: z is the third coordinate
    int face = -1;
    bool seamless = false;
    std::int32_t shift[3] = {0, 0, 0};
    TouchedTexels* touched;

    Spot(const TextureState& texture, const TextureLevel& at, const TexturePoint& p)
        : t(texture),
          level(at),
          dimensions(p.cube ? 2 : p.dimensions),
          extent{at.width, at.height, at.depth},
          touched(p.touched) {
        float given[3] = {p.at[0], p.at[1], p.at[2]};
        const auto layers = static_cast<std::int64_t>(p.cube ? at.depth / 6 : at.depth);
        if (p.layered) layer = std::min<std::int64_t>(p.layer, std::max<std::int64_t>(layers, 1) - 1);
        if (p.cube) {
            const auto c = cube_place(p.at);
            given[0] = c.s, given[1] = c.t;
            face = static_cast<int>(c.face);
            seamless = t.seamless;
            layer = (layer < 0 ? 0 : layer) * 6;
        }
        const bool normalized = t.normalized_coordinates || p.cube;
        for (unsigned d = 0; d < 3; ++d) {
            shift[d] = p.shift[d];
            mode[d] = t.address[d];
            // Wrapping and mirroring are for coordinates from 0 to 1.
            if (!normalized && (mode[d] == Address::wrap || mode[d] == Address::mirror)) mode[d] = Address::clamp;
            if (seamless) mode[d] = Address::clamp;
            if (d >= dimensions) continue;
            x[d] = normalized ? given[d] * static_cast<float>(extent[d]) : given[d];
            // A coordinate that no integer can hold is as far outside as possible.
            x[d] = std::isnan(x[d]) ? 0 : std::min(std::max(x[d], -1e9f), 1e9f);
        }
    }

    Texel read(const std::int64_t (&i)[3]) const {
        std::int64_t p[3] = {0, 0, 0};
        for (unsigned d = 0; d < dimensions; ++d) p[d] = i[d] + shift[d];
        auto at_face = static_cast<unsigned>(face < 0 ? 0 : face);
        if (seamless && !over_edge(extent[0], at_face, p[0], p[1])) return corner(p[0], p[1]);
        for (unsigned d = 0; d < dimensions; ++d) p[d] = place(p[d], extent[d], mode[d]);
        if (layer >= 0) p[2] = layer + (face < 0 ? 0 : at_face);
        if (touched) touched->note(t, level, p[0], p[1], p[2]);
        return texel(t, level, p[0], p[1], p[2]);
    }

    /// Where three faces meet, the mean of their elements replaces the missing fourth.
    Texel corner(std::int64_t x0, std::int64_t y0) const {
        const std::int64_t n = extent[0], cx = x0 < 0 ? 0 : n - 1, cy = y0 < 0 ? 0 : n - 1;
        const std::int64_t three[3][2] = {{cx, cy}, {x0, cy}, {cx, y0}};
        Texel sum;
        for (const auto& one : three) {
            auto px = one[0], py = one[1];
            auto f = static_cast<unsigned>(face);
            over_edge(n, f, px, py);
            const auto v = texel(t, level, px, py, layer + f);
            for (unsigned k = 0; k < 4; ++k) sum.real[k] += v.real[k] / 3.0f;
            std::memcpy(sum.bits, v.bits, sizeof v.bits);
        }
        if (t.numbers())
            for (unsigned k = 0; k < 4; ++k) sum.bits[k] = as_bits(sum.real[k]);
        return sum;
    }

    bool filters() const { return t.linear && t.numbers(); }

    /// Base elements and weights of linear filtering.
    void between(std::int64_t (&base)[3], float (&w)[3]) const {
        for (unsigned d = 0; d < dimensions; ++d) {
            const float shifted = x[d] - 0.5f, floor = std::floor(shifted);
            base[d] = static_cast<std::int64_t>(floor);
            w[d] = weight(shifted - floor);
        }
    }

    Texel fetch() const {
        if (touched) touched->sample(filters() && dimensions == 3 ? 2 : 1);
        std::int64_t base[3] = {0, 0, 0};
        if (!filters()) {
            for (unsigned d = 0; d < dimensions; ++d) {
                base[d] = static_cast<std::int64_t>(std::floor(x[d]));
                // A direction into a face's far edge is still on that face.
                if (face >= 0) base[d] = std::min<std::int64_t>(std::max<std::int64_t>(base[d], 0), extent[d] - 1);
            }
            return read(base);
        }
        float w[3] = {0, 0, 0};
        between(base, w);
        Texel sum;
        for (unsigned corner_of = 0; corner_of < 1u << dimensions; ++corner_of) {
            std::int64_t i[3] = {base[0], base[1], base[2]};
            float share = 1;
            for (unsigned d = 0; d < dimensions; ++d) {
                const bool high = corner_of >> d & 1;
                i[d] += high;
                share *= high ? w[d] : 1 - w[d];
            }
            if (share == 0) continue;
            const auto v = read(i);
            for (unsigned k = 0; k < 4; ++k) sum.real[k] += share * v.real[k];
        }
        for (unsigned k = 0; k < 4; ++k) sum.bits[k] = as_bits(sum.real[k]);
        return sum;
    }
};

/// Squares of the lengths of both gradients, in elements of the first level.
void spread(const TextureState& t, const TexturePoint& p, float (&square)[2]) {
    const std::uint32_t extent[3] = {t.level[0].width, t.level[0].height, t.level[0].depth};
    const float* gradient[2] = {p.across, p.down};
    for (unsigned g = 0; g < 2; ++g) {
        square[g] = 0;
        if (p.cube) {
            // s = (a / |m| + 1) / 2 on the face: by the quotient's derivative.
            const auto face = cube_place(p.at).face;
            const unsigned along[2] = {kFace[face].s, kFace[face].t};
            const float m = std::fabs(p.at[face / 2]), dm = face % 2 ? -gradient[g][face / 2] : gradient[g][face / 2];
            for (const auto a : along) {
                const float ds = (gradient[g][a] * m - p.at[a] * dm) / (2 * m * m) * static_cast<float>(extent[0]);
                square[g] += ds * ds;
            }
            continue;
        }
        for (unsigned d = 0; d < p.dimensions; ++d) {
            const float ds = gradient[g][d] * (t.normalized_coordinates ? static_cast<float>(extent[d]) : 1.0f);
            square[g] += ds * ds;
        }
    }
}

/// How many samples a fetch with gradients takes along the longer one.
unsigned samples(const TextureState& t, const TexturePoint& p) {
    if (p.mode != TexturePoint::Level::gradients || t.anisotropy <= 1 || !t.linear || p.cube || p.dimensions != 2)
        return 1;
    float square[2];
    spread(t, p, square);
    const float longer = std::sqrt(std::max(square[0], square[1])), shorter = std::sqrt(std::min(square[0], square[1]));
    if (!(longer > 0)) return 1;
    const float ratio = shorter > 0 ? std::ceil(longer / shorter) : 16.0f;
    return static_cast<unsigned>(std::min(ratio, static_cast<float>(t.anisotropy)));
}

Texel at_levels(const TextureState& t, const TexturePoint& p, float level) {
    const auto last = static_cast<float>(t.levels - 1);
    if (!t.mip_linear || t.levels == 1 || !t.numbers()) {
        const auto nearest = static_cast<unsigned>(std::min(std::floor(level + 0.5f), last));
        return Spot(t, t.level[nearest], p).fetch();
    }
    const float lower = std::min(std::floor(level), last), w = weight(std::min(level, last) - lower);
    const auto first = static_cast<unsigned>(lower);
    auto out = Spot(t, t.level[first], p).fetch();
    if (w == 0 || first >= t.levels - 1) return out;
    const auto next = Spot(t, t.level[first + 1], p).fetch();
    for (unsigned k = 0; k < 4; ++k) {
        out.real[k] = (1 - w) * out.real[k] + w * next.real[k];
        out.bits[k] = as_bits(out.real[k]);
    }
    return out;
}

}  // namespace

CubePlace cube_place(const float (&d)[3]) {
    const float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
    const unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    CubePlace out;
    out.face = 2 * axis + (std::signbit(d[axis]) ? 1 : 0);
    const auto& a = kFace[out.face];
    const float m = std::fabs(d[axis]);
    out.s = ((a.s_back ? -d[a.s] : d[a.s]) / m + 1) / 2;
    out.t = ((a.t_back ? -d[a.t] : d[a.t]) / m + 1) / 2;
    return out;
}

float texture_level(const TextureState& t, const TexturePoint& p) {
    float level = 0;
    if (p.mode == TexturePoint::Level::given) level = p.level;
    if (p.mode == TexturePoint::Level::gradients) {
        float square[2];
        spread(t, p, square);
        level = 0.5f * std::log2(std::max(square[0], square[1])) - std::log2(static_cast<float>(samples(t, p)));
    }
    level += t.bias;
    if (std::isnan(level)) level = 0;
    level = std::min(std::max(level, t.least_level), t.most_level);
    return std::min(std::max(level, 0.0f), static_cast<float>(t.levels - 1));
}

void sample_texture(const TextureState& t, const TexturePoint& p, std::uint32_t (&out)[4]) {
    const float level = t.levels > 1 ? texture_level(t, p) : 0;
    const unsigned n = samples(t, p);
    if (n <= 1) {
        std::memcpy(out, at_levels(t, p, level).bits, sizeof out);
        return;
    }
    // Samples along the longer gradient, evenly, and their mean (EXT_texture_filter_anisotropic).
    float square[2], sum[4] = {0, 0, 0, 0};
    spread(t, p, square);
    const float* along = square[0] >= square[1] ? p.across : p.down;
    for (unsigned i = 1; i <= n; ++i) {
        TexturePoint one = p;
        for (unsigned d = 0; d < 2; ++d)
            one.at[d] += along[d] * (static_cast<float>(i) / static_cast<float>(n + 1) - 0.5f);
        const auto v = at_levels(t, one, level);
        for (unsigned k = 0; k < 4; ++k) sum[k] += v.real[k] / static_cast<float>(n);
    }
    for (unsigned k = 0; k < 4; ++k) out[k] = as_bits(sum[k]);
}

void gather_texture(const TextureState& t, const TexturePoint& p, unsigned which, std::uint32_t (&out)[4]) {
    const Spot spot(t, t.level[0], p);
    std::int64_t base[3] = {0, 0, 0};
    float w[3] = {0, 0, 0};
    spot.between(base, w);
    constexpr unsigned dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
    for (unsigned k = 0; k < 4; ++k) out[k] = spot.read({base[0] + dx[k], base[1] + dy[k], 0}).bits[which];
}

void read_element(const TextureState& t, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t level,
                  std::uint32_t (&out)[4], TouchedTexels* touched) {
    std::memset(out, 0, sizeof out);
    if (level < 0 || level >= t.levels) return;
    const auto& l = t.level[level];
    if (x < 0 || y < 0 || z < 0 || x >= l.width || y >= l.height || z >= l.depth) return;
    if (touched) touched->note(t, l, x, y, z);
    std::memcpy(out, texel(t, l, x, y, z).bits, sizeof out);
}

}  // namespace warpwright::engine
