// Two aligned elements of at most a sector that lie a sector or more apart are in different sectors, so that a request
// has as many sectors as lanes.
#include "engine/runtime/row_access.hpp"

#include <bit>

#include "counters/access.hpp"
#include "engine/runtime/lane_rows.hpp"

namespace warpwright::engine {

namespace {

/// The longest step for which spans of 32 lanes are far from wrapping around.
constexpr std::int64_t kMostStep = std::int64_t{1} << 40;

bool is_for_rows(const BlockContext* c, const Site& site, const SiteInfo& info, std::uint64_t mask) {
    const auto& options = c->executor->launch.code->options;
    return !info.form->lines.empty() && mask && site.found_bytes && !c->check && options.block.lanes == 32 &&
           !options.linked && options.transaction_bytes == counters::kCoalesceSectors.segment_bytes &&
           info.space != simt::Space::shared && info.space != simt::Space::local &&
           info.bytes * info.count <= counters::kCoalesceSectors.segment_bytes;
}

}  // namespace

bool row_access(BlockContext* c, std::uint32_t index, const SiteInfo& info, const std::int64_t* scalars,
                std::uint64_t mask, void* data, bool store) {
    auto& site = c->sites[index];
    if (!is_for_rows(c, site, info, mask)) return false;
    const auto lanes = static_cast<std::uint32_t>(mask);
    const auto first = static_cast<unsigned>(std::countr_zero(lanes)),
               last = 31 - static_cast<unsigned>(std::countl_zero(lanes));
    const auto rows = info.form->rows(scalars, first, last);
    constexpr auto kSector = static_cast<std::int64_t>(counters::kCoalesceSectors.segment_bytes);
    if (!rows || (rows->step < kSector && rows->step > -kSector) || rows->step >= kMostStep || rows->step <= -kMostStep)
        return false;
    const std::uint64_t total = info.bytes * info.count, step = static_cast<std::uint64_t>(rows->step);
    const auto a = rows->start + step * first, b = rows->start + step * last;
    const auto low = rows->step > 0 ? a : b, span = (rows->step > 0 ? b - a : a - b) + total;
    if (((rows->start | step) & (total - 1)) || !covers(site.found, site.found_bytes, low, span)) return false;
    if (info.counted && c->executor->launch.counters) site.passes += static_cast<unsigned>(std::popcount(lanes));
    move_rows({reinterpret_cast<std::uint8_t*>(rows->start), rows->step}, lanes, info.bytes, info.count, data, store);
    return true;
}

}  // namespace warpwright::engine
