// Matrix products (wgmma) and bulk copies read shared memory until somebody has waited for them. Their reads have the
// stamps of agents, and a wait for groups of them tells the thread of all that was committed: who hands the memory back
// before the wait, or lets it be written again, is found. A product belongs to its warpgroup: where one of the four
// warps has waited for it, the reads of all four are over, although the others may not have come that far here.
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/shared/check_order.hpp"

namespace warpwright::engine {

namespace {

using shadow::Stamp;

/// Agents of mbarriers count from 1, those of warps' bulk stores and of warpgroups from the highest number down.
constexpr std::uint32_t kMostWarps = 32, kGroupWarps = 4, kMostGroups = kMostWarps / kGroupWarps;
std::uint32_t agent_of_group(std::uint32_t warp) { return shadow::kAgents - warp / kGroupWarps % kMostGroups; }
std::uint32_t agent_of_stores(std::uint32_t warp) { return shadow::kAgents - kMostGroups - warp % kMostWarps; }

Stamp stamp_of_agent(const CheckBlock& b, std::uint32_t agent, std::uint32_t tick) {
    return b.key | Stamp{agent & shadow::kAgents} << shadow::kThreadShift | shadow::kAgent | tick;
}

Products& products_of(CheckBlock& b, std::uint32_t warp) {
    if (b.products.size() <= warp / kGroupWarps) b.products.resize(warp / kGroupWarps + 1);
    return b.products[warp / kGroupWarps];
}

/// The time of the `number`th piece of work: the present one where nobody of the group has come that far.
std::uint32_t time_of(std::vector<std::uint32_t>& times, std::size_t number, std::uint32_t now) {
    if (number >= times.size()) times.push_back(now);
    return times[number];
}

/// What these lanes know when all but `keep` of the first `committed` groups are over.
void groups_over(CheckBlock& b, std::uint32_t warp, std::uint64_t lanes, std::uint32_t agent,
                 const std::vector<std::uint32_t>& times, std::size_t committed, std::size_t keep) {
    if (committed <= keep) return;
    constexpr std::uint64_t kSource = std::uint64_t{1} << 61;
    b.clock.acquire(warp, static_cast<std::uint32_t>(lanes), kSource | agent,
                    b.clock.agent(agent, times[committed - keep - 1]));
}

template <class Use>
void each_lane(std::uint64_t lanes, Use&& use) {
    for (auto rest = lanes; rest; rest &= rest - 1) use(static_cast<std::uint32_t>(__builtin_ctzll(rest)));
}

}  // namespace

Stamp product_stamp(BlockContext* c, const WarpFrame* f) {
    auto& b = checked(c);
    auto& group = products_of(b, f->warp);
    const auto number = group.issued[f->warp % kGroupWarps]++;
    return stamp_of_agent(b, agent_of_group(f->warp), time_of(group.all.issued, number, b.clock.tick()));
}

Stamp bulk_store_stamp(BlockContext* c, const WarpFrame* f) {
    return stamp_of_agent(checked(c), agent_of_stores(f->warp), checked(c).clock.tick());
}

Stamp mbarrier_stamp(BlockContext* owner, std::uint64_t offset) {
    auto& b = checked(owner);
    return stamp_of_agent(b, b.mbarrier(offset).agent, b.clock.tick());
}

void check_read_groups(BlockContext* c, const WarpFrame* f, GroupOp what, std::uint32_t keep, std::uint64_t lanes) {
    auto& b = checked(c);
    switch (what) {
        case GroupOp::commit_products: {
            auto& group = products_of(b, f->warp);
            const auto number = group.committed[f->warp % kGroupWarps]++;
            if (number < group.all.committed.size()) break;
            group.all.committed.push_back(b.clock.tick());
            b.clock.advance();
            break;
        }
        case GroupOp::wait_products: {
            const auto& group = products_of(b, f->warp);
            groups_over(b, f->warp, lanes, agent_of_group(f->warp), group.all.committed,
                        group.committed[f->warp % kGroupWarps], keep);
            break;
        }
        case GroupOp::commit_stores:
            each_lane(lanes,
                      [&](std::uint32_t l) { b.bulk_stores[f->warp * 32 + l].committed.push_back(b.clock.tick()); });
            b.clock.advance();
            break;
        case GroupOp::wait_stores:
            each_lane(lanes, [&](std::uint32_t l) {
                const auto found = b.bulk_stores.find(f->warp * 32 + l);
                if (found == b.bulk_stores.end()) return;
                const auto& times = found->second.committed;
                groups_over(b, f->warp, std::uint64_t{1} << l, agent_of_stores(f->warp), times, times.size(), keep);
            });
            break;
        default:
            break;
    }
}

}  // namespace warpwright::engine
