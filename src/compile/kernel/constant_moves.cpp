// Lines of a function are taken for blocks of code, which end with branches and begin with labels; which block every
// way leads through is found as compilers do (Cooper, Harvey and Kennedy's iteration over an order of blocks).
#include "compile/kernel/constant_moves.hpp"

#include "compile/kernel/ptx_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <vector>

namespace warpwright::compile {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::string_view kShuffle = "shfl.sync.";

bool is_label(std::string_view line) {
    return line.starts_with("$") && line.ends_with(":") && line.find_first_of(" \t") == std::string_view::npos;
}

/// What an instruction does with where the next one stands.
bool is_branch(std::string_view line) {
    return line.starts_with("bra") || line.starts_with("brx") || line.starts_with("@");
}
bool ends_way(std::string_view line) {
    return line.starts_with("bra") || line.starts_with("brx") || line.starts_with("ret") || line.starts_with("exit") ||
           line.starts_with("trap");
}

struct CodeBlock {
    std::size_t first = 0, last = 0;  ///< lines [first, last)
    std::vector<std::size_t> from, to;
    std::size_t order = kNone, dominator = kNone;
    std::map<std::string, unsigned, std::less<>> moved;  ///< constants, and their registers
};

/// The body of one function.
class Body {
public:
    Body(const Lines& lines, std::size_t first, std::size_t last) : lines_(lines) {
        cut(first, last);
        connect();
        order();
        find_dominators();
    }
    std::vector<CodeBlock>& blocks() { return blocks_; }
    /// False where a branch leads somewhere that was not found.
    bool understood() const { return understood_; }

private:
    /// Where the branch leads; empty where the line is none.
    static std::string_view target(std::string_view line) {
        const auto at = is_branch(line) ? line.find("bra") : std::string_view::npos;
        const auto name = at == std::string_view::npos ? at : line.find_first_of(" \t", at);
        if (name == std::string_view::npos) return {};
        line = trimmed(line.substr(name));
        return line.ends_with(";") ? line.substr(0, line.size() - 1) : line;
    }
    void cut(std::size_t first, std::size_t last) {
        std::set<std::string_view> targets;  // other labels are those of lines
        for (std::size_t k = first; k < last; ++k) targets.insert(target(trimmed(lines_[k])));
        bool begins = true;
        for (std::size_t k = first; k < last; ++k) {
            const auto line = trimmed(lines_[k]);
            if (is_label(line) && targets.contains(line.substr(0, line.size() - 1))) {
                open(k);
                labels_[line.substr(0, line.size() - 1)] = blocks_.size() - 1;
                begins = false;
                continue;
            }
            if (begins && !line.empty()) open(k), begins = false;
            if (!blocks_.empty()) blocks_.back().last = k + 1;
            if (is_branch(line) || ends_way(line)) begins = true;
        }
    }
    void open(std::size_t line) {
        if (!blocks_.empty()) blocks_.back().last = line;
        CodeBlock block;
        block.first = line, block.last = line + 1;
        blocks_.push_back(std::move(block));
    }
    void join(std::size_t from, std::size_t to) {
        blocks_[from].to.push_back(to);
        blocks_[to].from.push_back(from);
    }
    void connect() {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            std::string_view last;
            for (std::size_t k = blocks_[b].first; k < blocks_[b].last; ++k)
                if (const auto line = trimmed(lines_[k]); !line.empty()) {
                    last = line;
                    // A table of targets stands before the branch that uses it.
                    if (line.find(".branchtargets") != std::string_view::npos) understood_ = false;
                }
            if (last.starts_with("brx")) understood_ = false;
            if (const auto to = target(last); !to.empty()) {
                const auto found = labels_.find(to);
                if (found == labels_.end())
                    understood_ = false;
                else
                    join(b, found->second);
            }
            if (!ends_way(last) && b + 1 < blocks_.size()) join(b, b + 1);
        }
    }
    /// Each block after those that lead to it, but for loops.
    void order() {
        if (blocks_.empty()) return;
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};
        std::vector<bool> seen(blocks_.size());
        seen[0] = true;
        while (!open.empty()) {
            auto& [b, next] = open.back();
            if (next < blocks_[b].to.size()) {
                const auto to = blocks_[b].to[next++];
                if (!seen[to]) seen[to] = true, open.push_back({to, 0});
                continue;
            }
            ordered_.push_back(b);
            open.pop_back();
        }
        std::reverse(ordered_.begin(), ordered_.end());
        for (std::size_t k = 0; k < ordered_.size(); ++k) blocks_[ordered_[k]].order = k;
    }
    std::size_t common(std::size_t a, std::size_t b) const {
        while (a != b) {
            while (blocks_[a].order > blocks_[b].order) a = blocks_[a].dominator;
            while (blocks_[b].order > blocks_[a].order) b = blocks_[b].dominator;
        }
        return a;
    }
    void find_dominators() {
        if (ordered_.empty()) return;
        blocks_[0].dominator = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto b : ordered_) {
                if (b == 0) continue;
                std::size_t found = kNone;
                for (const auto from : blocks_[b].from)
                    if (blocks_[from].dominator != kNone) found = found == kNone ? from : common(from, found);
                if (found != blocks_[b].dominator) blocks_[b].dominator = found, changed = true;
            }
        }
    }

    const Lines& lines_;
    std::vector<CodeBlock> blocks_;
    std::map<std::string_view, std::size_t, std::less<>> labels_;
    std::vector<std::size_t> ordered_;
    bool understood_ = true;
};

bool is_constant(std::string_view operand) {
    return !operand.empty() && (operand[0] == '-' || (operand[0] >= '0' && operand[0] <= '9'));
}

/// The number in `.reg .b32 %r<28>;`; 0 where the line does not declare these.
unsigned declared(std::string_view line) {
    line = trimmed(line);
    const auto at = line.find("%r<");
    if (!line.starts_with(".reg ") || at == std::string_view::npos) return 0;
    unsigned number = 0;
    std::from_chars(line.data() + at + 3, line.data() + line.size(), number);
    return number;
}

class Mover {
public:
    explicit Mover(const Lines& lines) : lines_(lines) {}

    /// Adds the function whose body is the lines [first, last).
    void add(std::string& out, std::size_t first, std::size_t last) {
        std::size_t begin = first, declares = last;
        registers_ = 0;
        for (; begin < last; ++begin) {
            const auto line = trimmed(lines_[begin]);
            if (!line.empty() && (!line.starts_with(".") || line.starts_with(".loc"))) break;
            if (const unsigned n = declared(line)) registers_ = n, declares = begin;
        }
        Body body(lines_, begin, last);
        const unsigned before = registers_;
        std::string code;
        if (body.understood() && before > 0)  // a shuffle's result is such a register
            for (auto& block : body.blocks()) add_block(code, body.blocks(), block);
        if (registers_ == before) {
            for (std::size_t k = first; k < last; ++k) put(out, lines_[k]);
            return;
        }
        const std::size_t head = body.blocks().front().first;
        for (std::size_t k = first; k < head; ++k)
            if (k == declares)
                out += fmt::format("\t.reg .b32 \t%r<{}>;\n", registers_);
            else
                put(out, lines_[k]);
        out += code;
    }

private:
    static void put(std::string& out, std::string_view line) { (out += line) += '\n'; }

    void add_block(std::string& out, const std::vector<CodeBlock>& blocks, CodeBlock& block) {
        const CodeBlock* before = nullptr;
        if (block.dominator != kNone && &blocks[block.dominator] != &block &&
            std::find(block.from.begin(), block.from.end(), block.dominator) != block.from.end())
            before = &blocks[block.dominator];
        for (std::size_t k = block.first; k < block.last; ++k) {
            const auto line = trimmed(lines_[k]);
            const auto operands = line.find('%');
            // A line of inline PTX may have several statements.
            const bool several = line.find(';') + 1 != line.size();
            if (!line.starts_with(kShuffle) || operands == std::string_view::npos || several) {
                put(out, lines_[k]);
                continue;
            }
            std::string text = fmt::format("\t{} \t", trimmed(line.substr(0, operands)));
            std::string_view rest = line.substr(operands, line.size() - operands - 1);
            for (bool first = true; !rest.empty(); first = false) {
                const auto comma = rest.find(',');
                const auto operand = trimmed(rest.substr(0, comma));
                rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
                if (!first) text += ", ";
                text += is_constant(operand) ? in_register(out, operand, before, block) : std::string(operand);
            }
            put(out, text + ";");
        }
    }
    std::string in_register(std::string& out, std::string_view constant, const CodeBlock* before, CodeBlock& block) {
        const auto name = [](unsigned number) { return fmt::format("%r{}", number); };
        if (const auto found = block.moved.find(constant); found != block.moved.end()) return name(found->second);
        if (before)
            if (const auto found = before->moved.find(constant); found != before->moved.end())
                return name(found->second);
        const unsigned number = registers_++;
        block.moved.emplace(constant, number);
        out += fmt::format("\tmov.u32 \t{}, {};\n", name(number), constant);
        return name(number);
    }

    const Lines& lines_;
    unsigned registers_ = 0;
};

}  // namespace

std::string move_constants(std::string_view ptx) {
    if (ptx.find(kShuffle) == std::string_view::npos) return std::string(ptx);
    const Lines lines = split(ptx);
    std::string out;
    out.reserve(ptx.size() + ptx.size() / 16);
    Mover mover(lines);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        (out += lines[k]) += '\n';
        if (lines[k] != "{") continue;
        std::size_t end = k + 1;
        while (end < lines.size() && lines[end] != "}") ++end;
        mover.add(out, k + 1, end);
        k = end - 1;
    }
    return out;
}

}  // namespace warpwright::compile
