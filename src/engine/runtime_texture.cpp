// Texture fetches and surface accesses, lane by lane.
#include "engine/texture.hpp"

#include <cmath>
#include <cstring>

#include "engine/async_op.hpp"
#include "engine/half_number.hpp"

namespace warpwright::engine {
namespace {

using ptx::Mod;
using ptx::Op;
using Kind = TextureState::Kind;
using Address = TextureState::Address;

float as_float(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    float f;
    std::memcpy(&f, &low, 4);
    return f;
}

std::uint32_t as_bits(float f) {
    std::uint32_t b;
    std::memcpy(&b, &f, 4);
    return b;
}

/// The descriptor of a handle, or null.
const TextureState* state_of(BlockContext* c, std::uint64_t handle) {
    auto a = c->executor->launch.memory->find(handle);
    if (!a || a->address != handle || a->bytes < sizeof(TextureState)) return nullptr;
    auto* t = reinterpret_cast<const TextureState*>(handle);
    return t->magic == TextureState::kMagic ? t : nullptr;
}

/// Place of an element along one dimension; -1: outside, where the border's colour is read.
std::int64_t place(std::int64_t i, std::uint32_t extent, Address mode) {
    const auto n = static_cast<std::int64_t>(extent);
    switch (mode) {
        case Address::clamp: return std::min(std::max<std::int64_t>(i, 0), n - 1);
        case Address::border: return i < 0 || i >= n ? -1 : i;
        case Address::wrap: return ((i % n) + n) % n;
        case Address::mirror: {
            const auto m = ((i % (2 * n)) + 2 * n) % (2 * n);
            return m < n ? m : 2 * n - 1 - m;
        }
    }
    return -1;
}

struct Texel {
    float real[4];
    std::uint32_t bits[4];  ///< as an integer texture gives it
};

/// One channel as stored.
std::uint32_t channel(const TextureState& t, const std::uint8_t* at, unsigned k) {
    const auto* p = at + k * t.bits / 8;
    if (t.bits == 8) return t.kind == Kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int8_t>(*p)) : *p;
    if (t.bits == 16) {
        std::uint16_t v;
        std::memcpy(&v, p, 2);
        return t.kind == Kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int16_t>(v)) : v;
    }
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}

float number(const TextureState& t, std::uint32_t raw) {
    if (t.kind == Kind::real) return t.bits == 16 ? half::to_float(static_cast<std::uint16_t>(raw)) : as_float(raw);
    if (!t.normalized_floats) return as_float(raw);
    if (t.kind == Kind::unsigned_integer) return static_cast<float>(raw) / (t.bits == 8 ? 255.0f : 65535.0f);
    return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(raw)) / (t.bits == 8 ? 127.0f : 32767.0f));
}

Texel texel(const TextureState& t, std::int64_t x, std::int64_t y, std::int64_t z) {
    Texel out;
    const bool outside = x < 0 || y < 0 || z < 0;
    const auto* at = outside ? nullptr
                             : reinterpret_cast<const std::uint8_t*>(t.data) + static_cast<std::uint64_t>(z) * t.slice +
                                   static_cast<std::uint64_t>(y) * t.pitch + static_cast<std::uint64_t>(x) * t.element();
    for (unsigned k = 0; k < 4; ++k) {
        if (outside) {
            out.real[k] = t.border[k];
            out.bits[k] = as_bits(t.border[k]);
        } else if (k < t.channels) {
            const auto raw = channel(t, at, k);
            out.real[k] = number(t, raw);
            out.bits[k] = t.kind == Kind::real || t.normalized_floats ? as_bits(out.real[k]) : raw;
        } else {
            out.real[k] = k == 3 ? 1.0f : 0.0f;
            out.bits[k] = k == 3 ? (t.kind == Kind::real || t.normalized_floats ? as_bits(1.0f) : 1u) : 0u;
        }
    }
    return out;
}

/// Weights have 8 bits after the point.
float weight(float fraction) { return std::floor(fraction * 256.0f + 0.5f) / 256.0f; }

struct Sample {
    float at[3] = {0, 0, 0};
    unsigned dimensions = 1;
    std::uint32_t layer = 0;
    bool layered = false;
};

void fetch(const TextureState& t, const Sample& s, std::uint32_t (&out)[4]) {
    const std::uint32_t extent[3] = {t.width, t.height, s.layered ? 1 : t.depth};
    float x[3];
    Address mode[3];
    for (unsigned d = 0; d < 3; ++d) {
        mode[d] = t.address[d];
        // Wrapping and mirroring are for coordinates from 0 to 1.
        if (!t.normalized_coordinates && (mode[d] == Address::wrap || mode[d] == Address::mirror)) mode[d] = Address::clamp;
        x[d] = d < s.dimensions ? (t.normalized_coordinates ? s.at[d] * static_cast<float>(extent[d]) : s.at[d]) : 0;
        // What no integer can hold is as far outside as can be.
        x[d] = std::isnan(x[d]) ? 0 : std::min(std::max(x[d], -1e9f), 1e9f);
    }
    auto read = [&](const std::int64_t (&i)[3]) {
        std::int64_t p[3];
        for (unsigned d = 0; d < 3; ++d) p[d] = d < s.dimensions ? place(i[d], extent[d], mode[d]) : 0;
        if (s.layered) p[2] = std::min(s.layer, t.depth ? t.depth - 1 : 0);
        return texel(t, p[0], p[1], p[2]);
    };
    std::int64_t base[3] = {0, 0, 0};
    if (!t.linear || !(t.kind == Kind::real || t.normalized_floats)) {
        for (unsigned d = 0; d < s.dimensions; ++d) base[d] = static_cast<std::int64_t>(std::floor(x[d]));
        const auto v = read(base);
        std::memcpy(out, v.bits, sizeof v.bits);
        return;
    }
    float w[3] = {0, 0, 0};
    for (unsigned d = 0; d < s.dimensions; ++d) {
        const float shifted = x[d] - 0.5f, floor = std::floor(shifted);
        base[d] = static_cast<std::int64_t>(floor);
        w[d] = weight(shifted - floor);
    }
    float sum[4] = {0, 0, 0, 0};
    for (unsigned corner = 0; corner < 1u << s.dimensions; ++corner) {
        std::int64_t i[3] = {base[0], base[1], base[2]};
        float share = 1;
        for (unsigned d = 0; d < s.dimensions; ++d) {
            const bool high = corner >> d & 1;
            i[d] += high;
            share *= high ? w[d] : 1 - w[d];
        }
        if (share == 0) continue;
        const auto v = read(i);
        for (unsigned k = 0; k < 4; ++k) sum[k] += share * v.real[k];
    }
    for (unsigned k = 0; k < 4; ++k) out[k] = as_bits(sum[k]);
}

}  // namespace

bool run_texture(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in, std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& i = *form.ptx;
    const bool integers = i.type(1) == ptx::Type::s32 || i.type(1) == ptx::Type::u32;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        auto get = [&](unsigned k) { return in[k * lanes + l]; };
        const auto* t = state_of(c, get(0));
        if (!t) return async_fault(c, f, form, l, "its texture object is none");
        Sample s;
        s.layered = i.has(Mod::a1d) || i.has(Mod::a2d);
        s.dimensions = form.dimensions;
        unsigned next = 2;
        if (s.layered) s.layer = static_cast<std::uint32_t>(get(next++));
        std::uint32_t v[4];
        if (integers) {
            // Whole elements: linear memory, or an array without filtering; nothing outside.
            std::int64_t x[3] = {0, 0, 0};
            const std::uint32_t extent[3] = {t->width, t->height, t->depth};
            bool outside = false;
            for (unsigned d = 0; d < s.dimensions; ++d) {
                x[d] = static_cast<std::int32_t>(get(next + d));
                outside |= x[d] < 0 || x[d] >= static_cast<std::int64_t>(extent[d]);
            }
            if (s.layered) x[2] = s.layer;
            const auto e = outside ? Texel{} : texel(*t, x[0], x[1], x[2]);
            std::memcpy(v, e.bits, sizeof v);
        } else {
            for (unsigned d = 0; d < s.dimensions; ++d) s.at[d] = as_float(get(next + d));
            if (i.op == Op::tld4) {
                // One channel of the four elements that linear filtering would take, counter-clockwise from the lower left.
                const unsigned which = i.has(Mod::r) ? 0 : i.has(Mod::g) ? 1 : i.has(Mod::b) ? 2 : 3;
                TextureState nearest = *t;
                nearest.linear = false;
                const float sx = t->normalized_coordinates ? 1.0f / static_cast<float>(t->width) : 1.0f;
                const float sy = t->normalized_coordinates ? 1.0f / static_cast<float>(t->height) : 1.0f;
                const float dx[4] = {-0.5f, 0.5f, 0.5f, -0.5f}, dy[4] = {0.5f, 0.5f, -0.5f, -0.5f};
                for (unsigned k = 0; k < 4; ++k) {
                    Sample one = s;
                    one.at[0] += dx[k] * sx, one.at[1] += dy[k] * sy;
                    std::uint32_t e[4];
                    fetch(nearest, one, e);
                    v[k] = e[which];
                }
            } else {
                fetch(*t, s, v);
            }
        }
        for (unsigned k = 0; k < 4; ++k) out[k * lanes + l] = v[k];
    }
    return true;
}

bool run_surface(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in, std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& i = *form.ptx;
    const bool store = i.op == Op::sust, layered = i.has(Mod::a1d) || i.has(Mod::a2d);
    const unsigned count = form.values, bytes = form.element_bytes;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        auto get = [&](unsigned k) { return in[k * lanes + l]; };
        const auto* t = state_of(c, get(0));
        if (!t || !t->surface) return async_fault(c, f, form, l, "its surface object is none");
        unsigned next = 2;
        std::int64_t x[3] = {0, 0, 0};
        if (layered) x[2] = static_cast<std::int32_t>(get(next++));
        for (unsigned d = 0; d < form.dimensions; ++d) x[d] = static_cast<std::int32_t>(get(next + d));
        // The first coordinate counts bytes.
        const std::int64_t wide = static_cast<std::int64_t>(count) * bytes, row = static_cast<std::int64_t>(t->width) * t->element();
        const std::int64_t last[3] = {row - wide, static_cast<std::int64_t>(t->height) - 1, static_cast<std::int64_t>(t->depth) - 1};
        bool outside = false;
        for (unsigned d = 0; d < 3; ++d) outside |= x[d] < 0 || x[d] > last[d];
        if (outside && i.has(Mod::trap_))
            return async_fault(c, f, form, l, "its place (" + std::to_string(x[0]) + " bytes, " + std::to_string(x[1]) + ", " + std::to_string(x[2]) +
                                                  ") is outside the surface of " + std::to_string(row) + " bytes x " + std::to_string(t->height) +
                                                  " x " + std::to_string(t->depth));
        if (outside && i.has(Mod::clamp)) {
            for (unsigned d = 0; d < 3; ++d) x[d] = std::min(std::max<std::int64_t>(x[d], 0), std::max<std::int64_t>(last[d], 0));
            outside = false;
        }
        auto* at = reinterpret_cast<std::uint8_t*>(t->data) + static_cast<std::uint64_t>(x[2]) * t->slice +
                   static_cast<std::uint64_t>(x[1]) * t->pitch + static_cast<std::uint64_t>(x[0]);
        for (unsigned k = 0; k < count; ++k) {
            if (store) {
                const auto v = get(form.first_value + k);
                if (!outside) std::memcpy(at + k * bytes, &v, bytes);
            } else {
                std::uint64_t v = 0;
                if (!outside) std::memcpy(&v, at + k * bytes, bytes);
                out[k * lanes + l] = v;
            }
        }
    }
    return true;
}

bool run_texture_query(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in, std::uint64_t* out) {
    const auto& i = *form.ptx;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto* t = state_of(c, in[l]);
        if (!t) return async_fault(c, f, form, l, "its texture or surface object is none");
        out[l] = i.has(Mod::width) ? t->width : i.has(Mod::height) ? t->height : i.has(Mod::depth) || i.has(Mod::array_size) ? t->depth : 0;
    }
    return true;
}

}  // namespace warpwright::engine
