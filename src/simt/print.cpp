// The warp IR as text, and its verifier.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

const char* kind_name(InstKind kind) {
    static const char* names[] = {
        "data",        "move",       "select",       "pack",     "unpack",     "special",      "address",
        "function",    "param",      "load",         "store",    "atomic",     "to_generic",   "from_generic",
        "in_space",    "prefetch",   "shuffle",      "vote",     "match",      "reduce",       "active_mask",
        "elect",       "barrier",    "warp_barrier", "fence",    "matrix",     "matrix_load",  "matrix_store",
        "matrix_move", "copy_async", "copy_group",   "async_op", "async_wait", "matrix_async", "call",
        "system_call", "sleep",      "trap",         "nop",      "phi"};
    return names[static_cast<int>(kind)];
}

std::string operand(const Operand& o) {
    switch (o.kind) {
        case Operand::Kind::none:
            return "undef";
        case Operand::Kind::value:
            return (o.negated ? "!v" : "v") + std::to_string(o.value);
        case Operand::Kind::integer:
            return std::to_string(static_cast<std::int64_t>(o.bits));
        case Operand::Kind::real:
            return "real:" + std::to_string(o.bits);
    }
    return "?";
}

}  // namespace

std::string print(const Function& f) {
    std::string s = (f.kernel ? "kernel " : "function ") + f.name + " shared=" + std::to_string(f.static_shared) +
                    " local=" + std::to_string(f.local_bytes) + (f.strict ? " strict" : "") +
                    (f.irreducible ? " irreducible" : "") + "\n";
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        const auto& x = f.blocks[b];
        s += "b" + std::to_string(b) + ":";
        if (x.loop != kNone) s += " loop" + std::to_string(x.loop);
        if (x.sync) s += " sync";
        if (x.yield) s += " yield";
        s += "\n";
        for (const auto& i : x.insts) {
            s += "  ";
            for (std::size_t k = 0; k < i.out.size(); ++k)
                s += (k ? ", " : "") + (i.out[k] == kNone ? std::string("_") : "v" + std::to_string(i.out[k]));
            if (!i.out.empty()) s += " = ";
            s += kind_name(i.kind);
            if (i.ptx) s += " " + i.ptx->spelling();
            for (std::size_t k = 0; k < i.in.size(); ++k) {
                s += (k ? ", " : " ") + operand(i.in[k]);
                if (i.kind == InstKind::phi) s += "@b" + std::to_string(i.from[k]);
            }
            if (i.offset) s += " +" + std::to_string(i.offset);
            if (!i.counted) s += " ;glue";
            s += "\n";
        }
        static const char* ends[] = {"jump", "branch", "multiway", "exit", "ret", "trap"};
        s += std::string("  ") + ends[static_cast<int>(x.end.kind)];
        if (x.end.kind == Terminator::Kind::branch || x.end.kind == Terminator::Kind::multiway)
            s += " " + operand(x.end.condition);
        for (auto t : x.end.targets) s += " b" + std::to_string(t);
        s += "\n";
    }
    return s;
}

std::string verify(const Function& f) {
    const auto nb = f.blocks.size();
    std::vector<int> defined(f.values.size(), 0);
    for (BlockId b = 0; b < nb; ++b) {
        const auto& x = f.blocks[b];
        auto at = "b" + std::to_string(b);
        for (auto t : x.end.targets)
            if (t >= nb) return at + ": target out of range";
        if (x.end.kind == Terminator::Kind::branch && x.end.targets.size() != 2) return at + ": a branch has 2 targets";
        if (x.end.kind == Terminator::Kind::jump && x.end.targets.size() != 1) return at + ": a jump has 1 target";
        bool body = false;
        for (const auto& i : x.insts) {
            if (i.kind == InstKind::phi) {
                if (body) return at + ": phi after another instruction";
                if (i.in.size() != i.from.size() || i.in.size() != x.preds.size())
                    return at + ": phi and predecessors differ";
            } else {
                body = true;
            }
            for (auto v : i.out) {
                if (v == kNone) continue;
                if (v >= f.values.size()) return at + ": result out of range";
                if (defined[v]++) return at + ": v" + std::to_string(v) + " is defined twice";
                if (f.values[v].block != b) return at + ": v" + std::to_string(v) + " claims another block";
            }
            for (const auto& o : i.in)
                if (o.is_value() && o.value >= f.values.size()) return at + ": operand out of range";
        }
    }
    auto idom = dominators(f);
    auto dominates = [&](BlockId a, BlockId b) {
        while (b > a) b = idom[b];
        return a == b;
    };
    for (BlockId b = 0; b < nb; ++b)
        for (std::uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
            const auto& i = f.blocks[b].insts[k];
            for (std::size_t n = 0; n < i.in.size(); ++n) {
                if (!i.in[n].is_value()) continue;
                const auto& v = f.values[i.in[n].value];
                auto use = i.kind == InstKind::phi ? i.from[n] : b;
                if (!defined[i.in[n].value]) return "b" + std::to_string(b) + ": use of an undefined value";
                if (v.block == use && i.kind != InstKind::phi && v.inst >= k && use == b)
                    return "b" + std::to_string(b) + ": v" + std::to_string(i.in[n].value) +
                           " used before its definition";
                if (!dominates(v.block, use))
                    return "b" + std::to_string(b) + ": v" + std::to_string(i.in[n].value) +
                           " does not dominate its use";
            }
        }
    if (!f.irreducible)
        for (const auto& loop : f.loops) {
            for (std::size_t k = 1; k < loop.blocks.size(); ++k)
                if (loop.blocks[k] != loop.blocks[k - 1] + 1) return "loop blocks are not contiguous";
            if (loop.latch != loop.blocks.back()) return "the latch is not the last block of its loop";
        }
    return "";
}

}  // namespace warpwright::simt
