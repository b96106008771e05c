// All that does not depend on when an operation is issued, and by whom, is decided here.
#include "timing/prepared_code.hpp"

#include <algorithm>

namespace warpwright::timing {

using machine::Effect;
using machine::Op;
using machine::Pipe;

namespace {

/// Through a queue goes what asks a unit that answers when it is done (special functions, conversions, shuffles), or
/// the one that accesses of local and global memory have for themselves (the profiler's stall lg_throttle; those of
/// shared memory wait elsewhere, mio_throttle).
Want want_of(const Op& op) {
    const bool beyond = op.pipe == Pipe::memory && op.space != simt::Space::shared;
    Want out{static_cast<std::uint8_t>(beyond ? Want::kBeyond : static_cast<unsigned>(op.pipe)), beyond};
    if (op.pipe != Pipe::memory)
        out.queued =
            op.special > 0 || op.pipe == Pipe::special || op.pipe == Pipe::convert || op.pipe == Pipe::exchange;
    return out;
}

}  // namespace

double cycles_of(const Parameters& p, const Op& op, Pipe pipe) {
    if (op.flops <= 0) return p.pipes[static_cast<std::size_t>(pipe)].interval * op.work;
    const auto type = static_cast<std::size_t>(op.matrix);
    if (op.effect != Effect::product) return op.flops * p.warp_product[type];
    return std::max(op.flops * p.warpgroup_product[type], op.operand_bytes / p.l1_bytes);
}

PreparedCode::PreparedCode(const Parameters& p, const machine::Code& code)
    : always_there_(code.values), nobody_reads_(code.values + 1) {
    for (const auto& b : code.blocks) add(p, b);
    unrolled_ = bodies_.size();
    for (const auto& u : code.unrolled) add(p, u.body);
    regions_ = bodies_.size();
    for (const auto& r : code.regions) add(p, r.body);
}

void PreparedCode::add(const Parameters& p, const machine::Block& block) {
    bodies_.push_back(
        {&block, static_cast<std::uint32_t>(ops_.size()), static_cast<std::uint32_t>(block.ops.size()), slots_});
    slots_ += block.slots;
    for (const Op& op : block.ops) ops_.push_back(prepared(p, op));
}

PreparedOp PreparedCode::prepared(const Parameters& p, const Op& op) {
    PreparedOp out;
    out.op = &op, out.ptx = op.ptx;
    out.latency = op.of_thread ? p.register_latency : p.pipes[static_cast<std::size_t>(op.pipe)].latency;
    out.cycles = cycles_of(p, op, op.pipe);
    out.in = static_cast<std::uint32_t>(operands_.size());
    for (std::size_t k = 0; k < op.in.size(); ++k)
        operands_.push_back({op.in[k], k < op.uses.size() ? p.late(op.uses[k]) : 0});
    for (std::size_t k = op.in.size(); k < kLeastOperands; ++k) operands_.push_back({always_there_, 0});
    out.in_end = static_cast<std::uint32_t>(operands_.size());
    out.out = static_cast<std::uint32_t>(results_.size());
    results_.insert(results_.end(), op.out.begin(), op.out.end());
    if (op.out.empty()) results_.push_back(nobody_reads_);
    out.out_end = static_cast<std::uint32_t>(results_.size());
    out.want = out.want_of_part = want_of(op);
    out.want_of_part.unit = Want::kSpecialPart;
    out.pipe = op.pipe;
    out.issues = op.issues, out.special = op.special, out.part = op.part;
    if (op.pipe == Pipe::exchange || op.pipe == Pipe::special || op.pipe == Pipe::convert)
        out.why = Stall::short_scoreboard;
    out.plain = op.effect == Effect::none && op.space != simt::Space::constant && !op.invalidates;
    out.branch = op.pipe == Pipe::branch && op.effect == Effect::none;
    out.repeats = op.repeats, out.product = op.effect == Effect::product;
    out.accesses = op.pipe == Pipe::memory, out.wide_constant = op.wide_constant;
    return out;
}

}  // namespace warpwright::timing
