// Every spelling that nvcc wrote for 539 public programs (spellings.txt) parses with operands of the
// right shape, spells itself the same, and is printed so that it reads back equal.
#include <array>

#include "support.hpp"

namespace warpwright::ptx::test {
namespace spellings_test {

std::string reg(Type type, unsigned number) {
    std::string n = std::to_string(number);
    if (type == Type::pred) return "%p" + n;
    if (type == Type::f64) return "%fd" + n;
    if (type == Type::f32) return "%f" + n;
    if (bits(type) == 64) return "%rd" + n;
    if (bits(type) == 32) return "%r" + n;
    return "%rs" + n;
}

std::string vector_of(std::string (*make)(unsigned), unsigned count) {
    std::string out = "{";
    for (unsigned i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + make(i);
    return out + "}";
}
std::string word(unsigned i) { return "%r" + std::to_string(i); }
std::string real(unsigned i) { return "%f" + std::to_string(i); }
std::string long_real(unsigned i) { return "%fd" + std::to_string(i); }

struct Spelling {
    std::string text;
    std::vector<std::string> words;
    std::vector<Type> types;

    bool has(std::string_view word) const {
        for (const std::string& w : words)
            if (w == word) return true;
        return false;
    }
    bool starts(std::string_view with) const { return text.starts_with(with); }
    Type type(std::size_t i = 0) const { return types.empty() ? Type::b32 : types[std::min(i, types.size() - 1)]; }
};

Spelling split(const std::string& text) {
    Spelling out{text, {}, {}};
    std::stringstream in(text);
    for (std::string word; std::getline(in, word, '.');) {
        out.words.push_back(word);
        if (Type type = type_from(word); type != Type::none && out.words.size() > 1) out.types.push_back(type);
    }
    return out;
}

// A value to load or store: a register, or as many as the vector suffix says.
std::string value(const Spelling& s) {
    unsigned count = s.has("v2") ? 2 : s.has("v4") ? 4 : 1;
    if (count == 1) return reg(s.type(), 1);
    std::string out = "{";
    for (unsigned i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + reg(s.type(), i);
    return out + "}";
}

std::string wmma(const Spelling& s) {
    Type last = s.type(9);
    bool accumulator = s.has("c") || s.has("d");
    std::string fragment;
    if (last == Type::f64)
        fragment = accumulator ? "{%fd0, %fd1}" : "{%fd0}";
    else if (last == Type::f32)
        fragment = vector_of(real, 8);
    else if (last == Type::s32)
        fragment = vector_of(word, 8);
    else
        fragment = vector_of(word, last == Type::u8 ? 2 : 8);
    if (s.has("load")) return fragment + ", [%rd1], %r9";
    if (s.has("store")) return "[%rd1], " + fragment + ", %r9";
    std::string (*make)(unsigned) = last == Type::f64 ? long_real : last == Type::f32 ? real : word;
    unsigned count = last == Type::f64 ? 2 : 8;
    return vector_of(make, count) + ", " + vector_of(word, 4) + ", " + vector_of(word, 4) + ", " +
           vector_of(make, count);
}

std::string special_operands(const Spelling& s) {
    struct Row {
        std::string_view prefix, operands;
    };
    static constexpr std::array kRows = {
        Row{"barrier.sync", "0"},
        Row{"bar.sync", "1, 64"},
        Row{"bar.warp.sync", "-1"},
        Row{"bar.red.or.pred", "%p1, 0, %p2"},
        Row{"bra", "L"},
        Row{"call", "g"},
        Row{"cvta", "%rd1, %rd2"},
        Row{"shfl", "%r1|%p1, %r2, 16, 31, -1"},
        Row{"vote.sync.ballot", "%r1, %p1, -1"},
        Row{"vote.ballot.sync", "%r1, %p1, %r2"},
        Row{"vote", "%p1, !%p2, -1"},
        Row{"match.any.sync.b64", "%r1, %rd2, -1"},
        Row{"match", "%r1, %r2, -1"},
        Row{"redux", "%r1, %r2, -1"},
        Row{"activemask", "%r1"},
        Row{"prefetch", "[%rd1]"},
        Row{"cp.async.cg", "[%r1], [%rd1], 16, %r2"},
        Row{"cp.async.ca", "[%r1], [%rd1], 4"},
        Row{"cp.async.wait_group", "2"},
        Row{"cp.async.mbarrier", "[%r1]"},
        Row{"cp.async.bulk.wait_group", "0"},
        Row{"cp.async.bulk.commit_group", ""},
        Row{"cp.async.commit_group", ""},
        Row{"cp.async.bulk.tensor.3d.global", "[%rd1, {%r1, %r2, %r3}], [%r4]"},
        Row{"cp.async.bulk.tensor.2d", "[%r1], [%rd1, {%r2, %r3}], [%r4]"},
        Row{"cp.async.bulk.tensor.3d", "[%r1], [%rd1, {%r2, %r3, %r4}], [%r5], %rs1"},
        Row{"cp.async.bulk.tensor.5d", "[%r1], [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r7]"},
        Row{"tex.1d", "{%f1, %f2, %f3, %f4}, [tex, {%r1}]"},
        Row{"tex.2d.v4.u32", "{%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}]"},
        Row{"tex.cube", "{%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}]"},
        Row{"tex", "{%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}]"},
        Row{"sust", "[surf, {%r1, %r2}], {%r3}"},
        Row{"ldmatrix.sync.aligned.x2", "{%r1, %r2}, [%r3]"},
        Row{"ldmatrix", "{%r1, %r2, %r3, %r4}, [%r5+512]"},
        Row{"stmatrix", "[%r1], {%r2, %r3, %r4, %r5}"},
        Row{"mma", "{%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, {%r1, %r2}"},
        Row{"nanosleep", "100"},
        Row{"bfi", "$0, $0, $0, 8, 4"},
        Row{"bmsk", "$0, $0, $0"},
        Row{"lop3", "%r1, %r2, %r3, %r4, 0xe8"},
        Row{"prmt", "%r1, %r2, %r3, 0x5410"},
        Row{"shf", "%r1, %r2, %r3, 7"},
        Row{"dp4a", "%r1, %r2, %r3, %r4"},
        Row{"vabsdiff4", "%r1, %r2, %r3, %r4"},
        Row{"copysign", "$0, $0, $0"},
        Row{"set.", "$0, $1, $1"},
        Row{"setp", "%p1, $0, $0"},
        Row{"selp", "$0, $0, $0, %p1"},
        Row{"mul.wide.u32", "%rd1, %r1, %r2"},
        Row{"mul.wide.s32", "%rd1, %r1, 4"},
        Row{"mul.wide", "%r1, %rs1, %rs2"},
        Row{"mad.wide.u32", "%rd1, %r1, %r2, %rd2"},
        Row{"mad", "$0, $0, $0, $0"},
        Row{"fma", "$0, $0, $0, $0"},
        Row{"cvt.rn.f16x2.f32", "%r1, %f1, %f2"},
        Row{"cvt.rn.bf16x2.f32", "%r1, %f1, %f2"},
        Row{"cvt", "$0, $1"},
        Row{"clz", "%r1, $0"},
        Row{"popc", "%r1, $0"},
        Row{"bfind", "%r1, $0"},
        Row{"mapa", "%r1, %r2, %r3"},
        Row{"setmaxnreg", "64"},
        Row{"fence.proxy", ""},
        Row{"fence", ""},
        Row{"membar", ""},
        Row{"barrier.cluster", ""},
        Row{"wgmma.wait", "0"},
        Row{"wgmma.commit", ""},
        Row{"wgmma.fence", ""},
        Row{"wgmma.mma_async", "{%f0, %f1}, %rd1, %rd2, %p1, 1, 1, 0, 0"},
        Row{"mbarrier.init", "[%r1], 128"},
        Row{"mbarrier.inval", "[smem]"},
        Row{"mbarrier.arrive.expect_tx", "_, [%r1], %r2"},
        Row{"mbarrier.arrive.shared::cluster", "_, [%r1]"},
        Row{"mbarrier.arrive", "%rd1, [%r1]"},
        Row{"mbarrier.test_wait.parity", "%p1, [%r1], %r2"},
        Row{"mbarrier.test_wait", "%p1, [%r1], %rd2"},
        Row{"mbarrier.try_wait.parity", "%p1, [%r1], %r2"},
        Row{"mbarrier.try_wait", "%p1, [%r1], %rd2, 10000"},
        Row{"ret", ""},
        Row{"exit", ""},
        Row{"trap", ""},
    };
    const Row* best = nullptr;
    for (const Row& row : kRows)
        if (s.starts(row.prefix) && (!best || row.prefix.size() > best->prefix.size())) best = &row;
    if (!best) return "?";
    std::string out;
    for (std::size_t i = 0; i < best->operands.size(); ++i) {
        if (best->operands[i] == '$')
            out += reg(s.type(static_cast<std::size_t>(best->operands[++i] - '0')), 1);
        else
            out += best->operands[i];
    }
    return out;
}

std::string operands(const Spelling& s) {
    const std::string& op = s.words[0];
    if (op == "wmma") return wmma(s);
    if (op == "ld") return value(s) + (s.has("param") ? ", [p1+8]" : s.has("shared") ? ", [smem+16]" : ", [%rd1+-16]");
    if (op == "st") return (s.has("shared") ? "[%r5], " : "[%rd1+4], ") + value(s);
    if (op == "atom")
        return reg(s.type(), 1) + ", [%rd1], " + reg(s.type(), 2) + (s.has("cas") ? ", " + reg(s.type(), 3) : "");
    if (op == "red") return "[%rd1], " + reg(s.type(), 1);
    if (std::string found = special_operands(s); found != "?") return found;
    // What is left is plain arithmetic: as many registers of the type as the table takes.
    Instruction probe;
    probe.op = op_from(op);
    static const std::array kUnary = {"mov", "neg", "abs", "not", "rcp",  "sqrt", "rsqrt",
                                      "sin", "cos", "lg2", "ex2", "tanh", "brev"};
    bool unary = std::find(kUnary.begin(), kUnary.end(), op) != kUnary.end();
    std::string out = reg(s.type(), 1) + ", " + reg(s.type(), 2);
    if (!unary) out += ", " + (op == "shl" || op == "shr" ? std::string("%r3") : reg(s.type(), 3));
    return out;
}

std::vector<std::string> all_spellings() {
    std::vector<std::string> out;
    std::stringstream in(read_file(data_folder() + "spellings.txt"));
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

TEST(Spellings, TheListIsWhole) { EXPECT_EQ(all_spellings().size(), 656u); }

TEST(Spellings, EachParsesSpellsItselfAndReadsBack) {
    for (const std::string& text : all_spellings()) {
        std::string line = text + " " + operands(split(text)) + ";";
        std::string body = line + (text.starts_with("bra") ? "\nL:\n\tret;" : "");
        Result<Module> module = parse(kernel(body), "test.ptx");
        if (!module) {
            ADD_FAILURE() << line << "\n" << module.error().text();
            continue;
        }
        const Function& function = module->functions[module->find_function("k")];
        EXPECT_EQ(function.body.at(0).spelling(), text);
        EXPECT_EQ(round_trip(*module), "") << line;
    }
}

}  // namespace spellings_test
}  // namespace warpwright::ptx::test
