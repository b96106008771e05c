// Kernels whose accesses lie at constant distances, at multiples of a pitch and in two rows, drawn at random: what is
// counted by places (codegen/place_counts.hpp) is what code counts that looks at every lane's address, and what quick
// code counts, for all of a block's shapes, widths, pitches and places, with all lanes and with a part of them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <cstring>

#include "common/processors.hpp"
#include "engine/run/engine.hpp"

namespace joint_counts_test {

using namespace warpwright;

/// RapidCheck reads this when the first property is checked; a run's own setting goes first.
const bool kCases = setenv("RC_PARAMS", "max_success=60", 0) == 0;

constexpr std::uint64_t kBytes = 1 << 20, kMiddle = kBytes / 2;

/// One access: `rows` pitches and `further` elements from where its lane begins.
struct Drawn {
    unsigned kind = 0;  ///< 0: a load; 1: a store; 2: a load of one element by all lanes of a row
    int rows = 0, further = 0;
};

struct Case {
    unsigned x = 32, y = 2, width = 4, transaction = 32, begin = 0, most_x = 32, turns = 2;
    int pitch = 16, stride = 1;
    bool narrow = false;  ///< rows are counted in 32 bits
    std::string cpu;
    std::vector<Drawn> accesses;
};

Case draw() {
    Case c;
    const auto shape = *rc::gen::element(std::pair(32u, 2u), std::pair(16u, 4u), std::pair(8u, 8u), std::pair(64u, 1u),
                                         std::pair(24u, 4u));
    c.x = shape.first, c.y = shape.second;
    c.width = *rc::gen::element(1u, 2u, 4u, 4u, 4u, 8u, 16u);
    c.transaction = *rc::gen::element(32u, 32u, 32u, 64u, 128u);
    c.begin = *rc::gen::inRange(0u, 40u);
    c.most_x = *rc::gen::element(c.x, c.x, c.x, c.x - 3);
    c.turns = *rc::gen::inRange(1u, 4u);
    c.pitch = *rc::gen::element(0, 1, 3, 7, 8, 16, 24, 33, 64, 200, -5, -16);
    c.stride = *rc::gen::element(1, 1, 1, 2, 3, 4, -1, 9);
    const auto lesser = test::lesser_processors();
    c.cpu = *rc::gen::element<std::string>("native", lesser[1], lesser[0]);
    c.narrow = *rc::gen::arbitrary<bool>();
    c.accesses = *rc::gen::container<std::vector<Drawn>>(
        *rc::gen::inRange(3u, 9u), rc::gen::build<Drawn>(rc::gen::set(&Drawn::kind, rc::gen::inRange(0u, 3u)),
                                                         rc::gen::set(&Drawn::rows, rc::gen::inRange(-2, 4)),
                                                         rc::gen::set(&Drawn::further, rc::gen::inRange(-3, 12))));
    return c;
}

std::string number(std::int64_t n) { return std::to_string(n); }

/// k(u64 in, u64 out, s32 pitch): the accesses of each lane, in a loop of some turns.
std::string text(const Case& c) {
    const std::string type = c.width == 16 ? ".v2.u64" : ".u" + number(8 * c.width);
    std::string body;
    unsigned next = 0;
    for (const auto& a : c.accesses) {
        const auto k = number(next++), offset = number(a.further * static_cast<int>(c.width));
        const std::string lane = a.kind == 2 ? "row" : "here", from = a.kind == 1 ? "%out" : "%in";
        if (c.narrow) {
            body += "mad.lo.s32 %i, %pitch, " + number(a.rows) + ", %" + lane + ";\nmul.wide.s32 %a" + k + ", %i, " +
                    number(c.width) + ";\nadd.s64 %a" + k + ", %a" + k + ", " + from + ";\n";
        } else {
            body += "mul.wide.s32 %a" + k + ", %" + lane + ", " + number(c.width) + ";\nadd.s64 %a" + k + ", %a" + k +
                    ", " + from + ";\n";
            for (int r = 0; r < std::abs(a.rows); ++r)
                body += std::string(a.rows < 0 ? "sub" : "add") + ".s64 %a" + k + ", %a" + k + ", %step;\n";
        }
        const std::string where = " [%a" + k + (a.further < 0 ? "" : "+") + offset + "]";
        const std::string values = c.width == 16 ? "{%v, %w}" : "%v";
        if (a.kind == 1)
            body += "st.global" + type + where + ", " + values + ";\n";
        else
            body += "ld.global" + type + " " + (c.width == 16 ? "{%n, %m}" : "%n") + "," + where +
                    ";\nadd.u64 %v, %v, %n;\nadd.u64 %w, %w, %m;\n";
    }
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param "
           ".s32 pitch)\n{\n.reg .pred %p;\n.reg .b32 %x, %y, %i, %pitch, %here, %row, %turn;\n.reg .b64 %in, %out, "
           "%step, %v, %w, %n, %m;\n.reg .b64 %a<20>;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
           "ld.param.s32 %pitch, [pitch];\nmov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nsetp.ge.u32 %p, %x, " +
           number(c.most_x) + ";\n@%p bra END;\nmul.wide.s32 %step, %pitch, " + number(c.width) +
           ";\nmov.u64 %v, 1;\nmov.u64 %w, 2;\nmov.u64 %m, 0;\nmov.u32 %turn, 0;\nmul.lo.s32 %row, %y, %pitch;\n"
           "mad.lo.s32 %here, %x, " +
           number(c.stride) + ", %row;\nAGAIN:\n" + body + "add.s64 %in, %in, %step;\nadd.s64 %out, %out, " +
           number(c.width) + ";\nadd.u32 %turn, %turn, 1;\nsetp.lt.u32 %p, %turn, " + number(c.turns) +
           ";\n@%p bra AGAIN;\nEND:\nret;\n}\n";
}

enum class Way { best, quick, by_lane };

struct Ran {
    std::vector<std::uint8_t> out;
    record::Counts counts;
    std::string error;
};

Ran run(const Case& c, Way way) {
    engine::EngineOptions options;
    options.cpu = c.cpu;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 28;
    options.quick_from = way == Way::quick ? 0 : ~std::size_t{0};
    options.better_after = -1;
    options.affine_off = way == Way::by_lane;
    options.transaction_bytes = c.transaction;
    auto engine = engine::Engine::create(options);
    if (!engine) return {{}, {}, engine.error().text()};
    auto& e = **engine;
    auto program = e.load("counts.ptx", text(c));
    if (!program) return {{}, {}, program.error().text()};
    std::uint64_t begin[2];
    for (auto& b : begin) b = e.memory().allocate(kBytes).value();
    for (std::uint64_t k = 0; k < kBytes; ++k) reinterpret_cast<std::uint8_t*>(begin[0])[k] = k % 251;
    std::memset(reinterpret_cast<void*>(begin[1]), 0, kBytes);
    std::byte parameters[20];
    for (unsigned k = 0; k < 2; ++k) {
        const auto address = begin[k] + kMiddle + std::uint64_t{c.begin} * c.width * (k + 1);
        std::memcpy(parameters + 8 * k, &address, 8);
    }
    std::memcpy(parameters + 16, &c.pitch, 4);
    engine::LaunchRequest request;
    request.config.grid.x = 2;
    request.config.block.x = c.x;
    request.config.block.y = c.y;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    auto reply = e.launch(**program, 0, request);
    Ran ran;
    if (!reply)
        ran.error = reply.error().text();
    else if (reply->result.counts)
        ran.counts = reply->result.counts->total;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(begin[1]);
    ran.out.assign(bytes, bytes + kBytes);
    return ran;
}

TEST(JointCounts, AreThoseOfEachLane) {
    EXPECT_TRUE(rc::check([] {
        const auto c = draw();
        RC_LOG() << text(c) << c.x << " x " << c.y << ", pitch " << c.pitch << ", begin " << c.begin << ", for "
                 << c.cpu << "\n";
        const auto best = run(c, Way::best), quick = run(c, Way::quick), by_lane = run(c, Way::by_lane);
        RC_ASSERT(best.error == "");
        const auto all = [](const record::Counts& counts) {
            return std::vector<std::uint64_t>(std::begin(counts.values), std::end(counts.values));
        };
        RC_ASSERT(all(quick.counts) == all(by_lane.counts));
        RC_ASSERT(all(best.counts) == all(by_lane.counts));
        RC_ASSERT(best.out == by_lane.out);
        RC_ASSERT(quick.out == by_lane.out);
    }));
}

}  // namespace joint_counts_test
