// Checked lanes that access a word of their own each, not one after the other: loads of which some lanes are active,
// and words of 4 and 8 bytes at the places of a table. What lies between them is nobody's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"
#include "record/finding.hpp"

namespace scattered_words_test {

using namespace warpwright;
using record::FindingKind;

constexpr unsigned kLanes = 32, kThreads = 2 * kLanes;

/// How often a kind was found.
using Found = std::map<FindingKind, std::uint64_t>;

/// A checked kernel, which is made once and launched as often as its test asks.
struct Checked {
    std::unique_ptr<engine::Engine> engine;
    std::shared_ptr<engine::Program> program;

    explicit Checked(const std::string& text) {
        engine::EngineOptions o;
        o.threads = 1, o.memory = std::uint64_t{1} << 28, o.checkers = record::kKernelCheckers;
        engine = engine::Engine::create(o).value();
        auto loaded = engine->load("scattered.ptx", text);
        EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().text());
        if (loaded) program = *loaded;
    }
    /// Memory that nobody has written.
    std::uint64_t allocate(std::uint64_t bytes) { return engine->memory().allocate(bytes).value(); }
    template <class T>
    std::uint64_t with(const std::vector<T>& values) {
        const auto at = allocate(values.size() * sizeof(T));
        write(at, values);
        return at;
    }
    template <class T>
    void write(std::uint64_t at, const std::vector<T>& values) {
        std::memcpy(reinterpret_cast<void*>(at), values.data(), values.size() * sizeof(T));
        engine->written(at, values.size() * sizeof(T));
    }
    Found all() const {
        Found out;
        for (const auto& f : engine->findings().all()) out[f.kind] += f.count;
        return out;
    }
    /// Launches with these parameters; returns what was found.
    Found launch(const std::vector<std::uint64_t>& parameters, unsigned blocks = 1) {
        auto before = all();
        engine::LaunchRequest request;
        request.config.grid.x = blocks, request.config.block.x = kThreads;
        request.parameters = std::as_bytes(std::span(parameters));
        auto reply = engine->launch(*program, 0, request);
        EXPECT_TRUE(reply) << (reply ? "" : reply.error().text());
        Found found;
        for (const auto& [kind, count] : all())
            if (count > before[kind]) found[kind] = count - before[kind];
        return found;
    }
};

/// k(in, out, mask, place, writer): the lanes of the first warp that `mask` has read a word each, then the writer, one
/// thread of the grid, writes one.
const char* const kGaps = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 mask, .param .u64 place, .param .u64 writer)
{
.reg .pred %p;
.reg .b32 %t, %v, %mask, %writer;
.reg .b64 %in, %out, %at, %a;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
ld.param.u32 %mask, [mask]; ld.param.u32 %writer, [writer];
mov.u32 %t, %ctaid.x; mov.u32 %v, %tid.x; mad.lo.u32 %t, %t, 64, %v;
mul.wide.u32 %a, %t, 4;
setp.ge.u32 %p, %t, 32;
@%p bra WRITE;
shr.u32 %v, %mask, %t; and.b32 %v, %v, 1; setp.eq.u32 %p, %v, 0;
@%p bra WRITE;
add.s64 %at, %in, %a;
ld.global.u32 %v, [%at];
xor.b32 %v, %v, 1;
add.s64 %at, %out, %a;
st.global.u32 [%at], %v;
WRITE:
setp.ne.u32 %p, %t, %writer;
@%p bra END;
ld.param.u64 %at, [place]; shl.b64 %at, %at, 2; add.s64 %at, %in, %at;
st.global.u32 [%at], %t;
END:
ret;
}
)";

constexpr std::uint32_t kMasks[] = {0x55555555, 0x80000001, 0x6f0e0c01, 0x7f7f7f70, 0x00010100, 0x00ff0180};
constexpr std::uint64_t kNobody = 1 << 20;

std::vector<std::uint32_t> numbers(unsigned count, unsigned from) {
    std::vector<std::uint32_t> out(count);
    std::iota(out.begin(), out.end(), from);
    return out;
}

TEST(ScatteredWords, AWriteIntoAGapIsNoRaceAndOneOfAReadWordIs) {
    Checked checked(kGaps);
    ASSERT_TRUE(checked.program);
    const auto in = checked.with(numbers(kLanes, 100)), out = checked.with(numbers(kLanes, 0));
    for (const std::uint64_t mask : kMasks)
        for (std::uint64_t place = 0; place < kLanes; ++place)
            for (const std::uint64_t writer : {std::uint64_t{40}, std::uint64_t{kThreads + 3}, place}) {
                checked.write(in, numbers(kLanes, 100)), checked.write(out, numbers(kLanes, 0));
                const auto found = checked.launch({in, out, mask, place, writer}, 2);
                const bool races = writer != place && (mask >> place & 1);
                EXPECT_EQ(found, races ? (Found{{FindingKind::race_global, 1}}) : Found{})
                    << std::hex << mask << std::dec << ", word " << place << " by thread " << writer;
                for (unsigned l = 0; l < kLanes; ++l)
                    ASSERT_EQ(reinterpret_cast<const std::uint32_t*>(out)[l], mask >> l & 1 ? (100 + l) ^ 1 : l);
            }
}

TEST(ScatteredWords, OfALoadWithGapsOnlyWhatIsReadMustBeWritten) {
    Checked checked(kGaps);
    ASSERT_TRUE(checked.program);
    const auto out = checked.with(numbers(kLanes, 0));
    for (const std::uint64_t mask : kMasks)
        for (unsigned without = 0; without <= kLanes; ++without) {
            const auto in = checked.allocate(4 * kLanes);
            for (unsigned l = 0; l < kLanes; ++l)
                if (l != without && mask >> l & 1) checked.write(in + 4 * l, numbers(1, l));
            const bool missing = without < kLanes && (mask >> without & 1);
            EXPECT_EQ(checked.launch({in, out, mask, 0, kNobody}),
                      missing ? (Found{{FindingKind::uninitialised, 1}}) : Found{})
                << std::hex << mask << std::dec << " without " << without;
        }
}

/// k(data, table, out, stores): each thread of the first warp stores or loads an element at the place that the table
/// has for it, and puts out what it loads; each of the second one stores a word of 4 bytes at its place.
std::string by_table(unsigned bytes) {
    const std::string bits = std::to_string(8 * bytes), v = bytes == 8 ? "%w" : "%v";
    return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 table, .param .u64 out, .param .u64 stores)
{
.reg .pred %p;
.reg .b32 %t, %v, %i, %stores;
.reg .b64 %data, %table, %out, %at, %a, %w;
ld.param.u64 %data, [data]; ld.param.u64 %table, [table]; ld.param.u64 %out, [out]; ld.param.u32 %stores, [stores];
mov.u32 %t, %tid.x;
mul.wide.u32 %a, %t, 4;
add.s64 %at, %table, %a;
ld.global.u32 %i, [%at];
setp.eq.u32 %p, %i, 65535;
@%p bra END;
setp.ge.u32 %p, %t, 32;
@%p bra OTHER;
mul.wide.u32 %a, %i, )" +
           std::to_string(bytes) + R"(;
add.s64 %at, %data, %a;
add.u32 %v, %t, 1;
mul.wide.u32 %w, %v, 65537; mul.lo.u64 %w, %w, 4295032833;
setp.eq.u32 %p, %stores, 0;
@%p bra LOAD;
st.global.u)" +
           bits + " [%at], " + v + R"(;
bra END;
LOAD:
ld.global.u)" +
           bits + " " + v + R"(, [%at];
xor.b)" + bits +
           " " + v + ", " + v + R"(, 1;
mul.wide.u32 %a, %t, )" +
           std::to_string(bytes) + R"(;
add.s64 %out, %out, %a;
st.global.u)" +
           bits + " [%out], " + v + R"(;
bra END;
OTHER:
mul.wide.u32 %a, %i, 4;
add.s64 %at, %data, %a;
add.u32 %v, %t, 1000;
st.global.u32 [%at], %v;
END:
ret;
}
)";
}

constexpr std::uint32_t kIdle = 65535;
constexpr unsigned kElements = 512;

/// Places of the first warp's lanes, in no order: the elements that leave `rest` by `by`.
std::vector<std::uint32_t> places(std::mt19937& random, unsigned by, unsigned rest) {
    std::vector<std::uint32_t> all;
    for (unsigned e = rest; e < kElements; e += by) all.push_back(e);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(kLanes);
    return all;
}

template <class Word>
void one_word_of_each_element_races() {
    Checked checked(by_table(sizeof(Word)));
    ASSERT_TRUE(checked.program);
    const auto data = checked.allocate(kElements * 8 + 64), table = checked.allocate(4 * kThreads),
               out = checked.with(std::vector<Word>(kThreads));
    std::mt19937 random(1);
    for (unsigned round = 0; round < 60; ++round) {
        checked.write(data, std::vector<std::uint32_t>(2 * kElements + 16, 7));
        // The others write words beside the elements but for one lane, in rounds of which the third part races.
        auto elements = places(random, 3, 1);
        const unsigned per = sizeof(Word) / 4, racing = round % 3 ? kLanes : random() % kLanes;
        for (unsigned l = 0; l < kLanes; ++l) {
            const auto e = elements[l];
            const auto beside = random() % 2 ? e * per - 1 : (e + 1) * per;
            elements.push_back(l == racing ? e * per + round / 3 % per : beside);
        }
        for (unsigned l = 0; l < kThreads; ++l)
            if (l % kLanes != racing && random() % 4 == 0) elements[l] = kIdle;
        checked.write(table, elements);
        const bool stores = random() % 2;
        const auto found = checked.launch({data, table, out, stores});
        EXPECT_EQ(found, racing < kLanes ? (Found{{FindingKind::race_global, 1}}) : Found{})
            << "round " << round << ", stores: " << stores;
    }
}

TEST(ScatteredWords, ThatAnotherThreadWritesRace) {
    one_word_of_each_element_races<std::uint32_t>();
    one_word_of_each_element_races<std::uint64_t>();
}

template <class Word>
void written_are_those_that_were_stored() {
    Checked checked(by_table(sizeof(Word)));
    ASSERT_TRUE(checked.program);
    const auto table = checked.allocate(4 * kThreads), out = checked.with(std::vector<Word>(kThreads));
    std::mt19937 random(2);
    for (unsigned round = 0; round < 20; ++round) {
        const auto data = checked.allocate(kElements * sizeof(Word));
        // All over the array, or half of the lanes within 256 bytes.
        auto stored = places(random, round % 2 ? 2 : 15, 0);
        if (round % 2) {
            stored.resize(kLanes / 2);
            for (unsigned l = 0; l < stored.size(); ++l) stored[l] = (l * 5 + round) % (kLanes / 2) * 2;
        }
        auto beside = stored;
        for (auto& e : beside) e += 1;
        const auto launch = [&](std::vector<std::uint32_t> at, bool stores) {
            at.resize(kThreads, kIdle);
            checked.write(table, at);
            return checked.launch({data, table, out, stores});
        };
        EXPECT_EQ(launch(stored, true), Found{});
        EXPECT_EQ(launch(stored, false), Found{});
        for (std::uint64_t l = 0; l < stored.size(); ++l) {
            const Word value = sizeof(Word) == 4 ? l + 1 : (l + 1) * 65537 * 4295032833ull;
            ASSERT_EQ(reinterpret_cast<const Word*>(out)[l], value ^ 1) << "lane " << l;
        }
        const auto found = launch(beside, false);
        EXPECT_EQ(found, (Found{{FindingKind::uninitialised, stored.size()}})) << "round " << round;
    }
}

TEST(ScatteredWords, ThatWereStoredAreWrittenAndTheirNeighboursAreNot) {
    written_are_those_that_were_stored<std::uint32_t>();
    written_are_those_that_were_stored<std::uint64_t>();
}

}  // namespace scattered_words_test
