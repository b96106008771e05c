// The most 32-bit registers live at once, at any instruction, plus a few for addresses and the machine's own use. Only
// ptxas knows what it would allocate, so this is an estimate, and labelled so wherever it is shown.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

Result<void> estimate_registers(Function& f) {
    constexpr unsigned kForTheMachine = 6, kMost = 255;
    auto width = [&](ValueId v) -> unsigned {
        const auto t = f.values[v].type;
        return t == ptx::Type::pred ? 0 : std::max(1u, ptx::bits(t) / 32);
    };
    const auto in = live_in(f, {});
    std::vector<BlockId> live(f.values.size(), kNone);  // live[v] == b: v is live where the walk through b stands
    unsigned most = 0;
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        unsigned now = 0;
        auto begin = [&](ValueId v) {
            if (live[v] != b) live[v] = b, now += width(v);
        };
        for (auto t : f.blocks[b].end.targets) {
            in[t].each(begin);
            for (const auto& i : f.blocks[t].insts) {
                if (i.kind != InstKind::phi) break;
                if (i.out[0] != kNone) begin(i.out[0]);
            }
        }
        most = std::max(most, now);
        const auto& insts = f.blocks[b].insts;
        for (auto i = insts.rbegin(); i != insts.rend(); ++i) {
            for (auto v : i->out)
                if (v != kNone && live[v] == b) live[v] = kNone, now -= width(v);
            if (i->kind != InstKind::phi)
                for (const auto& o : i->in)
                    if (o.is_value()) begin(o.value);
            most = std::max(most, now);
        }
    }
    f.registers_estimate = std::min(kMost, most + kForTheMachine);
    return {};
}

}  // namespace warpwright::simt
