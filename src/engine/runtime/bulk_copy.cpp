// Bulk copies and tensor copies: between global and shared memory, and shared memory of other blocks of the cluster.
#include <bit>
#include <cstring>

#include "engine/checked/regular_access.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/atomic_op.hpp"
#include "engine/runtime/tensor_map.hpp"

namespace warpwright::engine {

namespace {

using ptx::Mod;

/// Whether the first state space named is global memory: the copy's target.
bool to_global(const ptx::Instruction& i) {
    for (auto m : i.mods) {
        if (m == Mod::global) return true;
        if (m == Mod::shared_cluster || m == Mod::shared_cta) return false;
    }
    return false;
}

std::string hex(std::uint64_t x) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
    return text;
}

/// Global memory as one copy sees it: checked to the byte, its sectors counted at the form's sites.
class Global {
public:
    Global(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane)
        : c_(c), f_(f), form_(form), lane_(lane) {}

    std::uint8_t* at(std::uint64_t address, std::uint64_t bytes, bool store) {
        if (address < start_ || address + bytes > end_ || address + bytes < address) {
            auto found = c_->executor->launch.memory->find(address);
            if (!found || address + bytes > found->address + found->bytes) {
                async_fault(c_, f_, form_, lane_,
                            "out-of-bounds global " + std::string(store ? "store" : "load") + " of " +
                                std::to_string(bytes) + " bytes at " + hex(address) +
                                (found ? ": reaches past the end of an allocation of " + std::to_string(found->bytes)
                                       : ", which is no allocated memory"));
                return nullptr;
            }
            start_ = found->address, end_ = found->address + found->bytes;
        }
        if (c_->check && bytes)
            checked_global(c_, f_, form_.site + (store ? 1 : 0), address, bytes, lane_, store,
                           store && form_.ptx->op == ptx::Op::cp_reduce_async_bulk);
        if (form_.counted && c_->executor->launch.counters && bytes)
            c_->sites[form_.site + (store ? 1 : 0)].passes += ((address + bytes - 1) >> 5) - (address >> 5) + 1;
        return reinterpret_cast<std::uint8_t*>(address);
    }

private:
    BlockContext* c_;
    WarpFrame* f_;
    const AsyncForm& form_;
    unsigned lane_;
    std::uint64_t start_ = 1, end_ = 0;
};

struct Reduction {
    AtomicOp op;
    unsigned bytes;
    void operator()(std::uint8_t* to, const std::uint8_t* from, std::uint64_t count, bool shared) const {
        for (std::uint64_t k = 0; k + bytes <= count; k += bytes) {
            std::uint64_t x = 0;
            std::memcpy(&x, from + k, bytes);
            apply_atomic(op, bytes, to + k, x, 0, shared);
        }
    }
};

/// Blocks that a copy goes to: the one of its address, or those of a multicast's mask, all at the same offset.
std::vector<std::pair<SharedPlace, SharedPlace>> targets(BlockContext* c, const AsyncForm& form, const SharedPlace& to,
                                                         const SharedPlace& barrier, std::uint64_t mask,
                                                         std::uint64_t bytes) {
    if (!form.multicast) return {{to, barrier}};
    std::vector<std::pair<SharedPlace, SharedPlace>> out;
    for (auto rest = mask & 0xffff; rest; rest &= rest - 1) {
        const auto rank = static_cast<std::uint32_t>(std::countr_zero(rest));
        out.push_back({peer_place(c, rank, to.offset, bytes), peer_place(c, rank, barrier.offset, 8)});
    }
    return out;
}

}  // namespace

bool run_bulk(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
              std::uint64_t*) {
    const auto& i = *form.ptx;
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const bool reduces = i.op == ptx::Op::cp_reduce_async_bulk, store = to_global(i),
               from_shared = i.mods.size() > 1 && !store && !i.has(Mod::global);
    const Reduction combine{static_cast<AtomicOp>(form.operation), form.element_bytes};
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto value = [&](unsigned k) { return in[k * lanes + l]; };
        const auto fault = [&](const std::string& what) { return async_fault(c, f, form, l, what); };
        const auto to = value(0) + value(1), from = value(2) + value(3), bytes = value(4) & 0xffffffffu;
        if (bytes % 16 != 0) return fault("the size is " + std::to_string(bytes) + " bytes, no multiple of 16");
        if (to % 16 != 0) return fault("the target at " + hex(to) + " is not aligned to 16 bytes");
        if (from % 16 != 0) return fault("the source at " + hex(from) + " is not aligned to 16 bytes");
        Global global(c, f, form, l);
        if (store) {
            const auto source = shared_place(c, from & 0xffffffffu, false, bytes);
            if (!source.host)
                return fault(std::to_string(bytes) + " bytes at shared address " + hex(from & 0xffffffffu) +
                             " are out of bounds: the block has " + std::to_string(c->shared_size));
            auto* target = global.at(to, bytes, true);
            if (!target) return false;
            if (c->check && source.owner == c) checked_shared_read(c, f, form.site, source.offset, bytes, l);
            if (reduces)
                combine(target, source.host, bytes, false);
            else
                std::memcpy(target, source.host, bytes);
            continue;
        }
        const auto place = shared_place(c, to & 0xffffffffu, false, bytes),
                   barrier = shared_place(c, (value(5) + value(6)) & 0xffffffffu, false, 8);
        const std::uint8_t* source = nullptr;
        if (from_shared) {
            source = shared_place(c, from & 0xffffffffu, false, bytes).host;
            if (!source)
                return fault(std::to_string(bytes) + " bytes at shared address " + hex(from & 0xffffffffu) +
                             " are out of bounds");
        } else if (!(source = global.at(from, bytes, false))) {
            return false;
        }
        for (const auto& [target, signal] : targets(c, form, place, barrier, form.multicast ? value(7) : 0, bytes)) {
            if (!target.host)
                return fault(std::to_string(bytes) + " bytes at shared address " + hex(to & 0xffffffffu) +
                             " are out of bounds: the block has " + std::to_string(c->shared_size));
            if (c->check && signal.host)
                checked_agent_write(c, f, form.site + 1, target.owner, target.offset, bytes, l, signal.owner,
                                    signal.offset);
            if (reduces)
                combine(target.host, source, bytes, true);
            else
                std::memmove(target.host, source, bytes);
            if (!complete_bytes(c, f, form, l, signal, bytes)) return false;
        }
    }
    return true;
}

/// Loads: [shared, offset, map, offset, coordinates..., mbarrier, offset, mask]. Stores and reductions: [map, offset,
/// coordinates..., shared, offset].
bool run_tensor_copy(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                     std::uint64_t*) {
    const auto& i = *form.ptx;
    const unsigned lanes = c->executor->launch.code->options.block.lanes, rank = form.dimensions;
    const bool reduces = i.op == ptx::Op::cp_reduce_async_bulk, store = to_global(i);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto value = [&](unsigned k) { return in[k * lanes + l]; };
        const auto fault = [&](const std::string& what) { return async_fault(c, f, form, l, what); };
        const unsigned map_at = store ? 0 : 2;
        const auto map_address = value(map_at) + value(map_at + 1);
        auto found = c->executor->launch.memory->find(map_address);
        if (!found || map_address + 128 > found->address + found->bytes)
            return fault("the tensor map at " + hex(map_address) + " is not in device memory");
        if (map_address % 64 != 0)
            return fault("the tensor map at " + hex(map_address) + " is not aligned to 64 bytes");
        EncodedTensorMap map;
        std::memcpy(&map, reinterpret_cast<const void*>(map_address), sizeof map);
        if (map.magic != EncodedTensorMap::kMagic)
            return fault("what lies at " + hex(map_address) + " is no tensor map of this device");
        Reduction combine{AtomicOp::add_int, map.element_bytes};
        if (reduces) {
            auto op = atomic_op(i, static_cast<ptx::Type>(map.type));
            if (!op) return fault("no such reduction of the tensor map's elements");
            combine.op = *op;
            if (combine.bytes < 2) return fault("elements of one byte cannot be reduced");
        }
        if (map.rank != rank) return fault("the tensor map has " + std::to_string(map.rank) + " dimensions");
        std::int64_t start[5] = {};
        for (unsigned k = 0; k < rank; ++k) start[k] = static_cast<std::int32_t>(value(map_at + 2 + k));
        // No rule of the PTX manual's, but of the hardware: an H200 ends such a launch with an illegal instruction.
        if (const auto into = start[0] * static_cast<std::int64_t>(map.element_bytes); into % 16 != 0)
            return fault("the box begins at element " + std::to_string(start[0]) + " of a row, " +
                         std::to_string(into) + " bytes into it: no multiple of 16");
        std::uint64_t count[5], bytes = map.element_bytes;
        for (unsigned k = 0; k < 5; ++k) count[k] = (map.box[k] + map.step[k] - 1u) / map.step[k], bytes *= count[k];
        const auto shared_at = store ? value(2 + rank) + value(3 + rank) : value(0) + value(1);
        const auto tile = shared_place(c, shared_at & 0xffffffffu, false, bytes);
        if (!tile.host)
            return fault(std::to_string(bytes) + " bytes at shared address " + hex(shared_at & 0xffffffffu) +
                         " are out of bounds: the block has " + std::to_string(c->shared_size));
        if (tile.offset % 128 != 0)
            return fault("the tile at shared address " + hex(shared_at & 0xffffffffu) + " is not aligned to 128 bytes");
        const auto barrier =
            store ? SharedPlace{} : shared_place(c, (value(4 + rank) + value(5 + rank)) & 0xffffffffu, false, 8);
        const auto to = targets(c, form, tile, barrier, form.multicast ? value(6 + rank) : 0, bytes);
        for (const auto& t : to)
            if (!t.first.host) return fault("a multicast goes to a block that the cluster does not have");
        if (c->check) {
            if (store && tile.owner == c) checked_shared_read(c, f, form.site, tile.offset, bytes, l);
            for (const auto& t : to)
                if (!store && t.second.host)
                    checked_agent_write(c, f, form.site + 1, t.first.owner, t.first.offset, bytes, l, t.second.owner,
                                        t.second.offset);
        }
        Global global(c, f, form, l);
        const std::uint64_t row_bytes = count[0] * map.element_bytes, rows = bytes / row_bytes;
        const unsigned e = map.element_bytes;
        std::uint8_t row[256 * 8];
        std::uint64_t at[5] = {};
        // The part of a row that is inside the array, in elements of the row.
        const auto step = std::int64_t{map.step[0]};
        std::int64_t low = start[0] < 0 ? (-start[0] + step - 1) / step : 0;
        std::int64_t high = static_cast<std::int64_t>(map.size[0]) - start[0];
        high = high <= 0 ? 0 : std::min<std::int64_t>((high + step - 1) / step, static_cast<std::int64_t>(count[0]));
        for (std::uint64_t r = 0; r < rows; ++r) {
            bool inside = low < high;
            std::uint64_t base = map.address;
            for (unsigned k = 1; k < rank; ++k) {
                const auto x = start[k] + static_cast<std::int64_t>(at[k] * map.step[k]);
                inside &= x >= 0 && x < static_cast<std::int64_t>(map.size[k]);
                base += static_cast<std::uint64_t>(x) * map.stride[k - 1];
            }
            for (unsigned k = 1; k < rank; ++k) {
                if (++at[k] < count[k]) break;
                at[k] = 0;
            }
            const auto offset = r * row_bytes;
            const auto first = base + static_cast<std::uint64_t>(start[0] + low * step) * e;
            const auto span =
                inside ? (static_cast<std::uint64_t>(high - low - 1) * static_cast<std::uint64_t>(step) + 1) * e : 0;
            std::uint8_t* there = nullptr;
            if (inside && !(there = global.at(first, span, store))) return false;
            auto pieces = [&](const SharedPlace& t, auto&& move) {
                // Pieces of 16 bytes go to their permuted places.
                if (map.swizzle == 0) return move(t.host + offset, std::uint64_t{0}, row_bytes);
                for (std::uint64_t p = 0; p < row_bytes; p += 16) {
                    const auto place = t.offset + offset + p;
                    move(t.host + (swizzled(place, map.swizzle) - t.offset), p, std::uint64_t{16});
                }
            };
            if (store) {
                if (!inside) continue;
                pieces(tile, [&](std::uint8_t* p, std::uint64_t k, std::uint64_t n) { std::memcpy(row + k, p, n); });
                for (auto x = low; x < high; ++x) {
                    auto* p = there + static_cast<std::uint64_t>((x - low) * step) * e;
                    const auto* v = row + static_cast<std::uint64_t>(x) * e;
                    if (reduces) {
                        combine(p, v, e, false);
                    } else if (step == 1) {
                        std::memcpy(p, v, static_cast<std::uint64_t>(high - low) * e);
                        break;
                    } else {
                        std::memcpy(p, v, e);
                    }
                }
                continue;
            }
            if (!inside || low > 0 || high < static_cast<std::int64_t>(count[0])) {
                std::memset(row, 0, row_bytes);
                if (map.fill_nan) {
                    const auto type = static_cast<ptx::Type>(map.type);
                    const std::uint64_t nan = type == ptx::Type::f16    ? 0x7fff
                                              : type == ptx::Type::bf16 ? 0x7fff
                                              : e == 4                  ? 0x7fffffff
                                                                        : 0x7fffffffffffffffull;
                    for (std::uint64_t k = 0; k < row_bytes; k += e) std::memcpy(row + k, &nan, e);
                }
            }
            if (inside) {
                if (step == 1)
                    std::memcpy(row + static_cast<std::uint64_t>(low) * e, there, span);
                else
                    for (auto x = low; x < high; ++x)
                        std::memcpy(row + static_cast<std::uint64_t>(x) * e,
                                    there + static_cast<std::uint64_t>((x - low) * step) * e, e);
            }
            for (const auto& t : to)
                pieces(t.first, [&](std::uint8_t* p, std::uint64_t k, std::uint64_t n) { std::memcpy(p, row + k, n); });
        }
        if (!store)
            for (const auto& t : to)
                if (!complete_bytes(c, f, form, l, t.second, bytes)) return false;
    }
    return true;
}

}  // namespace warpwright::engine
