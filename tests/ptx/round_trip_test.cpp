// Real texts of both compilers parse, and what the printer writes reads back equal.
#include <algorithm>
#include <filesystem>

#include "support.hpp"

namespace warpwright::ptx::test {
namespace round_trip_test {

std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() + "data"))
        if (entry.path().extension() == ".ptx") out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

Module load(const std::string& name) { return parsed(read_file(data_folder() + "data/" + name)); }

std::size_t count(const Module& module, Op op) {
    std::size_t n = 0;
    for (const Function& f : module.functions)
        n += static_cast<std::size_t>(
            std::count_if(f.body.begin(), f.body.end(), [&](const Instruction& i) { return i.op == op; }));
    return n;
}

// Statements that are instructions, counted without the parser: a line that ends in ';' and starts with
// neither a directive nor a brace (inline assembly has two in a line at times, so the texts here are clang's).
std::size_t instruction_lines(const std::string& text) {
    std::stringstream in(text);
    std::size_t n = 0;
    bool in_body = false, open = false;
    for (std::string line; std::getline(in, line);) {
        if (std::size_t comment = line.find("//"); comment != std::string::npos) line.resize(comment);
        std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string::npos) continue;
        if (line[0] == '{') in_body = true;
        if (line[0] == '}') in_body = false;
        bool starts = (line[first] >= 'a' && line[first] <= 'z') || line[first] == '@';
        if (in_body && (starts || open)) {
            open = line.find(';') == std::string::npos;
            if (!open) ++n;
        }
    }
    return n;
}

TEST(RoundTrip, ThereAreTexts) { EXPECT_GE(texts().size(), 14u); }

TEST(RoundTrip, EveryTextReadsBackEqual) {
    for (const std::string& path : texts()) {
        Result<Module> module = parse(read_file(path), path);
        ASSERT_TRUE(module.ok()) << module.error().text();
        EXPECT_EQ(round_trip(*module), "") << path;
    }
}

TEST(RoundTrip, DifferenceSeesAChange) {
    Module a = load("basics.clang.ptx");
    EXPECT_EQ(difference(a, a), "");
    Module b = a;
    b.functions[2].body[5].types = {Type::s64};
    EXPECT_NE(difference(a, b), "");
    b = a;
    b.functions[0].body[2].operands[0].reg += 1;
    EXPECT_NE(difference(a, b), "");
    b = a;
    b.functions[1].labels[0].instruction += 1;
    EXPECT_NE(difference(a, b), "");
    b = a;
    b.functions[1].directives.maxntid[0] = 1;
    EXPECT_NE(difference(a, b), "");
    Module c = load("memory.clang.ptx"), d = c;
    auto table =
        std::find_if(d.variables.begin(), d.variables.end(), [](const Variable& v) { return v.name == "table"; });
    ASSERT_NE(table, d.variables.end());
    table->init[4] ^= 1;
    EXPECT_NE(difference(c, d), "");
}

TEST(RoundTrip, NothingIsLostOnTheWay) {
    for (const char* name : {"basics.clang.ptx", "memory.clang.ptx"}) {
        Module module = load(name);
        std::size_t n = 0;
        for (const Function& f : module.functions) n += f.body.size();
        EXPECT_EQ(n, instruction_lines(read_file(data_folder() + "data/" + name))) << name;
        EXPECT_GT(n, 100u);
    }
}

TEST(RoundTrip, DataOfBothCompilersIsTheSame) {
    Module clang = load("memory.clang.ptx"), nvcc = load("memory.nvcc.ptx");
    int compared = 0;
    for (const Variable& a : clang.variables)
        for (const Variable& b : nvcc.variables) {
            if (a.name != b.name || a.init.empty() || b.init.empty()) continue;
            ++compared;
            EXPECT_EQ(a.init, b.init) << a.name;
            EXPECT_EQ(a.relocations.size(), b.relocations.size()) << a.name;
        }
    EXPECT_GE(compared, 5);
}

TEST(RoundTrip, CallsThroughPointersKeepTheirPrototypes) {
    for (const char* name : {"calls.clang.ptx", "calls.nvcc.ptx"}) {
        Module module = load(name);
        const Function& f = module.functions[module.find_function("call_all")];
        int indirect = 0;
        for (const Instruction& i : f.body) {
            if (!i.call || i.call->target.kind != Operand::Kind::reg) continue;
            ++indirect;
            ASSERT_LT(i.call->prototype, f.prototypes.size());
            EXPECT_EQ(f.prototypes[i.call->prototype].parameters.size(), i.call->arguments.size());
        }
        EXPECT_EQ(indirect, 1) << name;
        EXPECT_GE(count(module, Op::call), 6u);
    }
}

TEST(RoundTrip, LinesComeFromLoc) {
    Module module = load("memory.lines.nvcc.ptx");
    const Function& f = module.functions[module.find_function("matmul16")];
    bool inlined = false;
    for (const Instruction& i : f.body) inlined = inlined || i.inlined_at != SourceLine{};
    EXPECT_TRUE(inlined);
    EXPECT_NE(f.source.line, 0u);
    ASSERT_LT(f.source.file, module.files.size());
    EXPECT_NE(module.files[f.source.file].find("memory.cu"), std::string::npos);
}

}  // namespace round_trip_test
}  // namespace warpwright::ptx::test
