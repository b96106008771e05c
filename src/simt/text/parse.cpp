// The text of the warp IR -> a function (text.hpp).
#include <algorithm>

#include "simt/limits.hpp"
#include "simt/text.hpp"
#include "simt/text/read_instruction.hpp"
#include "simt/text/words.hpp"

namespace warpwright::simt {

namespace {

using text::behind;
using text::Line;
using text::number_from;
using text::numbered;

class Parser {
public:
    Parser(std::string_view text, const ptx::Module& module) : lines_(text::lines_of(text)) {
        f_.module = &module;
        f_.placed = std::make_shared<std::deque<Details>>();
    }

    Result<Function> run() {
        if (lines_.empty()) return wrong({}, "there is no function");
        if (auto r = header(lines_[0]); !r) return r.error();
        at_ = 1;
        for (; at_ < lines_.size() && !begins_block(lines_[at_]); ++at_)
            if (!fact(lines_[at_])) return wrong(lines_[at_], "this says nothing of a function");
        text::InstructionReader reader(f_);
        while (at_ < lines_.size())
            if (auto r = block(reader); !r) return r.error();
        if (auto r = derive(); !r) return r.error();
        if (auto broken = verify(f_); !broken.empty()) return wrong({}, "the warp IR is broken: " + broken);
        return std::move(f_);
    }

private:
    static Error wrong(const Line& line, const std::string& what) {
        return Error{ErrorKind::input, what, {"warp IR", line.number, 0}, ""};
    }
    static bool begins_block(const Line& line) {
        return line.words[0].text.starts_with('b') && line.words[0].text.ends_with(':');
    }

    Result<void> header(const Line& line) {
        const auto& words = line.words;
        if (words.size() < 2 || (words[0].text != "kernel" && words[0].text != "function"))
            return wrong(line, "a function begins with 'kernel NAME' or 'function NAME'");
        f_.kernel = words[0].text == "kernel";
        f_.name = words[1].text;
        const auto id = f_.module->find_function(f_.name);
        if (id == ptx::kNoId) return wrong(line, "the module has no function '" + f_.name + "'");
        f_.source = &f_.module->functions[id];
        for (std::size_t k = 2; k < words.size(); ++k)
            if (!header_word(words[k].text))
                return wrong(line, "'" + std::string(words[k].text) + "' is not known here");
        return {};
    }

    bool header_word(std::string_view word) {
        const auto set = [&](std::string_view key, auto& to) {
            const auto digits = behind(word, key);
            const auto n = digits ? number_from<std::remove_reference_t<decltype(to)>>(*digits) : std::nullopt;
            if (n) to = *n;
            return n.has_value();
        };
        std::uint32_t values = 0;
        if (set("shared=", f_.static_shared) || set("local=", f_.local_bytes) || set("params=", f_.param_bytes) ||
            set("registers=", f_.registers_estimate))
            return true;
        if (set("values=", values)) {
            if (values > kMaxRegisters) return false;
            f_.values.assign(values, Value{});
            return true;
        }
        if (const auto stage = behind(word, "stage=")) {
            const auto known = text::stage_from(*stage);
            if (known) f_.stage = *known;
            return known.has_value();
        }
        for (auto [name, flag] : {std::pair{"strict", &f_.strict},
                                  {"irreducible", &f_.irreducible},
                                  {"calls", &f_.has_calls},
                                  {"waits", &f_.waits}})
            if (word == name) return *flag = true;
        return false;
    }

    /// One of the lines before the first block.
    bool fact(const Line& line) {
        const auto& words = line.words;
        const auto what = words[0].text;
        if (numbered(what, "storage:")) return storage(line);
        if (numbered(what, "loop")) return loop(line);
        if (words.size() < 2) return false;
        const auto name = words[1].text;
        if (what == "callee") {
            f_.callees.push_back(f_.module->find_function(name));
            return f_.callees.back() != ptx::kNoId;
        }
        if (what == "undefined") {
            const auto colon = name.find(':');
            const auto value = numbered(name.substr(0, colon), "v");
            if (colon == std::string_view::npos || !value || *value >= f_.values.size()) return false;
            const auto type = ptx::type_from(name.substr(colon + 1));
            f_.values[*value].type = type;
            return type != Type::none && register_class(type) == type;
        }
        const auto variable = text::variable_from(*f_.module, name);
        if (!variable) return false;
        if (what == "dynamic") {
            f_.dynamic_shared.push_back(*variable);
            return true;
        }
        const auto place = words.size() == 3 ? numbered(words[2].text, "+") : std::nullopt;
        if (!place) return false;
        if (what == "param")
            f_.param_offsets.push_back(*place);
        else if (what == "variable")
            f_.placements.resize(f_.module->variables.size()), f_.placements[*variable] = {*place, true};
        else
            return false;
        return true;
    }

    bool storage(const Line& line) {
        Storage s;
        for (std::size_t k = 1; k < line.words.size(); ++k) {
            const auto word = line.words[k].text;
            const auto n = number_from<std::uint64_t>(word.substr(std::min(word.find('=') + 1, word.size())));
            if (word == "memory")
                s.in_memory = true;
            else if (word.starts_with("bytes=") && n)
                s.size = *n;
            else if (word.starts_with("align=") && n)
                s.align = static_cast<std::uint32_t>(*n);
            else if (word.starts_with("at=") && n)
                s.offset = *n, s.placed = true;
            else
                return false;
        }
        f_.storages.push_back(s);
        return numbered(line.words[0].text, "storage:") == f_.storages.size() - 1;
    }

    bool loop(const Line& line) {
        const auto& words = line.words;
        if (words.size() < 5 || words[2].text != "to") return false;
        const auto header = numbered(words[1].text, "b"), latch = numbered(words[3].text, "b"),
                   depth = numbered(words[4].text, "depth=");
        if (!header || !latch || !depth) return false;
        Loop l;
        l.header = *header, l.latch = *latch, l.depth = *depth;
        for (std::size_t k = 5; k < words.size(); ++k) {
            const auto parent = numbered(words[k].text, "in=loop");
            if (parent)
                l.parent = *parent;
            else if (words[k].text == "spins")
                l.spins = true;
            else
                return false;
        }
        f_.loops.push_back(std::move(l));
        return numbered(words[0].text, "loop") == f_.loops.size() - 1;
    }

    Result<void> block(text::InstructionReader& reader) {
        const Line& head = lines_[at_];
        auto label = head.words[0].text;
        label.remove_suffix(label.empty() ? 0 : 1);
        if (!begins_block(head) || numbered(label, "b") != f_.blocks.size() || f_.blocks.size() >= kMaxBlocks)
            return wrong(head, "block b" + std::to_string(f_.blocks.size()) + " is expected here");
        Block b;
        for (std::size_t k = 1; k < head.words.size(); ++k) {
            const auto word = head.words[k].text;
            if (const auto loop = numbered(word, "loop"); loop && *loop < f_.loops.size())
                b.loop = *loop;
            else if (word == "sync")
                b.sync = true;
            else if (word == "yield")
                b.yield = true;
            else
                return wrong(head, "'" + std::string(word) + "' is not known of a block");
        }
        for (++at_; at_ < lines_.size() && !begins_block(lines_[at_]); ++at_) {
            const Line& line = lines_[at_];
            const bool last = at_ + 1 == lines_.size() || begins_block(lines_[at_ + 1]);
            std::optional<std::string> broken;
            if (last)
                broken = reader.terminator(line, b.end);
            else
                broken = reader.instruction(line, b.insts.emplace_back());
            if (broken) return wrong(line, *broken);
            if (last) {
                f_.blocks.push_back(std::move(b));
                ++at_;
                return {};
            }
        }
        return wrong(head, "the block has no end");
    }

    /// What follows from the rest: predecessors, the blocks of loops, where values are written.
    Result<void> derive() {
        if (f_.kernel && f_.param_offsets.size() != f_.source->parameters.size())
            return wrong(lines_[0], "the parameters are not those of the module");
        f_.placements.resize(f_.module->variables.size());
        if (f_.stage == Stage::built) return {};
        for (BlockId b = 0; b < f_.blocks.size(); ++b) {
            for (const auto t : f_.blocks[b].end.targets)
                if (t < f_.blocks.size())
                    if (auto& preds = f_.blocks[t].preds; preds.empty() || preds.back() != b) preds.push_back(b);
            auto l = f_.blocks[b].loop;
            for (std::size_t depth = 0; l < f_.loops.size(); ++depth, l = f_.loops[l].parent) {
                if (depth > kMaxLoopDepth) return wrong({}, "loops are nested in a circle");
                f_.loops[l].blocks.push_back(b);
            }
        }
        if (f_.stage != Stage::ssa) return {};
        for (BlockId b = 0; b < f_.blocks.size(); ++b)
            for (std::uint32_t k = 0; k < f_.blocks[b].insts.size(); ++k)
                for (const auto v : f_.blocks[b].insts[k].out)
                    if (v != kNone) f_.values[v].block = b, f_.values[v].inst = k;
        return {};
    }

    std::vector<Line> lines_;
    std::size_t at_ = 0;
    Function f_;
};

}  // namespace

Result<Function> parse(std::string_view text, const ptx::Module& module) { return Parser(text, module).run(); }

}  // namespace warpwright::simt
