// The warp IR as text (text.hpp).
#include <fmt/format.h>

#include "simt/text.hpp"
#include "simt/text/words.hpp"

namespace warpwright::simt {

namespace {

std::string operand(const Operand& o) {
    switch (o.kind) {
        case Operand::Kind::none:
            return "undef";
        case Operand::Kind::value:
            return fmt::format("{}v{}", o.negated ? "!" : "", o.value);
        case Operand::Kind::integer:
            return std::to_string(static_cast<std::int64_t>(o.bits));
        case Operand::Kind::real:
            return o.f32_bits ? fmt::format("0f{:08x}", o.bits) : fmt::format("0d{:016x}", o.bits);
    }
    return "?";
}

std::string offset(std::int64_t by) { return by ? fmt::format("{:+}", by) : ""; }

/// Whether a parameter's name could be read as a value.
bool looks_like_value(std::string_view name) {
    return name == "undef" || (name.size() > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9');
}

class Printer {
public:
    Printer(const Function& f, const Shapes* shapes) : f_(f), shapes_(shapes) {}

    std::string run() {
        header();
        for (BlockId b = 0; b < f_.blocks.size(); ++b) block(b);
        return std::move(s_);
    }

private:
    void header() {
        s_ += fmt::format("{} {} shared={} local={} stage={} values={}", f_.kernel ? "kernel" : "function", f_.name,
                          f_.static_shared, f_.local_bytes, text::name(f_.stage), f_.values.size());
        if (f_.kernel) s_ += fmt::format(" params={}", f_.param_bytes);
        if (f_.registers_estimate) s_ += fmt::format(" registers={}", f_.registers_estimate);
        for (const auto& [set, name] : {std::pair{f_.strict, "strict"},
                                        {f_.irreducible, "irreducible"},
                                        {f_.has_calls, "calls"},
                                        {f_.waits, "waits"}})
            if (set) (s_ += ' ') += name;
        s_ += "\n";
        const auto& parameters = f_.source->parameters;
        for (std::size_t k = 0; k < f_.param_offsets.size() && k < parameters.size(); ++k)
            s_ += fmt::format("  param {} +{}\n", text::name_of(*f_.module, parameters[k]), f_.param_offsets[k]);
        for (std::uint32_t v = 0; v < f_.placements.size(); ++v)
            if (f_.placements[v].placed)
                s_ += fmt::format("  variable {} +{}\n", text::name_of(*f_.module, v), f_.placements[v].offset);
        for (const auto v : f_.dynamic_shared) s_ += fmt::format("  dynamic {}\n", text::name_of(*f_.module, v));
        for (std::size_t k = 0; k < f_.storages.size(); ++k) {
            const auto& s = f_.storages[k];
            s_ += fmt::format("  storage:{} bytes={} align={}{}{}\n", k, s.size, s.align, s.in_memory ? " memory" : "",
                              s.placed ? fmt::format(" at={}", s.offset) : "");
        }
        for (const auto callee : f_.callees) s_ += "  callee " + f_.module->functions[callee].name + "\n";
        for (std::size_t k = 0; k < f_.loops.size(); ++k) {
            const auto& l = f_.loops[k];
            s_ += fmt::format("  loop{} b{} to b{} depth={}{}{}\n", k, l.header, l.latch, l.depth,
                              l.parent == kNone ? "" : fmt::format(" in=loop{}", l.parent), l.spins ? " spins" : "");
        }
        undefined();
    }

    /// Registers that are read though nothing writes them.
    void undefined() {
        std::vector<bool> written(f_.values.size(), false), read(f_.values.size(), false);
        const auto reads = [&](const Operand& o) {
            if (o.is_value()) read[o.value] = true;
        };
        for (const auto& b : f_.blocks) {
            for (const auto& i : b.insts) {
                for (const auto& o : i.in) reads(o);
                for (const auto v : i.out)
                    if (v != kNone) written[v] = true;
            }
            reads(b.end.condition);
        }
        for (ValueId v = 0; v < f_.values.size(); ++v)
            if (read[v] && !written[v]) s_ += fmt::format("  undefined {}\n", result(v));
    }

    std::string result(ValueId v) const {
        return v == kNone ? "_" : fmt::format("v{}:{}", v, spelling(f_.values[v].type));
    }

    void block(BlockId b) {
        const auto& x = f_.blocks[b];
        s_ += fmt::format("b{}:", b);
        if (x.loop != kNone) s_ += fmt::format(" loop{}", x.loop);
        if (x.sync) s_ += " sync";
        if (x.yield) s_ += " yield";
        s_ += "\n";
        for (const auto& i : x.insts) instruction(i);
        const auto& end = x.end;
        (s_ += "  ") += text::name(end.kind);
        if (end.ptx) s_ += " " + end.ptx->spelling();
        if (end.kind == Terminator::Kind::branch || end.kind == Terminator::Kind::multiway)
            s_ += " " + operand(end.condition);
        for (const auto t : end.targets) s_ += fmt::format(" b{}", t);
        if (end.ptx && end.ptx->nounroll) s_ += " nounroll";
        if (!end.counted) s_ += " ;glue";
        if (shapes_ && shapes_->divergent[b]) s_ += " ; may split lanes";
        s_ += "\n";
    }

    void instruction(const Inst& i) {
        s_ += "  ";
        for (std::size_t k = 0; k < i.out.size(); ++k) s_ += (k ? ", " : "") + result(i.out[k]);
        if (!i.out.empty()) s_ += " = ";
        s_ += facts(i.kind).name;
        if (i.ptx) s_ += " " + i.ptx->spelling();
        operands(i);
        if (i.space != implied_space(i)) (s_ += " in ") += text::name(i.space);
        if (i.type != text::implied_type(i, f_)) (s_ += " as ") += i.type == Type::none ? "none" : spelling(i.type);
        if (i.copy_bytes) s_ += fmt::format(" bytes={}", i.copy_bytes);
        if (const auto how = text::written(i); !how.empty()) s_ += " written=" + how;
        if (i.ptx && i.ptx->nounroll) s_ += " nounroll";
        if (!i.counted) s_ += " ;glue";
        if (shapes_) s_ += shapes_of(i);
        s_ += "\n";
    }

    Space implied_space(const Inst& i) const {
        return i.kind == InstKind::address && names_variable(i)  ? f_.module->variables[i.symbol].space
               : i.kind == InstKind::address && names_storage(i) ? Space::param
                                                                 : text::implied_space(i);
    }
    bool names_storage(const Inst& i) const {
        return i.space == Space::param && i.symbol != kNone && i.symbol < f_.storages.size() &&
               (i.kind == InstKind::address || i.kind == InstKind::load || i.kind == InstKind::store);
    }
    bool names_variable(const Inst& i) const { return i.symbol < f_.module->variables.size() && !names_storage(i); }

    void operands(const Inst& i) {
        std::size_t k = 0;
        const char* before = " ";
        const auto add = [&](const std::string& text) {
            s_ += before + text;
            before = ", ";
        };
        if (text::has_address(i.kind)) {
            add("[" + address(i, k) + "]");
        } else if (i.kind == InstKind::special) {
            add(std::string(spelling(i.special)));
        } else if (i.kind == InstKind::address) {
            add("&" +
                (names_storage(i)        ? fmt::format("storage:{}", i.symbol)
                 : i.symbol == kOutgoing ? "outgoing:"
                 : names_variable(i)     ? text::name_of(*f_.module, i.symbol)
                                         : "frame:") +
                offset(i.offset));
        } else if (i.kind == InstKind::function || (i.kind == InstKind::call && i.symbol != kNone)) {
            add("&" + f_.module->functions[i.symbol].name);
        } else if (i.kind == InstKind::system_call) {
            add("&" + std::string(text::name(i.system)));
        }
        for (; k < i.in.size(); ++k)
            add(operand(i.in[k]) + (i.kind == InstKind::phi ? fmt::format("@b{}", i.from[k]) : ""));
        if (i.offset && !text::has_address(i.kind) && i.kind != InstKind::address) s_ += " " + offset(i.offset);
    }

    /// What stands in brackets; `taken`: how many inputs it has used.
    std::string address(const Inst& i, std::size_t& taken) const {
        if (names_storage(i)) return fmt::format("storage:{}", i.symbol) + offset(i.offset);
        if (!i.in.empty()) {
            taken = 1;
            return operand(i.in[0]) + offset(i.offset);
        }
        const auto& parameters = f_.source->parameters;
        for (std::size_t k = f_.param_offsets.size(); k-- > 0;)
            if (k < parameters.size() && f_.param_offsets[k] <= i.offset) {
                const auto name = text::name_of(*f_.module, parameters[k]);
                return (looks_like_value(name) ? "&" : "") + name + offset(i.offset - f_.param_offsets[k]);
            }
        return "params:" + offset(i.offset);
    }

    std::string shapes_of(const Inst& i) const;

    const Function& f_;
    const Shapes* shapes_;
    std::string s_;
};

/// What the lanes' offsets are: their step where it is one, else the first lanes'.
std::string steps(const LaneVector& lanes, unsigned count) {
    const auto step = lanes[1] - lanes[0];
    bool even = true;
    for (unsigned l = 1; l < count; ++l) even &= lanes[l] - lanes[l - 1] == step;
    if (even) return lanes[0] ? fmt::format("{}+{}*lane", lanes[0], step) : fmt::format("{}*lane", step);
    std::string s = "{";
    for (unsigned l = 0; l < count; ++l) s += (l ? "," : "") + std::to_string(lanes[l]);
    return s + "}";
}

std::string Printer::shapes_of(const Inst& i) const {
    constexpr unsigned kShown = 32;
    std::string s;
    for (const auto v : i.out) {
        if (v == kNone) continue;
        s += s.empty() ? " ; " : ", ";
        switch (shapes_->of[v]) {
            case Shape::unknown:
                s += "unknown";
                break;
            case Shape::uniform:
                s += "uniform";
                break;
            case Shape::varying:
                s += "varying";
                break;
            case Shape::affine: {
                const auto& form = shapes_->affine.at(v);
                s += "affine " + steps(form.constant, kShown);
                for (const auto& term : form.terms) {
                    s += " + ";
                    for (const auto& factor : term.scalar) s += fmt::format("v{}*", factor.value);
                    s += "(" + steps(term.lanes, kShown) + ")";
                }
                break;
            }
        }
    }
    return s;
}

}  // namespace

std::string print(const Function& f) { return Printer(f, nullptr).run(); }

std::string print(const Function& f, const Shapes& shapes) { return Printer(f, &shapes).run(); }

}  // namespace warpwright::simt
