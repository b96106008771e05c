// Instructions on tensor maps: prefetch.tensormap, and tensormap.replace and tensormap.cp_fenceproxy, which put another
// array into a map that a kernel keeps in shared or global memory. The values they write are not trusted: a copy with
// the map checks every field.
#include <bit>
#include <cstring>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/shared/tensor_map.hpp"
#include "engine/shared/tensor_map_field.hpp"

namespace warpwright::engine {

namespace {

using simt::Mod;
using simt::Type;

/// Whether a map can hold this number in a field of few bits.
bool possible(Mod field, std::uint64_t value) {
    switch (field) {
        case Mod::rank:
            return value < 5;
        case Mod::box_dim:
            return value >= 1 && value <= 256;
        case Mod::element_stride:
            return value >= 1 && value <= 8;
        default:
            return true;
    }
}

void replace(EncodedTensorMap& map, Mod field, unsigned at, std::uint64_t value) {
    switch (field) {
        case Mod::global_address:
            map.address = value;
            break;
        case Mod::rank:
            map.rank = static_cast<std::uint8_t>(value + 1);
            break;
        case Mod::box_dim:
            map.box[at] = static_cast<std::uint16_t>(value);
            break;
        case Mod::global_dim:
            map.size[at] = value;
            break;
        case Mod::global_stride:
            map.stride[at] = value;
            break;
        case Mod::element_stride:
            map.step[at] = static_cast<std::uint8_t>(value);
            break;
        case Mod::elemtype:
            map.type = static_cast<std::uint8_t>(tensor_map_element(value));
            map.element_bytes = static_cast<std::uint8_t>(
                tensor_map_element(value) == Type::tf32 ? 4 : simt::bytes(tensor_map_element(value)));
            break;
        case Mod::swizzle_mode:
            map.swizzle = static_cast<std::uint8_t>(value ? 1u << (value - 1) : 0);
            break;
        case Mod::fill_mode:
            map.fill_nan = static_cast<std::uint8_t>(value);
            break;
        default:
            break;  // of the other fields only the values that every map has are accepted
    }
}

/// One lane's map, wherever it lies.
struct MapPlace {
    std::uint8_t* host = nullptr;
    SharedPlace shared;  ///< host is null for one in global memory
};

/// The map's bytes, aligned and inside one allocation or the block's shared memory; a null host address after a fault
/// was recorded.
MapPlace map_place(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, std::uint64_t address,
                   bool shared_only, bool global_only, bool store) {
    MapPlace place;
    const auto wrong = [&](const std::string& what, Cause cause) {
        async_fault(c, f, form, lane, "the tensor map at " + hex_text(address) + " " + what, cause);
        return MapPlace{};
    };
    if (address % 64 != 0) return wrong("is not aligned to 64 bytes", Cause::misaligned);
    const bool in_window = address - c->shared_window < kSharedWindows;
    if (shared_only || (!global_only && in_window)) {
        place.shared = shared_place(c, shared_only ? address & 0xffffffffu : address, !shared_only, kTensorMapBytes);
        place.host = place.shared.host;
        return place.host ? place : wrong("is not in the block's shared memory", Cause::out_of_bounds);
    }
    const auto found = c->executor->launch.find(address);
    if (!found || !found->covers(address, kTensorMapBytes))
        return wrong("is not in device memory", Cause::out_of_bounds);
    if (!found->allows(address, kTensorMapBytes, store))
        return wrong("is in constant memory or parameters, which kernels only read", Cause::read_only);
    place.host = reinterpret_cast<std::uint8_t*>(address);
    return place;
}

/// Tells the checkers of a write to the map, or of a read.
void told(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const MapPlace& place, bool store) {
    if (!c->check) return;
    if (!place.shared.host)
        checked_global(c, f, form.site + (store ? 1 : 0), reinterpret_cast<std::uint64_t>(place.host), kTensorMapBytes,
                       lane, store, false);
    else if (store)
        checked_shared_write(c, f, form.site + 1, place.shared.owner, place.shared.offset, kTensorMapBytes, lane);
    else
        checked_shared_read(c, f, form.site, place.shared.offset, kTensorMapBytes, lane);
}

/// The map there to be changed. 128 zero bytes are a blank map, in which every field has the code 0: a kernel makes a
/// map of its own by writing the fields that differ (as Triton's do). Whether it wrote enough of them, a copy finds
/// out.
bool read_map(const std::uint8_t* from, EncodedTensorMap& map) {
    static constexpr std::uint8_t kBlank[kTensorMapBytes] = {};
    std::memcpy(&map, from, sizeof map);
    if (std::memcmp(from, kBlank, sizeof kBlank) == 0) {
        map.magic = EncodedTensorMap::kMagic;
        replace(map, Mod::rank, 0, 0);
        replace(map, Mod::elemtype, 0, 0);
    }
    return map.magic == EncodedTensorMap::kMagic;
}

}  // namespace

/// [map, offset, (ord,) value].
bool run_replace_in_tensor_map(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                               const std::uint64_t* in, std::uint64_t*) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto& field = *tensor_map_field(*form.ptx);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto value = [&](unsigned k) { return in[k * lanes + l]; };
        const auto place = map_place(c, f, form, l, value(0) + value(1), form.shared, form.ptx->has(Mod::global), true);
        if (!place.host) return false;
        EncodedTensorMap map;
        if (!read_map(place.host, map))
            return async_fault(c, f, form, l,
                               "what lies at " + hex_text(value(0) + value(1)) + " is not a tensor map of this device",
                               Cause::invalid_handle);
        const auto given = value(field.indexed ? 3 : 2) & (field.wide ? ~std::uint64_t{0} : 0xffffffffu);
        if (!possible(field.mod, given))
            return async_fault(c, f, form, l, "no tensor map can have the value " + std::to_string(given) + " there",
                               Cause::invalid_operand);
        replace(map, field.mod, static_cast<unsigned>(field.indexed ? value(2) : 0), given);
        std::memcpy(place.host, &map, sizeof map);
        told(c, f, form, l, place, true);
    }
    return true;
}

/// [global, offset, shared, offset, 128]: the warp's one copy, which its first lane makes.
bool run_copy_tensor_map(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                         const std::uint64_t* in, std::uint64_t*) {
    if (mask == 0) return true;
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto l = static_cast<unsigned>(std::countr_zero(mask));
    const auto value = [&](unsigned k) { return in[k * lanes + l]; };
    const auto from = map_place(c, f, form, l, value(2) + value(3), true, false, false);
    if (!from.host) return false;
    const auto to = map_place(c, f, form, l, value(0) + value(1), false, true, true);
    if (!to.host) return false;
    told(c, f, form, l, from, false);
    std::memcpy(to.host, from.host, kTensorMapBytes);
    told(c, f, form, l, to, true);
    return true;
}

/// [map, offset]: nothing is prefetched, but there must be a map.
bool run_prefetch_tensor_map(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                             const std::uint64_t* in, std::uint64_t*) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto address = in[l] + in[lanes + l];
        const auto place = map_place(c, f, form, l, address, false, true, false);
        if (!place.host) return false;
        EncodedTensorMap map;
        std::memcpy(&map, place.host, sizeof map);
        if (map.magic != EncodedTensorMap::kMagic)
            return async_fault(c, f, form, l,
                               "what lies at " + hex_text(address) + " is not a tensor map of this device",
                               Cause::invalid_handle);
    }
    return true;
}

}  // namespace warpwright::engine
