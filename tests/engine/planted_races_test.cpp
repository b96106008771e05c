// Kernels drawn at random, most of them with races: what the checkers find is held against every pair of accesses that
// no barrier orders. Each finding is such a pair, and where there is one in a space something is found there.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "engine/run/engine.hpp"
#include "record/finding.hpp"

namespace planted_races_test {

using namespace warpwright;

constexpr unsigned kThreads = 64, kBlocks = 2, kWords = 1024;

/// A load or store by the threads [from, to): thread t of block b accesses `width` words from the unit
/// scale * t + by_block * b + offset on.
struct Statement {
    enum class Array { shared, out, in } array = Array::shared;
    bool write = false, masked = false;  ///< masked: units are taken modulo their number by an instruction
    unsigned scale = 1, by_block = 0, offset = 0, width = 1, from = 0, to = kThreads;
    bool barrier = true;  ///< after it
    unsigned line = 0;    ///< of its instruction

    unsigned units() const { return kWords / width; }
    unsigned unit(unsigned t, unsigned b) const { return (scale * t + by_block * b + offset) % units(); }
};

struct Kernel {
    std::vector<Statement> statements;
    std::string text;
};

/// Adds lines and counts them.
struct Text {
    std::string text;
    unsigned lines = 0;
    void add(const std::string& line) { text += line + "\n", ++lines; }
};

std::string places(const Statement& s, const std::string& prefix) {
    std::string out = s.width > 1 ? "{" : "";
    for (unsigned k = 0; k < s.width; ++k) out += (k ? ", " : "") + prefix + std::to_string(k);
    return out + (s.width > 1 ? "}" : "");
}

void write(Text& to, Statement& s, unsigned number) {
    const auto n = std::to_string(number);
    const auto word = [](unsigned x) { return std::to_string(x); };
    to.add("mad.lo.u32 %a, %tid0, " + word(s.scale) + ", " + word(s.offset) + ";");
    to.add("mad.lo.u32 %a, %cta0, " + word(s.by_block) + ", %a;");
    if (s.masked) to.add("and.b32 %a, %a, " + word(s.units() - 1) + ";");
    const std::string space = s.array == Statement::Array::shared ? "shared" : "global",
                      type = s.width > 1 ? ".v" + word(s.width) + ".u32 " : ".u32 ";
    std::string address = "%a";
    if (s.array == Statement::Array::shared) {
        to.add("mad.lo.u32 %a, %a, " + word(4 * s.width) + ", %tile;");
    } else {
        to.add("mul.wide.u32 %p, %a, " + word(4 * s.width) + ";");
        to.add(std::string("add.s64 %p, %p, ") + (s.array == Statement::Array::out ? "%out;" : "%in;"));
        address = "%p";
    }
    to.add("setp.ge.u32 %q, %tid0, " + word(s.from) + ";");
    to.add("setp.lt.and.u32 %q, %tid0, " + word(s.to) + ", %q;");
    if (s.write) {
        // No two threads write the same.
        to.add("mad.lo.u32 %v0, %cta0, 100000, " + word(1 + 16 * number) + ";");
        to.add("mad.lo.u32 %v0, %tid0, 1000, %v0;");
        for (unsigned k = 1; k < s.width; ++k) to.add("add.u32 %v" + word(k) + ", %v0, " + word(k) + ";");
    } else {
        for (unsigned k = 0; k < s.width; ++k) to.add("mov.u32 %v" + word(k) + ", 0;");
    }
    const std::string guard = s.from == 0 && s.to == kThreads ? "" : "@%q ";
    to.add(s.write ? guard + "st." + space + type + "[" + address + "], " + places(s, "%v") + ";"
                   : guard + "ld." + space + type + places(s, "%v") + ", [" + address + "];");
    s.line = to.lines;
    if (!s.write)
        for (unsigned k = 0; k < s.width; ++k) to.add("xor.b32 %sum, %sum, %v" + word(k) + ";");
    if (s.barrier) to.add("bar.sync 0;");
}

Kernel draw(std::mt19937& random) {
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    Kernel k;
    const unsigned careless = pick(3);  // 0: nearly always with a barrier, and global writes of each thread's own
    Text to;
    for (const auto* line :
         {".version 8.0", ".target sm_90", ".address_size 64",
          ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 sums)", "{",
          ".shared .align 16 .b8 tile[4096];", ".reg .pred %q;", ".reg .b32 %tid0, %cta0, %tile, %a, %sum, %v<4>;",
          ".reg .b64 %out, %in, %sums, %p;", "mov.u32 %tid0, %tid.x;", "mov.u32 %cta0, %ctaid.x;",
          "mov.u32 %tile, tile;", "mov.u32 %sum, 0;", "ld.param.u64 %out, [out];", "ld.param.u64 %in, [in];",
          "ld.param.u64 %sums, [sums];",
          // Every thread fills its words of shared memory first.
          "mov.u32 %v0, %tid0;", "FILL:", "mad.lo.u32 %a, %v0, 4, %tile;", "st.shared.u32 [%a], %v0;",
          "add.u32 %v0, %v0, 64;", "setp.lt.u32 %q, %v0, 1024;", "@%q bra FILL;", "bar.sync 0;"})
        to.add(line);
    const unsigned count = 3 + pick(6);
    for (unsigned n = 0; n < count; ++n) {
        Statement s;
        s.array = pick(3) ? Statement::Array::shared : pick(2) ? Statement::Array::out : Statement::Array::in;
        s.write = s.array != Statement::Array::in && pick(2);
        s.width = 1u << pick(3);
        s.masked = pick(3) == 0;
        const unsigned scales[] = {1, 1, 1, 2, 3, 0};
        s.scale = scales[pick(s.write && careless != 2 ? 5 : 6)];
        s.offset = pick(3) ? 0 : pick(16);
        if (pick(3) == 0) s.from = pick(kThreads), s.to = s.from + 1 + pick(kThreads - s.from);
        s.barrier = pick(careless ? 3 : 12) != 0;
        if (s.array == Statement::Array::out) {
            s.by_block = careless == 2 && pick(3) == 0 ? 0 : 128 / s.width;
            if (careless == 0) s.scale = 1, s.width = 1, s.offset = 0, s.by_block = 64;
        }
        // Without the mask it stays within the array.
        if (s.scale * (kThreads - 1) + s.by_block + s.offset >= s.units()) s.masked = true;
        write(to, s, n);
        k.statements.push_back(s);
    }
    for (const auto* line : {"mad.lo.u32 %a, %cta0, 64, %tid0;", "mul.wide.u32 %p, %a, 4;", "add.s64 %p, %p, %sums;",
                             "st.global.u32 [%p], %sum;", "ret;", "}"})
        to.add(line);
    k.text = to.text;
    return k;
}

using Pairs = std::map<std::string, std::set<std::pair<unsigned, unsigned>>>;  ///< lines by space

std::pair<unsigned, unsigned> in_order(unsigned a, unsigned b) { return {std::min(a, b), std::max(a, b)}; }

/// All pairs of accesses to one word by two threads, one of them a write, that no barrier orders.
Pairs truth(const Kernel& k) {
    struct Access {
        unsigned block, thread, interval, line;
        bool write;
    };
    std::map<std::pair<int, unsigned>, std::vector<Access>> by_word;
    unsigned interval = 0;
    for (const auto& s : k.statements) {
        for (unsigned b = 0; b < kBlocks; ++b)
            for (unsigned t = s.from; t < s.to; ++t)
                for (unsigned w = 0; w < s.width; ++w) {
                    const auto array =
                        s.array == Statement::Array::shared ? static_cast<int>(b) : 2 + static_cast<int>(s.array);
                    by_word[{array, s.unit(t, b) * s.width + w}].push_back({b, t, interval, s.line, s.write});
                }
        interval += s.barrier;
    }
    Pairs out;
    for (const auto& [word, all] : by_word)
        for (std::size_t x = 0; x < all.size(); ++x)
            for (std::size_t y = x + 1; y < all.size(); ++y) {
                const auto &a = all[x], &b = all[y];
                if (!a.write && !b.write) continue;
                if (a.block == b.block && (a.thread == b.thread || a.interval != b.interval)) continue;
                out[word.first < 2 ? "shared" : "global"].insert(in_order(a.line, b.line));
            }
    return out;
}

Pairs found(const Kernel& k, bool affine_off) {
    Pairs out;
    engine::EngineOptions o;
    o.threads = 1;
    o.memory = std::uint64_t{1} << 28;
    o.affine_off = affine_off;
    o.checkers = record::kKernelCheckers;
    auto made = engine::Engine::create(o);
    if (!made) {
        ADD_FAILURE() << made.error().text();
        return out;
    }
    auto& e = **made;
    auto program = e.load("drawn.ptx", k.text);
    if (!program) {
        ADD_FAILURE() << program.error().text() << k.text;
        return out;
    }
    std::uint64_t arrays[3];
    for (auto& a : arrays) {
        a = e.memory().allocate(4 * kWords).value();
        std::memset(reinterpret_cast<void*>(a), 0, 4 * kWords);
        e.written(a, 4 * kWords);
    }
    std::byte parameters[24];
    std::memcpy(parameters, arrays, sizeof parameters);
    engine::LaunchRequest request;
    request.config.grid.x = kBlocks;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    if (auto ran = e.launch(**program, 0, request); !ran) ADD_FAILURE() << ran.error().text() << k.text;
    for (const auto& f : e.findings().all()) {
        const bool race = f.kind == record::FindingKind::race_shared || f.kind == record::FindingKind::race_global ||
                          f.kind == record::FindingKind::race_lanes;
        EXPECT_TRUE(race && f.other) << f.message << "\n" << k.text;
        if (race && f.other) out[f.space].insert(in_order(f.at.line, f.other->line));
    }
    return out;
}

TEST(PlantedRaces, areFoundAndNothingElse) {
    std::mt19937 random(23);
    unsigned clean = 0, racy = 0;
    for (int round = 0; round < 60; ++round) {
        const auto k = draw(random);
        const auto expected = truth(k);
        (expected.empty() ? clean : racy) += 1;
        // With the shapes of addresses known to the compiler, and lane by lane.
        const auto got = found(k, round % 2 != 0);
        for (const auto* space : {"shared", "global"}) {
            const auto is = got.find(space), should = expected.find(space);
            EXPECT_EQ(is != got.end(), should != expected.end()) << space << " in round " << round << "\n" << k.text;
            if (is == got.end() || should == expected.end()) continue;
            for (const auto& pair : is->second)
                EXPECT_TRUE(should->second.count(pair))
                    << space << " lines " << pair.first << " and " << pair.second << " in round " << round << "\n"
                    << k.text;
        }
        ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_GT(clean, 10u);
    EXPECT_GT(racy, 10u);
}

// An array that the kernel's text only reads is written all the same, through a pointer to another one.
TEST(PlantedRaces, ofAWriteThatLandsInAnArrayThatIsOnlyRead) {
    engine::EngineOptions o;
    o.threads = 1;
    o.memory = std::uint64_t{1} << 28;
    o.checkers = record::kKernelCheckers;
    auto e = engine::Engine::create(o).value();
    auto program = e->load("wanders.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 far)
{
.reg .b32 %t<4>;
.reg .b64 %r<8>;
ld.param.u64 %r0, [out];
ld.param.u64 %r1, [in];
ld.param.u64 %r2, [far];
mov.u32 %t0, %tid.x;
sub.u32 %t1, 63, %t0;
mul.wide.u32 %r3, %t0, 4;
mul.wide.u32 %r4, %t1, 4;
add.s64 %r5, %r1, %r4;
ld.global.u32 %t2, [%r5];
add.s64 %r6, %r0, %r3;
st.global.u32 [%r6], %t2;
add.u32 %t2, %t2, 1;
add.s64 %r6, %r6, %r2;
st.global.u32 [%r6], %t0;
ret;
}
)");
    ASSERT_TRUE(program) << program.error().text();
    std::uint64_t arrays[3];
    for (int k = 0; k < 2; ++k) {
        arrays[k] = e->memory().allocate(4 * kThreads).value();
        std::memset(reinterpret_cast<void*>(arrays[k]), 0xff, 4 * kThreads);
        e->written(arrays[k], 4 * kThreads);
    }
    arrays[2] = arrays[1] - arrays[0];
    std::byte parameters[24];
    std::memcpy(parameters, arrays, sizeof parameters);
    engine::LaunchRequest request;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    ASSERT_TRUE(e->launch(**program, 0, request));
    const auto all = e->findings().all();
    ASSERT_EQ(all.size(), 1u);
    ASSERT_TRUE(all[0].other);
    EXPECT_EQ(in_order(all[0].at.line, all[0].other->line), in_order(16, 21));
}

}  // namespace planted_races_test
