// Blocks of a cluster under the checkers: one that reaches for another's shared memory has to know that it has started,
// and the other has to wait for that before it ends.
#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/checked/race.hpp"
#include "engine/runtime/texts.hpp"

namespace warpwright::engine {

namespace {

void tell(BlockContext* c, const WarpFrame* f, unsigned lane, record::FindingKind kind, const simt::Details* at,
          const std::string& message) {
    auto& launch = launch_of(c);
    if (launch.collector->again(kind, at, nullptr)) return;
    auto found = finding_at(c, f, lane, kind, at);
    found.space = "shared";
    found.message = (at ? at->spelling() + ": " : std::string()) + found.at.thread_text() + " " + message;
    launch.collector->add(std::move(found), at, nullptr);
}

void tell_ended(BlockContext* c, const WarpFrame* f, unsigned lane, const BlockContext& peer, const simt::Details* at) {
    tell(c, f, lane, record::FindingKind::peer_ended, at,
         "reaches for the shared memory of " + block_text(peer) +
             ", which may have ended by then: it waits for nothing "
             "that comes after this");
}

/// Whether some thread of the block has waited for what happened before the access with this stamp.
bool has_waited_for(const CheckBlock& b, shadow::Stamp s) {
    for (unsigned w = 0; w < b.warps.size(); ++w)
        for (int lane = -1; lane < 32; ++lane)
            if (b.clock.knows(s, false, w, lane)) return true;
    return false;
}

}  // namespace

void check_started(BlockContext* c, WarpFrame* f, unsigned lane, BlockContext& peer, const simt::Details* at) {
    if (!launch_of(c).race || checked(c).met || &peer == c) return;
    tell(c, f, lane, record::FindingKind::peer_not_started, at,
         "reaches for the shared memory of " + block_text(peer) + ", and nothing says that it has started");
}

void check_peer_access(BlockContext* c, WarpFrame* f, const SiteInfo& info, unsigned lane, BlockContext& peer) {
    if (!launch_of(c).race || !checked(c).race || !peer.check) return;
    check_started(c, f, lane, peer, info.ptx);
    auto& owner = checked(&peer);
    if (owner.ended) return tell_ended(c, f, lane, peer, info.ptx);
    auto& b = checked(c);
    const auto stamp = b.key | (shadow::Stamp{f->warp} * 32 + lane) << shadow::kThreadShift | b.clock.tick();
    owner.peers[{b.clock.block(), f->warp}] = {stamp, info.ptx, c, f, lane};
}

void check_ended(ResidentBlock& block) {
    auto& b = *block.check;
    b.ended = true;
    for (const auto& [who, access] : b.peers)
        if (!has_waited_for(b, access.stamp))
            tell_ended(access.by, access.frame, access.lane, block.context, access.at);
    b.peers.clear();
}

}  // namespace warpwright::engine
