// Copies and matrix products of the asynchronous proxy see what threads wrote to shared memory only behind a fence of
// proxies. A fence covers the writes of its own thread, and those of which a barrier has told it.
#include "engine/runtime/checked/race.hpp"

namespace warpwright::engine {

using namespace checked_access;

namespace {

/// Whether a fence of proxies covers a write of a thread of this block.
bool is_fenced(const CheckBlock& block, Stamp s) {
    const auto& p = block.proxy;
    const auto tick = shadow::tick_of(s), thread = shadow::thread_of(s);
    return tick <= p.base || (thread / 32 < p.by_warp.size() && tick <= p.by_warp[thread / 32]) ||
           (thread < p.by_thread.size() && tick <= p.by_thread[thread]);
}

/// Reads through the asynchronous proxy of what threads have written, with no fence of proxies since. A write that is
/// not ordered before the read at all is a race, and is told as that.
void look_for_proxy_fence(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                          unsigned lane) {
    constexpr std::uint64_t kStep = 16;  // that of such copies
    auto& block = checked(c);
    auto& launch = launch_of(c);
    if (block.shared->no_thread_wrote(offset, bytes, block.key)) return;
    const auto a = make_access(c, f, site, lane, true);
    for (std::uint64_t k = 0; k < bytes; k += kStep) {
        const auto [s, side] = block.shared->last_writer(offset + k);
        if (!s || (s & shadow::kAgent) || (s ^ block.key) >> shadow::kBlockShift || is_fenced(block, s)) continue;
        if (unordered(s, side, a)) continue;
        const auto& sites = c->executor->launch.code->sites;
        const auto index = shadow::site_of(side);
        const SiteInfo* writer = index < sites.size() && index < shadow::kMostSites ? &sites[index] : nullptr;
        const auto* other = writer ? writer->ptx : nullptr;
        if (launch.collector->again(FindingKind::proxy_fence, a.info->ptx, other)) return;
        auto found = finding_at(c, f, lane, FindingKind::proxy_fence, a.info->ptx);
        found.space = "shared";
        found.address = offset + k;
        found.bytes = static_cast<std::uint32_t>(bytes);
        found.array = array_of(c->executor->launch, found.space, offset + k, std::nullopt, *a.info);
        record::FindingPlace before;
        if (writer) {
            const auto where = location(*c->executor->launch.code->module, other);
            before.file = where.file, before.line = where.line, before.column = where.column;
            before.access = std::string(access_name(*writer)) + " of " + bytes_text(writer->bytes * writer->count);
        }
        place_of(a, s, before);
        found.message = found.at.access + " reads " + (found.array ? found.array->element + ", " : "") +
                        "shared memory that " + before.thread_text() +
                        " wrote, with no fence.proxy.async between the two";
        found.other = std::move(before);
        launch.collector->add(std::move(found), a.info->ptx, other);
        return;
    }
}

}  // namespace

void checked_proxy_read(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                        unsigned lane, Stamp leaves, bool carried) {
    auto& block = checked(c);
    if (launch_of(c).race && block.race && covers(0, block.shared_bytes, offset, bytes))
        look_for_proxy_fence(c, f, site, offset, bytes, lane);
    checked_shared_read(c, f, site, offset, bytes, lane, carried, leaves);
}

}  // namespace warpwright::engine
