// Tensor copies: boxes of an array that a tensor map describes, or columns of pixels of images. A kernel may write the
// 128 bytes of the map, so each of its fields is checked when it is used.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/bulk_parts.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/shared/tensor_map.hpp"

namespace warpwright::engine {

namespace {

/// One lane's copy of a box.
class TensorCopy {
public:
    TensorCopy(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const std::uint64_t* in)
        : c_(c),
          f_(f),
          form_(form),
          lane_(lane),
          in_(in),
          lanes_(c->executor->launch.code->options.block.lanes),
          reduces_(form.ptx->op == simt::Op::cp_reduce_async_bulk),
          store_(to_global(*form.ptx)) {}

    bool run() {
        if (!read_map() || !choose_reduction() || !read_start() || !find_places()) return false;
        if (c_->check) tell_checkers();
        if (!move_rows()) return false;
        if (!store_)
            for (const auto& t : targets_)
                if (!complete_bytes(c_, f_, form_, lane_, t.barrier, tile_.bytes)) return false;
        return true;
    }

private:
    std::uint64_t value(unsigned k) const { return in_[k * lanes_ + lane_]; }
    unsigned map_at() const { return store_ ? 0 : 2; }
    bool fault(const std::string& what, Cause cause = Cause::invalid_handle) const {
        return async_fault(c_, f_, form_, lane_, what, cause);
    }

    bool read_map() {
        const auto address = value(map_at()) + value(map_at() + 1);
        const auto found = c_->executor->launch.find(address);
        if (!found || !found->covers(address, kTensorMapBytes))
            return fault("the tensor map at " + hex_text(address) + " is not in device memory", Cause::out_of_bounds);
        if (address % 64 != 0)
            return fault("the tensor map at " + hex_text(address) + " is not aligned to 64 bytes", Cause::misaligned);
        std::memcpy(&map_, reinterpret_cast<const void*>(address), sizeof map_);
        if (map_.magic != EncodedTensorMap::kMagic)
            return fault("what lies at " + hex_text(address) + " is not a tensor map of this device");
        auto tile = tile_of(map_);
        if (!tile) return fault(tile.error().what);
        tile_ = *tile;
        if (map_.rank != form_.dimensions)
            return fault("the tensor map has " + std::to_string(map_.rank) + " dimensions");
        if ((map_.pixels != 0) != form_.im2col)
            return fault(form_.im2col ? "the tensor map is tiled, not for im2col" : "the tensor map is for im2col");
        return true;
    }

    bool choose_reduction() {
        combine_.bytes = tile_.element;
        if (!reduces_) return true;
        auto op = atomic_op(*form_.ptx, static_cast<simt::Type>(map_.type));
        if (!op) return fault("no such reduction of the tensor map's elements");
        combine_.op = *op;
        return combine_.bytes >= 2 || fault("elements of one byte cannot be reduced");
    }

    bool read_start() {
        for (unsigned k = 0; k < map_.rank; ++k) start_[k] = static_cast<std::int32_t>(value(map_at() + 2 + k));
        // The PTX manual has no such rule, but the hardware does: an H200 ends such a launch with an illegal
        // instruction.
        if (const auto into = start_[0] * static_cast<std::int64_t>(tile_.element); into % 16 != 0)
            return fault("the box begins at element " + std::to_string(start_[0]) + " of a row, " +
                             std::to_string(into) + " bytes into it: no multiple of 16",
                         Cause::invalid_operand);
        // The offsets have as many bits as the corners.
        const unsigned bits = map_.rank == 3 ? 16 : map_.rank == 4 ? 8 : 5;
        for (unsigned k = 0; k < form_.shifts; ++k) {
            const auto shift = value(map_.rank + 6 + k) & 0xffffu;
            if (shift >> bits)
                return fault("the offset " + std::to_string(shift) + " has more than " + std::to_string(bits) + " bits",
                             Cause::invalid_operand);
            shift_[k] = static_cast<std::int64_t>(shift);
        }
        return true;
    }

    bool find_places() {
        const unsigned rank = form_.dimensions;
        const auto at = (store_ ? value(2 + rank) + value(3 + rank) : value(0) + value(1)) & 0xffffffffu;
        place_ = shared_place(c_, at, false, tile_.bytes);
        if (!place_.host)
            return fault(std::to_string(tile_.bytes) + " bytes at shared address " + hex_text(at) +
                             " are out of bounds: the block has " + std::to_string(c_->shared_size),
                         Cause::out_of_bounds);
        if (place_.offset % 128 != 0)
            return fault("the tile at shared address " + hex_text(at) + " is not aligned to 128 bytes",
                         Cause::misaligned);
        if (store_) return true;
        const auto barrier = shared_place(c_, (value(4 + rank) + value(5 + rank)) & 0xffffffffu, false, 8);
        targets_ =
            copy_targets(c_, form_, place_, barrier, form_.multicast ? value(6 + rank + form_.shifts) : 0, tile_.bytes);
        for (const auto& t : targets_)
            if (!t.to.host)
                return fault("a multicast goes to a block that the cluster does not have", Cause::out_of_bounds);
        return true;
    }

    void tell_checkers() {
        if (store_) {
            if (place_.owner == c_)
                checked_proxy_read(c_, f_, form_.site, place_.offset, tile_.bytes, lane_, bulk_store_stamp(c_, f_));
            return;
        }
        for (const auto& t : targets_)
            if (t.barrier.host)
                checked_agent_write(c_, f_, form_.site + 1, t.to.owner, t.to.offset, tile_.bytes, lane_,
                                    t.barrier.owner, t.barrier.offset);
    }

    /// Goes on to the next row of the box.
    void next_row() {
        for (unsigned k = 1; k < map_.rank; ++k) {
            at_[k] += map_.step[k];
            if (++taken_[k] < tile_.count[k]) return;
            at_[k] = start_[k], taken_[k] = 0;
        }
    }
    /// Goes on to the next pixel: along the innermost of the dimensions between channels and images that has not come
    /// to the upper corner, and then to the next image.
    void next_pixel() {
        const unsigned images = map_.rank - 1u;
        for (unsigned k = 1; k < images; ++k) {
            at_[k] += map_.step[k];
            if (at_[k] <= static_cast<std::int64_t>(map_.size[k]) - 1 + map_.upper[k - 1]) return;
            at_[k] = map_.lower[k - 1];
        }
        at_[images] += map_.step[images];
    }

    /// The address of a row's first element, if the row is inside the array; false after a fault was recorded.
    bool row_base(std::uint64_t& base, bool& inside) const {
        base = map_.address;
        for (unsigned k = 1; k < map_.rank; ++k) {
            const auto x = at_[k] + shift_[k - 1];
            if (x < 0 || static_cast<std::uint64_t>(x) >= map_.size[k]) {
                inside = false;
                return true;
            }
            std::uint64_t further = 0;
            if (__builtin_mul_overflow(static_cast<std::uint64_t>(x), map_.stride[k - 1], &further) ||
                __builtin_add_overflow(base, further, &base))
                return fault("the box reaches beyond all memory", Cause::out_of_bounds);
        }
        return true;
    }

    std::int64_t row_step() const { return form_.im2col ? 1 : std::int64_t{map_.step[0]}; }

    bool move_rows() {
        CopiedGlobal global(c_, f_, form_, lane_);
        // The part of a row that is inside the array, in elements of the row.
        const auto step = row_step(), count = static_cast<std::int64_t>(tile_.count[0]);
        low_ = start_[0] < 0 ? (-start_[0] + step - 1) / step : 0;
        const auto left = static_cast<std::int64_t>(map_.size[0]) - start_[0];
        high_ = left <= 0 ? 0 : std::min((left + step - 1) / step, count);
        const auto row_bytes = tile_.count[0] * tile_.element, rows = tile_.bytes / row_bytes;
        std::copy(start_, start_ + 5, at_);
        for (std::uint64_t r = 0; r < rows; ++r) {
            bool inside = low_ < high_;
            std::uint64_t base = 0;
            if (inside && !row_base(base, inside)) return false;
            form_.im2col ? next_pixel() : next_row();
            std::uint8_t* there = nullptr;
            if (inside) {
                const auto first = base + static_cast<std::uint64_t>(start_[0] + low_ * step) * tile_.element;
                const auto elements = static_cast<std::uint64_t>((high_ - low_ - 1) * step + 1);
                there = global.at(first, elements * tile_.element, store_);
                if (!there) return false;
            }
            if (store_)
                store_row(there, r * row_bytes);
            else
                load_row(there, r * row_bytes);
        }
        return true;
    }

    /// Moves the pieces of a row of the tile, `offset` bytes into it: 16 bytes each, which have permuted places.
    template <class Move>
    void pieces(const SharedPlace& t, std::uint64_t offset, Move&& move) const {
        const auto row_bytes = tile_.count[0] * tile_.element;
        if (map_.swizzle == 0) return move(t.host + offset, std::uint64_t{0}, row_bytes);
        for (std::uint64_t p = 0; p < row_bytes; p += 16) {
            const auto place = t.offset + offset + p;
            move(t.host + (swizzled(place, map_.swizzle) - t.offset), p, std::uint64_t{16});
        }
    }

    /// `there`: null where the row is outside of the array.
    void store_row(std::uint8_t* there, std::uint64_t offset) {
        if (!there) return;
        pieces(place_, offset, [&](std::uint8_t* p, std::uint64_t k, std::uint64_t n) { std::memcpy(row_ + k, p, n); });
        const auto step = row_step();
        const std::uint64_t e = tile_.element;
        if (!reduces_ && step == 1) {
            std::memcpy(there, row_ + static_cast<std::uint64_t>(low_) * e,
                        static_cast<std::uint64_t>(high_ - low_) * e);
            return;
        }
        for (auto x = low_; x < high_; ++x) {
            auto* p = there + static_cast<std::uint64_t>((x - low_) * step) * e;
            const auto* v = row_ + static_cast<std::uint64_t>(x) * e;
            if (reduces_)
                combine_(p, v, e, false);
            else
                std::memcpy(p, v, e);
        }
    }

    void load_row(const std::uint8_t* there, std::uint64_t offset) {
        const auto step = row_step();
        const std::uint64_t e = tile_.element, row_bytes = tile_.count[0] * e;
        if (!there || low_ > 0 || high_ < static_cast<std::int64_t>(tile_.count[0])) fill_row(row_bytes);
        if (there && step == 1)
            std::memcpy(row_ + static_cast<std::uint64_t>(low_) * e, there,
                        static_cast<std::uint64_t>(high_ - low_) * e);
        else if (there)
            for (auto x = low_; x < high_; ++x)
                std::memcpy(row_ + static_cast<std::uint64_t>(x) * e,
                            there + static_cast<std::uint64_t>((x - low_) * step) * e, e);
        for (const auto& t : targets_)
            pieces(t.to, offset,
                   [&](std::uint8_t* p, std::uint64_t k, std::uint64_t n) { std::memcpy(p, row_ + k, n); });
    }

    /// What lies outside of the array reads as zeros or NaN.
    void fill_row(std::uint64_t row_bytes) {
        std::memset(row_, 0, row_bytes);
        if (!map_.fill_nan) return;
        const auto type = static_cast<simt::Type>(map_.type);
        const std::uint64_t nan = type == simt::Type::f16 || type == simt::Type::bf16 ? 0x7fff
                                  : tile_.element == 4                                ? 0x7fffffff
                                                                                      : 0x7fffffffffffffffull;
        for (std::uint64_t k = 0; k < row_bytes; k += tile_.element) std::memcpy(row_ + k, &nan, tile_.element);
    }

    BlockContext* c_;
    WarpFrame* f_;
    const AsyncForm& form_;
    unsigned lane_;
    const std::uint64_t* in_;
    unsigned lanes_;
    bool reduces_, store_;
    EncodedTensorMap map_;
    TensorTile tile_;
    Reduction combine_{AtomicOp::add_int, 4};
    std::int64_t start_[5] = {}, at_[5] = {};  ///< the first element, and the row that is moved
    std::uint64_t taken_[5] = {};              ///< rows of the box, by dimension
    std::int64_t shift_[4] = {};               ///< im2col: the offsets, from the second dimension on
    SharedPlace place_;
    std::vector<CopyTarget> targets_;
    std::int64_t low_ = 0, high_ = 0;
    std::uint8_t row_[TensorTile::kMostRowBytes];
};

}  // namespace

/// Loads: [shared, offset, map, offset, coordinates..., mbarrier, offset, mask]. Stores and reductions: [map, offset,
/// coordinates..., shared, offset].
bool run_tensor_copy(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                     std::uint64_t*) {
    if (form.ptx->op == simt::Op::cp_reduce_async_bulk && !wait_for_order(c)) return false;
    for (auto rest = mask; rest; rest &= rest - 1)
        if (!TensorCopy(c, f, form, static_cast<unsigned>(std::countr_zero(rest)), in).run()) return false;
    return true;
}

}  // namespace warpwright::engine
