// Texture fetches, surface accesses and queries, lane by lane.
#include <cmath>
#include <cstring>

#include "engine/runtime/apply_atomic.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/grid_work.hpp"
#include "engine/runtime/half_number.hpp"
#include "engine/runtime/texture/texture.hpp"
#include "engine/runtime/texture/texture_table.hpp"
#include "engine/runtime/texture_tracing.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {
namespace {

using simt::Mod;
using simt::Op;
using Kind = TextureState::Kind;

float as_float(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    float f;
    std::memcpy(&f, &low, 4);
    return f;
}

/// The objects that the lanes of one instruction name; mostly all lanes name the same one.
class Handles {
public:
    explicit Handles(BlockContext* c) : c_(c) {}

    /// Null: there is none.
    const TextureState* of(std::uint64_t handle) {
        if (state_ && handle == last_) return state_.get();
        last_ = handle;
        state_ = at(handle);
        if (state_ || freed_) return state_.get();
        // A texture or surface reference is a variable that holds the handle of the object bound to it.
        const auto& memory = *c_->executor->launch.memory;
        if (auto a = memory.find(handle); a && a->address == handle && a->bytes >= 8) {
            std::uint64_t bound = 0;
            std::memcpy(&bound, reinterpret_cast<const void*>(handle), 8);
            state_ = at(bound);
            unbound_ = bound == 0;
        }
        return state_.get();
    }
    bool unbound() const { return unbound_; }
    bool freed() const { return freed_; }

private:
    std::shared_ptr<const TextureState> at(std::uint64_t handle) {
        const auto& launch = c_->executor->launch;
        auto t = launch.work->engine().textures().find(handle);
        freed_ = t && !is_allocated(*t, *launch.memory);
        if (t && !freed_)
            if (const auto data = launch.memory->find(t->level[0].data))
                c_->executor->touched.note(*data, TouchedMemory::kRead);
        return freed_ ? nullptr : t;
    }

    BlockContext* c_;
    std::uint64_t last_ = 0;
    std::shared_ptr<const TextureState> state_;
    bool unbound_ = false, freed_ = false;
};

std::string missing(const Handles& h, const char* what) {
    if (h.freed()) return std::string("the memory behind its ") + what + " object was freed, or is not as large";
    return h.unbound() ? std::string("its ") + what + " reference is bound to nothing"
                       : std::string("its ") + what + " object does not exist";
}

/// Lanes of a mask, one after the other, until one fails.
template <class F>
bool each(std::uint64_t mask, F work) {
    for (auto rest = mask; rest; rest &= rest - 1)
        if (!work(static_cast<unsigned>(__builtin_ctzll(rest)))) return false;
    return true;
}

/// A place on a surface, after its boundary mode was applied.
struct SurfacePlace {
    std::uint8_t* at = nullptr;
    bool outside = false;  ///< .zero: nothing is read or written
};

/// False after recording a fault.
bool surface_place(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const TextureState& t,
                   const std::int64_t (&given)[3], std::int64_t wide, SurfacePlace& out) {
    const auto& l = t.level[0];
    const auto& i = *form.ptx;
    std::int64_t x[3] = {given[0], given[1], given[2]};
    const std::int64_t row = static_cast<std::int64_t>(l.width) * t.element();
    const std::int64_t last[3] = {row - wide, static_cast<std::int64_t>(l.height) - 1,
                                  static_cast<std::int64_t>(l.depth) - 1};
    for (unsigned d = 0; d < 3; ++d) out.outside |= x[d] < 0 || x[d] > last[d];
    if (out.outside && i.has(Mod::clamp)) {
        for (unsigned d = 0; d < 3; ++d)
            x[d] = std::min(std::max<std::int64_t>(x[d], 0), std::max<std::int64_t>(last[d], 0));
        out.outside = wide > row;
    } else if (out.outside && !i.has(Mod::zero)) {
        return async_fault(c, f, form, lane,
                           "its place (" + std::to_string(x[0]) + " bytes, " + std::to_string(x[1]) + ", " +
                               std::to_string(x[2]) + ") is outside the surface of " + std::to_string(row) +
                               " bytes x " + std::to_string(l.height) + " x " + std::to_string(l.depth),
                           Cause::out_of_bounds);
    }
    if (out.outside) return true;
    out.at = reinterpret_cast<std::uint8_t*>(l.data) + static_cast<std::uint64_t>(x[2]) * l.slice +
             static_cast<std::uint64_t>(x[1]) * l.pitch + static_cast<std::uint64_t>(x[0]);
    return true;
}

/// The value of one channel that sust.p writes: 32 bits in the surface's format.
std::uint32_t formatted(const TextureState& t, simt::Type type, std::uint32_t v) {
    if (t.kind == Kind::real) {
        const float x = type == simt::Type::s32   ? static_cast<float>(static_cast<std::int32_t>(v))
                        : type == simt::Type::u32 ? static_cast<float>(v)
                                                  : as_float(v);
        if (t.bits == 16) return half::from_float(x);
        std::uint32_t b;
        std::memcpy(&b, &x, 4);
        return b;
    }
    const bool is_signed = t.kind == Kind::signed_integer;
    std::int64_t x = is_signed || type == simt::Type::s32 ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v);
    if (type == simt::Type::f32) {
        const float given = as_float(v);
        x = std::isnan(given) ? 0 : static_cast<std::int64_t>(std::min(std::max(given, -2147483648.0f), 4294967040.0f));
    }
    const std::int64_t high = (std::int64_t{1} << (t.bits - (is_signed ? 1 : 0))) - 1, low = is_signed ? -high - 1 : 0;
    return static_cast<std::uint32_t>(std::min(std::max(x, low), high));
}

/// OpenCL's numbers for a channel's type and for the set of channels: PTX names no others.
std::uint32_t channel_type(const TextureState& t) {
    if (t.kind == Kind::real) return t.bits == 16 ? 0x10DD : 0x10DE;
    const std::uint32_t step = t.bits == 8 ? 0 : t.bits == 16 ? 1 : 2;
    if (t.normalized_floats) return (t.kind == Kind::signed_integer ? 0x10D0 : 0x10D2) + step;
    return (t.kind == Kind::signed_integer ? 0x10D7 : 0x10DA) + step;
}
std::uint32_t channel_order(const TextureState& t) {
    return t.channels == 4 ? 0x10B5 : t.channels == 2 ? 0x10B2 : 0x10B0;
}

}  // namespace

bool run_texture(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                 std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& i = *form.ptx;
    const bool integers = i.type(1) == simt::Type::s32 || i.type(1) == simt::Type::u32;
    const auto type = i.type();
    Handles handles(c);
    TextureTracing tracing(c, f, form, mask);
    return tracing.end(each(mask, [&](unsigned l) {
        auto get = [&](unsigned k) { return in[k * lanes + l]; };
        const auto* t = handles.of(get(0));
        if (!t || t->surface) return async_fault(c, f, form, l, missing(handles, "texture"), Cause::invalid_handle);
        if (form.cube && !t->cube)
            return async_fault(c, f, form, l, "its texture is no cube map", Cause::invalid_handle);
        TexturePoint p;
        p.dimensions = form.dimensions, p.layered = form.layered, p.cube = form.cube;
        p.touched = tracing.lane(l);
        unsigned next = 2;
        if (form.layered) p.layer = static_cast<std::uint32_t>(get(next++));
        if (form.shift_at)
            for (unsigned d = 0; d < form.dimensions; ++d)
                p.shift[d] = static_cast<std::int32_t>(get(form.shift_at + d));
        std::uint32_t v[4];
        if (integers) {
            // Whole elements: linear memory, or an array without filtering; nothing outside.
            std::int64_t x[3] = {0, 0, 0};
            for (unsigned d = 0; d < form.dimensions; ++d)
                x[d] = static_cast<std::int64_t>(static_cast<std::int32_t>(get(next + d))) + p.shift[d];
            if (form.layered) x[2] = p.layer;
            std::int64_t level = 0;
            if (form.level_at) level = static_cast<std::int64_t>(as_float(get(form.level_at)));
            read_element(*t, x[0], x[1], x[2], level, v, p.touched);
        } else {
            for (unsigned d = 0; d < form.dimensions; ++d) p.at[d] = as_float(get(next + d));
            if (form.level_at) p.mode = TexturePoint::Level::given, p.level = as_float(get(form.level_at));
            if (form.across_at) p.mode = TexturePoint::Level::gradients;
            for (unsigned d = 0; form.across_at && d < form.dimensions; ++d)
                p.across[d] = as_float(get(form.across_at + d)), p.down[d] = as_float(get(form.down_at + d));
            if (i.op == Op::tld4)
                gather_texture(*t, p, i.has(Mod::r) ? 0 : i.has(Mod::g) ? 1 : i.has(Mod::b) ? 2 : 3, v);
            else
                sample_texture(*t, p, v);
        }
        auto half_of = [&](unsigned k) -> std::uint64_t { return half::from_float(as_float(v[k])); };
        for (unsigned k = 0; k < form.values; ++k)
            out[k * lanes + l] = type == simt::Type::f16x2 ? half_of(2 * k) | half_of(2 * k + 1) << 16
                                 : type == simt::Type::f16 ? half_of(k)
                                                           : v[k];
        // No texture is sparse here, so all of it is resident.
        if (form.resident) out[form.values * lanes + l] = 1;
        return true;
    }));
}

bool run_surface(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                 std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& i = *form.ptx;
    const bool store = i.op == Op::sust, by_format = store && i.has(Mod::p);
    const unsigned count = form.values, bytes = form.element_bytes;
    Handles handles(c);
    TextureTracing tracing(c, f, form, mask);
    return tracing.end(each(mask, [&](unsigned l) {
        auto get = [&](unsigned k) { return in[k * lanes + l]; };
        const auto* t = handles.of(get(0));
        if (!t || !t->surface) return async_fault(c, f, form, l, missing(handles, "surface"), Cause::invalid_handle);
        if (by_format && t->packed)
            return async_fault(c, f, form, l, "formatted stores of packed elements are not executed",
                               Cause::invalid_operand);
        unsigned next = 2;
        std::int64_t x[3] = {0, 0, 0};
        if (form.layered) x[2] = static_cast<std::int32_t>(get(next++));
        for (unsigned d = 0; d < form.dimensions; ++d) x[d] = static_cast<std::int32_t>(get(next + d));
        // The first coordinate counts bytes, or whole elements where the format is known.
        if (by_format) x[0] *= t->element();
        SurfacePlace place;
        const unsigned wide = by_format ? t->element() : count * bytes;
        if (!surface_place(c, f, form, l, *t, x, wide, place)) return false;
        tracing.touch(l, *t, place.at, wide);
        for (unsigned k = 0; k < count; ++k) {
            if (by_format) {
                const auto v = formatted(*t, i.types.back(), static_cast<std::uint32_t>(get(form.first_value + k)));
                if (!place.outside && k < t->channels) std::memcpy(place.at + k * t->bits / 8, &v, t->bits / 8);
            } else if (store) {
                const auto v = get(form.first_value + k);
                if (!place.outside) std::memcpy(place.at + k * bytes, &v, bytes);
            } else {
                std::uint64_t v = 0;
                if (!place.outside) std::memcpy(&v, place.at + k * bytes, bytes);
                out[k * lanes + l] = v;
            }
        }
        return true;
    }));
}

bool run_surface_reduction(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                           const std::uint64_t* in, std::uint64_t*) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    Handles handles(c);
    TextureTracing tracing(c, f, form, mask);
    return tracing.end(each(mask, [&](unsigned l) {
        auto get = [&](unsigned k) { return in[k * lanes + l]; };
        const auto* t = handles.of(get(0));
        if (!t || !t->surface) return async_fault(c, f, form, l, missing(handles, "surface"), Cause::invalid_handle);
        unsigned next = 2;
        std::int64_t x[3] = {0, 0, 0};
        if (form.layered) x[2] = static_cast<std::int32_t>(get(next++));
        for (unsigned d = 0; d < form.dimensions; ++d) x[d] = static_cast<std::int32_t>(get(next + d));
        if (form.ptx->has(Mod::p)) x[0] *= t->element();
        SurfacePlace place;
        if (!surface_place(c, f, form, l, *t, x, form.element_bytes, place)) return false;
        if (reinterpret_cast<std::uint64_t>(place.at) % form.element_bytes != 0)
            return async_fault(c, f, form, l, "its place is not aligned to its element", Cause::misaligned);
        if (!place.outside)
            apply_atomic(static_cast<AtomicOp>(form.operation), form.element_bytes, place.at, get(form.first_value), 0,
                         false);
        tracing.touch(l, *t, place.at, form.element_bytes);
        return true;
    }));
}

bool run_texture_query(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                       const std::uint64_t* in, std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& i = *form.ptx;
    Handles handles(c);
    return each(mask, [&](unsigned l) {
        const auto* t = handles.of(in[l]);
        if (!t) return async_fault(c, f, form, l, missing(handles, "texture or surface"), Cause::invalid_handle);
        std::uint64_t level = form.level_at ? static_cast<std::uint32_t>(in[form.level_at * lanes + l]) : 0;
        level = std::min<std::uint64_t>(level, t->levels - 1);
        const auto& a = t->level[level];
        const std::uint32_t layers = t->cube ? a.depth / 6 : a.depth;
        auto mode = [&](unsigned d) { return static_cast<std::uint32_t>(t->address[d]); };
        std::uint32_t v = 0;
        if (i.has(Mod::width))
            v = a.width;
        else if (i.has(Mod::height))
            v = a.height;
        else if (i.has(Mod::depth))
            v = t->layered || t->cube ? 1 : a.depth;
        else if (i.has(Mod::array_size))
            v = t->layered ? layers : 0;
        else if (i.has(Mod::num_mipmap_levels))
            v = t->levels;
        else if (i.has(Mod::num_samples))
            v = 1;
        else if (i.has(Mod::channel_data_type))
            v = channel_type(*t);
        else if (i.has(Mod::channel_order))
            v = channel_order(*t);
        else if (i.has(Mod::normalized_coords))
            v = t->normalized_coordinates;
        else if (i.has(Mod::filter_mode))
            v = t->linear;
        else if (i.has(Mod::addr_mode_0))
            v = mode(0);
        else if (i.has(Mod::addr_mode_1))
            v = mode(1);
        else if (i.has(Mod::addr_mode_2))
            v = mode(2);
        out[l] = v;
        return true;
    });
}

bool run_is_type(BlockContext* c, WarpFrame*, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                 std::uint64_t* out) {
    Handles handles(c);
    return each(mask, [&](unsigned l) {
        const auto* t = handles.of(in[l]);
        const auto type = form.ptx->types.back();
        out[l] = t && (type == simt::Type::surfref ? t->surface : type == simt::Type::texref && !t->surface);
        return true;
    });
}

}  // namespace warpwright::engine
