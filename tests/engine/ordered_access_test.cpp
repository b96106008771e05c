// Kernels whose lanes take places out of a table, which has the same way of placing them again and again: what code
// moves by the order of the last request (codegen/ordered_access.hpp) is what each lane would have moved, at the costs
// of the room counters, also where the way changes, where lanes store to one place, and where they leave the memory.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "common/processors.hpp"
#include "counters/access.hpp"
#include "engine/run/engine.hpp"

namespace ordered_access_test {

using namespace warpwright;

constexpr unsigned kLanes = 32, kPlaces = 512;

/// How a round places its lanes: their elements, by lane.
using Way = std::function<unsigned(unsigned lane)>;

struct Form {
    bool shared;
    unsigned words;    ///< of a lane
    const char* type;  ///< of an element
    const char* values;
    bool narrow = false;  ///< addresses are in registers of 32 bits, 8 bytes below the place
};

const std::vector<Form>& forms() {
    static const std::vector<Form> all{
        {true, 1, "u32", "%v0"},       {true, 2, "v2.u32", "{%v0, %v1}"},       {true, 2, "u64", "%w"},
        {true, 1, "u32", "%v0", true}, {true, 2, "v2.u32", "{%v0, %v1}", true}, {true, 2, "u64", "%w", true},
        {false, 1, "u32", "%v0"},      {false, 2, "v2.u32", "{%v0, %v1}"},      {false, 2, "u64", "%w"},
    };
    return all;
}

/// k(u64 table, u64 out, u64 data, u32 rounds): in each round, every lane stores words made of its own and the round's
/// number at its place, then loads what lies at the place that the lane has in the next round.
std::string text(const Form& f) {
    const std::string space = f.shared ? "shared" : "global", bytes = std::to_string(4 * f.words);
    const bool pair = std::string(f.type) == "u64";
    std::string zeros;
    for (unsigned at = 0; f.shared && at < kPlaces * 8; at += 4 * kLanes)
        zeros += "st.shared.u32 [%b+" + std::to_string(at) + "], %turn;\n";
    if (f.shared)
        zeros = "mov.u64 %b, box;\nmul.wide.u32 %a, %lane, 4;\nadd.s64 %b, %b, %a;\n" + zeros + "bar.sync 0;\n";
    const auto cut = [&](const std::string& from) {
        return f.narrow ? "sub.s64 %" + from + ", %" + from + ", 8;\ncvt.u32.u64 %n" + from + ", %" + from + ";\n" : "";
    };
    const std::string to = f.narrow ? "[%na+8]" : "[%a]", from = f.narrow ? "[%nb+8]" : "[%b]";
    const std::string join = pair ? "mov.b64 %w, {%v0, %v1};\n" : "", part = pair ? "mov.b64 {%v0, %v1}, %w;\n" : "";
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 table, .param .u64 out, "
           ".param .u64 data, .param .u32 rounds)\n{\n.shared .align 16 .b8 box[" +
           std::to_string(kPlaces * 8) +
           "];\n.reg .pred %p;\n.reg .b32 %lane, %turn, %rounds, %at, %v0, %v1, %na, %nb;\n.reg .b64 %table, %out, "
           "%data, %a, %b, "
           "%w;\nld.param.u64 %table, [table];\nld.param.u64 %out, [out];\nld.param.u32 %rounds, [rounds];\n" +
           (f.shared ? "mov.u64 %data, box;\n" : "ld.param.u64 %data, [data];\n") +
           "mov.u32 %lane, %tid.x;\nmul.wide.u32 %a, %lane, 4;\nadd.s64 %table, %table, %a;\nmul.wide.u32 %a, %lane, "
           "8;\n"
           "add.s64 %out, %out, %a;\nmov.u32 %turn, 0;\n" +
           zeros + "AGAIN:\nld.global.u32 %at, [%table];\nmul.wide.s32 %a, %at, " + bytes +
           ";\nadd.s64 %a, %data, %a;\nld.global.u32 %at, [%table+128];\nmul.wide.s32 %b, %at, " + bytes +
           ";\nadd.s64 %b, %data, %b;\n" + cut("a") + cut("b") +
           "shl.b32 %v0, %turn, 8;\nadd.u32 %v0, %v0, %lane;\nnot.b32 %v1, %v0;\n" + join + "st." + space + "." +
           f.type + " " + to + ", " + f.values + ";\nbar.sync 0;\nmov.u32 %v1, 0;\nld." + space + "." + f.type + " " +
           f.values + ", " + from + ";\nbar.sync 0;\n" + part +
           "st.global.v2.u32 [%out], {%v0, %v1};\nadd.s64 %out, %out, 256;\nadd.s64 %table, %table, 128;\nadd.u32 "
           "%turn, %turn, 1;\nsetp.lt.u32 %p, %turn, %rounds;\n@%p bra AGAIN;\nret;\n}\n";
}

struct Ran {
    std::string error;
    std::vector<std::uint32_t> out;
    record::Counts counts;
};

Ran run(const Form& f, const std::vector<std::int32_t>& table, const std::string& cpu, bool quick) {
    engine::EngineOptions options;
    options.cpu = cpu;
    options.threads = 1, options.memory = std::uint64_t{1} << 26;
    options.quick_from = quick ? 0 : ~std::size_t{0}, options.better_after = -1;
    auto made = engine::Engine::create(options);
    if (!made) return {made.error().text(), {}, {}};
    auto& e = **made;
    auto program = e.load("ordered.ptx", text(f));
    if (!program) return {program.error().text(), {}, {}};
    const auto rounds = static_cast<std::uint32_t>(table.size() / kLanes - 1);
    const std::uint64_t sizes[3] = {table.size() * 4, std::uint64_t{rounds} * kLanes * 8, kPlaces * 4ull * f.words};
    std::byte parameters[28];
    std::uint64_t at[3];
    for (unsigned k = 0; k < 3; ++k) {
        at[k] = e.memory().allocate(sizes[k]).value();
        std::memset(reinterpret_cast<void*>(at[k]), 0, sizes[k]);
        std::memcpy(parameters + 8 * k, &at[k], 8);
    }
    std::memcpy(parameters + 24, &rounds, 4);
    std::memcpy(reinterpret_cast<void*>(at[0]), table.data(), sizes[0]);
    engine::LaunchRequest request;
    request.config.block.x = kLanes;
    request.parameters = parameters;
    auto reply = e.launch(**program, 0, request);
    Ran ran;
    if (!reply)
        ran.error = reply.error().text();
    else if (reply->result.counts)
        ran.counts = reply->result.counts->total;
    ran.out.resize(sizes[1] / 4);
    std::memcpy(ran.out.data(), reinterpret_cast<const void*>(at[1]), sizes[1]);
    return ran;
}

/// What each lane loads, lane by lane.
std::vector<std::uint32_t> expected(const Form& f, const std::vector<std::int32_t>& table) {
    std::vector<std::uint32_t> memory(kPlaces * f.words), out;
    for (std::size_t round = 0; round + 1 < table.size() / kLanes; ++round) {
        for (unsigned l = 0; l < kLanes; ++l) {
            const auto at = static_cast<std::size_t>(table[round * kLanes + l]) * f.words;
            const auto value = static_cast<std::uint32_t>(round << 8) + l;
            memory[at] = value;
            if (f.words == 2) memory[at + 1] = ~value;
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            const auto at = static_cast<std::size_t>(table[(round + 1) * kLanes + l]) * f.words;
            out.push_back(memory[at]);
            out.push_back(f.words == 2 ? memory[at + 1] : 0);
        }
    }
    return out;
}

std::vector<Way> ways() {
    return {
        [](unsigned l) { return l ^ 1; },
        [](unsigned l) { return 31 - l; },
        [](unsigned l) { return (l & ~3u) * 2 + (l & 3); },
        [](unsigned l) { return l / 2 * 3; },  // two lanes at each place
        [](unsigned l) { return (l * 7 + 3) % 32; },
        [](unsigned l) { return l % 8 + 3; },  // four lanes, of both vectors
        [](unsigned l) { return l * 9; },      // not near
        [](unsigned l) { return l; },          // one after the other
    };
}

/// Rounds of the ways, each some times in a row at drawn places, and one drawn lane by lane now and then.
std::vector<std::int32_t> drawn_table(unsigned seed) {
    std::mt19937 draw(seed);
    std::vector<std::int32_t> table;
    const auto all = ways();
    for (unsigned part = 0; part < 60; ++part) {
        const auto& way = all[draw() % all.size()];
        const auto often = 1 + draw() % 8, first = draw() % 200;
        for (unsigned k = 0; k < often; ++k)
            for (unsigned l = 0; l < kLanes; ++l) table.push_back(static_cast<std::int32_t>(first + k % 3 + way(l)));
        for (unsigned l = 0; l < kLanes && part % 7 == 0; ++l)
            table.push_back(static_cast<std::int32_t>(draw() % kPlaces));
    }
    return table;
}

/// Bank conflicts of all rounds' stores to shared memory, or of their loads.
std::uint64_t conflicts(const Form& f, const std::vector<std::int32_t>& table, bool store) {
    std::uint64_t sum = 0;
    for (std::size_t round = store ? 0 : 1; round + (store ? 1 : 0) < table.size() / kLanes; ++round) {
        std::uint32_t offsets[kLanes];
        for (unsigned l = 0; l < kLanes; ++l)
            offsets[l] = static_cast<std::uint32_t>(table[round * kLanes + l]) * 4 * f.words;
        sum += counters::shared_cost(store ? counters::SharedOp::store : counters::SharedOp::load, offsets, ~0u,
                                     4 * f.words, kLanes)
                   .bank_conflicts;
    }
    return sum;
}

/// Wavefronts or sectors of all rounds' stores, or of their loads.
std::uint64_t cost(const Form& f, const std::vector<std::int32_t>& table, bool store) {
    std::uint64_t sum = 0;
    const unsigned bytes = 4 * f.words;
    for (std::size_t round = store ? 0 : 1; round + (store ? 1 : 0) < table.size() / kLanes; ++round) {
        std::uint32_t offsets[kLanes];
        std::uint64_t addresses[kLanes];
        for (unsigned l = 0; l < kLanes; ++l)
            addresses[l] = offsets[l] = static_cast<std::uint32_t>(table[round * kLanes + l]) * bytes;
        sum += f.shared ? counters::shared_cost(store ? counters::SharedOp::store : counters::SharedOp::load, offsets,
                                                ~0u, bytes, kLanes)
                              .wavefronts
                        : counters::global_sectors(addresses, ~0u, bytes, kLanes);
    }
    return sum;
}

TEST(OrderedAccess, MovesAndCountsAsLaneByLane) {
    for (const auto& f : forms()) {
        const auto table = drawn_table(f.words + 3 * f.shared);
        const std::uint64_t rounds = table.size() / kLanes - 1, own = f.shared ? 0 : 1;
        for (const std::string& cpu : {std::string("native"), test::lesser_processors()[1]})
            for (const bool quick : {false, true}) {
                SCOPED_TRACE(std::string(f.narrow   ? "narrow shared "
                                         : f.shared ? "shared "
                                                    : "global ") +
                             f.type + ", for " + cpu + (quick ? ", quick" : ""));
                const auto ran = run(f, table, cpu, quick);
                ASSERT_EQ(ran.error, "");
                EXPECT_EQ(ran.out, expected(f, table));
                const auto& c = ran.counts;
                // The table's two loads a round are four sectors each, and what is put out is eight.
                const auto loads = f.shared ? c[record::Count::shared_load_wavefronts]
                                            : c[record::Count::global_load_sectors] - 8 * rounds;
                const auto stores = f.shared ? c[record::Count::shared_store_wavefronts] - kPlaces * 8 / (4 * kLanes)
                                             : c[record::Count::global_store_sectors] - 8 * rounds * own;
                EXPECT_EQ(loads, cost(f, table, false));
                EXPECT_EQ(stores, cost(f, table, true));
                if (!f.shared) continue;
                EXPECT_EQ(c[record::Count::shared_load_bank_conflicts], conflicts(f, table, false));
                EXPECT_EQ(c[record::Count::shared_store_bank_conflicts], conflicts(f, table, true));
            }
    }
}

TEST(OrderedAccess, WhatLeavesTheMemoryIsToldAfterRequestsLikeIt) {
    for (const auto& f : forms())
        for (const int first : {-1, static_cast<int>(kPlaces) - 31}) {
            std::vector<std::int32_t> table;
            for (unsigned round = 0; round < 9; ++round)
                for (unsigned l = 0; l < kLanes; ++l)
                    table.push_back((round == 8 ? first : static_cast<int>(round)) + static_cast<int>(31 - l));
            const auto ran = run(f, table, "native", false);
            const bool inside = f.shared && f.words == 1 && first > 0;  // box[] has room for pairs
            EXPECT_EQ(ran.error.empty(), inside) << f.type << " from " << first << ": " << ran.error;
        }
}

}  // namespace ordered_access_test
