// The warp IR as text.
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

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
            s += facts(i.kind).name;
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

}  // namespace warpwright::simt
