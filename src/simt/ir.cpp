// The facts of the warp IR's instruction kinds, and its registers.
#include "simt/ir.hpp"

namespace warpwright::simt {

namespace {

constexpr KindFacts kKinds[] = {
#define KIND(name, pure, fewest, results) {#name, pure, fewest, Results::results},
#include "simt/kinds.inc"
#undef KIND
};

}  // namespace

const KindFacts& facts(InstKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ptx::Type register_class(ptx::Type type) {
    using T = ptx::Type;
    if (type == T::pred || type == T::f32 || type == T::f64) return type;
    switch (ptx::bits(type)) {
        case 1:
            return T::pred;
        case 4:
        case 8:
        case 16:
            return T::b16;
        case 32:
            return T::b32;
        case 128:
            return T::b128;
        default:
            return T::b64;
    }
}

bool reads_clock(const Inst& i) {
    if (i.kind != InstKind::special) return false;
    const auto name = spelling(i.special);
    return name.find("clock") != std::string_view::npos || name.find("timer") != std::string_view::npos;
}

bool reads_clock(const Function& f) {
    for (const auto& block : f.blocks)
        for (const auto& i : block.insts)
            if (reads_clock(i)) return true;
    return false;
}

ValueId new_value(Function& f, ptx::Type type) {
    f.values.push_back({register_class(type), kNone, kNone});
    return static_cast<ValueId>(f.values.size() - 1);
}

}  // namespace warpwright::simt
