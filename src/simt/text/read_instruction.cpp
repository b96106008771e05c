// What the text leaves out is what the instruction's kind implies, as the printer leaves it out. The first word that
// does not fit is named in the error.
#include "simt/text/read_instruction.hpp"

#include "ptx/suffix.hpp"
#include "simt/text/words.hpp"

namespace warpwright::simt::text {

namespace {

std::string wrong(std::string_view what, std::string_view word) {
    return std::string(what) + " '" + std::string(word.substr(0, 64)) + "'";
}

/// Where the offset behind a base begins.
std::size_t base_end(std::string_view text) { return std::min(text.find_first_of("+-", 1), text.size()); }

}  // namespace

std::optional<std::string> InstructionReader::instruction(const Line& line, Inst& out) {
    line_ = &line, at_ = 0, written_.reset(), nounroll_ = false;
    if (!results(out)) return wrong("the results are broken at", done() ? "=" : word());
    const auto kind = done() ? std::nullopt : kind_from(word());
    if (!kind) return wrong("there is no kind of instruction", done() ? "" : word());
    out.kind = *kind;
    ++at_;
    out.ptx = spelled();
    out.counted = !line.glue;
    if (!operands(out)) return wrong("the operand is broken at", done() ? "" : word());
    if (out.kind != InstKind::address) out.space = implied_space(out);
    out.type = implied_type(out, f_);
    if (!trailers(out)) return wrong("what stands behind the operands is broken at", done() ? "" : word());
    if (!details_of(out)) return wrong("the operands are not written as", written_.value_or(""));
    return std::nullopt;
}

/// "v1:b32, _ =": the values' classes are entered.
bool InstructionReader::results(Inst& out) {
    std::size_t equals = 0;
    while (equals < line_->words.size() && line_->words[equals].text != "=") ++equals;
    if (equals == line_->words.size()) return true;
    for (; at_ < equals; ++at_) {
        if (word() == "_") {
            out.out.push_back(kNone);
            continue;
        }
        const auto colon = word().find(':');
        const auto value = numbered(word().substr(0, colon), "v");
        if (colon == std::string_view::npos || !value || *value >= f_.values.size()) return false;
        const auto type = ptx::type_from(word().substr(colon + 1));
        if (type == Type::none || register_class(type) != type) return false;
        f_.values[*value].type = type;
        out.out.push_back(*value);
    }
    ++at_;
    return true;
}

/// The PTX instruction that a word spells, if it does.
const Details* InstructionReader::spelled() {
    if (done()) return nullptr;
    auto read = decode(word());
    if (!read) return nullptr;
    ++at_;
    return &f_.placed->emplace_back(std::move(*read));
}

bool InstructionReader::operands(Inst& i) {
    bool more = !done();
    if (more && (has_address(i.kind) || i.kind == InstKind::special || i.kind == InstKind::address ||
                 i.kind == InstKind::function || i.kind == InstKind::system_call ||
                 (i.kind == InstKind::call && word().starts_with('&')))) {
        if (!named(i)) return false;
        more = line_->words[at_++].comma;
    } else if (more) {  // an instruction without inputs may have something behind it
        const auto text = word();
        more = i.kind == InstKind::phi || operand_from(text).has_value();
    }
    while (more) {
        if (done() || !input(i, word())) return false;
        more = line_->words[at_++].comma;
    }
    if (!done() && (word()[0] == '+' || word()[0] == '-')) {
        const auto by = offset_from(word());
        if (!by) return false;
        i.offset = *by;
        ++at_;
    }
    return true;
}

/// What has a name or stands in brackets.
bool InstructionReader::named(Inst& i) {
    auto text = word();
    if (has_address(i.kind)) {
        if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 3) return false;
        return address(i, text.substr(1, text.size() - 2));
    }
    if (i.kind == InstKind::special) {
        const auto reg = ptx::special_from(text);
        if (reg) i.special = *reg;
        return reg.has_value();
    }
    if (!text.starts_with('&')) return false;
    text.remove_prefix(1);
    if (i.kind == InstKind::address) return variable(i, text);
    if (i.kind == InstKind::system_call) {
        const auto call = system_call_from(text);
        if (call) i.system = *call;
        return call.has_value();
    }
    i.symbol = f_.module->find_function(text);
    return i.symbol != ptx::kNoId;
}

bool InstructionReader::address(Inst& i, std::string_view text) {
    const auto end = base_end(text);
    const auto base = text.substr(0, end);
    const auto by = offset_from(text.substr(end));
    if (!by) return false;
    i.offset = *by;
    if (const auto storage = numbered(base, "storage:")) {
        i.symbol = *storage;
        i.space = Space::param;
        return *storage < f_.storages.size();
    }
    if (const auto o = operand_from(base)) {
        i.in.push_back(*o);
        return true;
    }
    if (i.kind != InstKind::param) return false;
    if (base == "params:") return true;
    const auto name = base.starts_with('&') ? base.substr(1) : base;
    const auto& parameters = f_.source->parameters;
    for (std::size_t k = 0; k < parameters.size() && k < f_.param_offsets.size(); ++k)
        if (name_of(*f_.module, parameters[k]) == name) {
            i.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(i.offset) + f_.param_offsets[k]);
            return true;
        }
    return false;
}

bool InstructionReader::variable(Inst& i, std::string_view text) {
    const auto end = base_end(text);
    const auto base = text.substr(0, end);
    const auto by = offset_from(text.substr(end));
    if (!by) return false;
    i.offset = *by;
    if (const auto storage = numbered(base, "storage:")) {
        i.symbol = *storage;
        i.space = Space::param;
        return *storage < f_.storages.size();
    }
    i.space = Space::local;
    if (base == "frame:") return true;
    if (base == "outgoing:") {
        i.symbol = kOutgoing;
        return true;
    }
    const auto found = variable_from(*f_.module, base);
    if (!found) return false;
    i.symbol = *found;
    i.space = f_.module->variables[*found].space;
    return true;
}

bool InstructionReader::input(Inst& i, std::string_view text) {
    if (i.kind == InstKind::phi) {
        const auto at = text.find("@b");
        const auto from = at == std::string_view::npos ? std::nullopt : numbered(text.substr(at), "@b");
        if (!from) return false;
        i.from.push_back(*from);
        text = text.substr(0, at);
    }
    const auto o = operand_from(text);
    if (o) i.in.push_back(*o);
    return o.has_value();
}

bool InstructionReader::trailers(Inst& i) {
    while (!done()) {
        const auto text = word();
        ++at_;
        if (text == "nounroll") {
            nounroll_ = true;
        } else if (text == "in" || text == "as") {
            if (done()) return false;
            const auto space = space_from(word());
            const auto type = ptx::type_from(word());
            if (text == "in" ? !space : type == Type::none && word() != "none") return false;
            if (text == "in")
                i.space = *space;
            else
                i.type = type;
            ++at_;
        } else if (const auto bytes = numbered(text, "bytes=")) {
            i.copy_bytes = *bytes;
        } else if (const auto how = behind(text, "written=")) {
            written_ = how;
        } else {
            --at_;
            return false;
        }
    }
    return true;
}

/// The operands as written, or as the inputs and results of a data instruction imply them.
bool InstructionReader::details_of(Inst& i) {
    if (!i.ptx) return !written_ && !nounroll_;
    auto& details = f_.placed->back();
    details.nounroll = nounroll_;
    if (written_) {
        auto read = written_from(*written_);
        if (!read) return false;
        details.operands = std::move(*read);
    } else if (i.kind == InstKind::data) {
        details.operands = implied_operands(i);
    }
    return true;
}

std::optional<std::string> InstructionReader::terminator(const Line& line, Terminator& out) {
    line_ = &line, at_ = 0;
    const auto kind = terminator_from(word());
    if (!kind) return wrong("there is no end of a block", word());
    out.kind = *kind;
    ++at_;
    out.ptx = spelled();
    out.counted = !line.glue;
    if (out.kind == Terminator::Kind::branch || out.kind == Terminator::Kind::multiway) {
        const auto condition = done() ? std::nullopt : operand_from(word());
        if (!condition) return wrong("the condition is broken at", done() ? "" : word());
        out.condition = *condition;
        ++at_;
    }
    for (; !done(); ++at_) {
        if (word() == "nounroll" && out.ptx) {
            f_.placed->back().nounroll = true;
            continue;
        }
        const auto target = numbered(word(), "b");
        if (!target) return wrong("the target is no block:", word());
        out.targets.push_back(*target);
    }
    return std::nullopt;
}

}  // namespace warpwright::simt::text
