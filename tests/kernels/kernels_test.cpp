// Every rung of every ladder that comes with the program, from source to verified result on the emulated GPU.
#include <gmock/gmock.h>

#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "ladder/find.hpp"
#include "ladder/run.hpp"

namespace warpwright::ladder {
namespace kernels_test {

Result<std::string> compile_one(const std::string& path, const std::vector<std::string>& defines) {
    compile::CompileRequest request;
    request.path = path;
    request.defines = defines;
    compile::CompileOptions options;
    options.cache_dir = WARPWRIGHT_TEST_CACHE;  // the rungs' PTX is the same in every run of the tests
    auto out = compile::compile(request, options);
    if (!out) return out.error();
    EXPECT_EQ(out->log, "") << path;  // no warnings
    return out->ptx;
}

struct Case {
    std::string ladder, rung;
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.ladder << "/" << c.rung; }
};

std::vector<Case> cases() {
    std::vector<Case> out;
    for (const LadderPlace& place : list_ladders())
        if (auto ladder = read_ladder(place.file))
            for (const Rung& rung : ladder->rungs)
                if (!rung.source.empty()) out.push_back({place.name, rung.name});
    return out;
}

class EveryRung : public testing::TestWithParam<Case> {};

/// Sizes around everything a kernel rounds to: nothing, one element, a warp, a tile, a block, two launches.
std::vector<std::vector<std::int64_t>> sizes_of(const Ladder& ladder) {
    if (ladder.size_names.size() == 2) {
        std::vector<std::vector<std::int64_t>> out;
        for (std::int64_t n : {0, 1, 31, 33, 64, 192, 257}) out.push_back({n, n});
        for (auto s : {std::vector<std::int64_t>{1, 4000}, {4000, 1}, {40, 70}, {128, 1056}}) out.push_back(s);
        return out;
    }
    if (ladder.size_names.size() == 3) {
        std::vector<std::vector<std::int64_t>> out;
        for (std::int64_t n : {0, 1, 31, 33, 64, 192, 193}) out.push_back({n, n, n});
        for (auto s : {std::vector<std::int64_t>{1, 40, 70},
                       {70, 1, 40},
                       {40, 70, 1},
                       {33, 5, 0},
                       {3, 1100, 8},
                       {1100, 3, 8},
                       {2, 3, 9000},
                       {128, 256, 64}})
            out.push_back(s);
        return out;
    }
    // A size of a square product stands for its cube.
    if (ladder.reference.kind == Reference::Kind::matmul) return {{1}, {31}, {33}, {64}, {97}, {130}};
    std::vector<std::vector<std::int64_t>> out;
    for (std::int64_t n : {0, 1, 31, 32, 33, 192, 193, 255, 256, 257, 511, 513, 1000, 65536, 65537, 100003, 300007})
        out.push_back({n});
    return out;
}

/// Each type and operation is compiled anew, which is where the time goes. Reductions: every type summed, and the other
/// operations on one type each. Tensor cores: each type in one layout, and every layout with one type.
bool worth_running(const Ladder& ladder, const Rung& rung, const Variant& variant) {
    if (ladder.name == "reduce") {
        const auto op = word_of("OP", variant);
        return op == "sum" || word_of("T", variant) == (op == "min" ? "float16" : "int32");
    }
    if (ladder.name != "matmul_tensor") return true;
    // It serves large products only.
    if (rung.name == "stream_k")
        return word_of("LAYOUT", variant) == "NT" && (word_of("T", variant) == "bf16" || word_of("T", variant) == "i8");
    return word_of("T", variant) == "bf16" || word_of("LAYOUT", variant) == "NT";
}

TEST_P(EveryRung, gives_the_right_result_at_every_size) {
    auto ladder = find_ladder(GetParam().ladder);
    ASSERT_TRUE(ladder.ok());
    Rung rung = *select_rungs(*ladder, {GetParam().rung})->front();
    device::EmulatedOptions options;
    auto device = device::make_emulated(options);
    ASSERT_TRUE(device.ok()) << device.error().text();
    Session session(**device, RunOptions{{}, compile_one});
    auto list = variants(*ladder, rung, {});
    ASSERT_TRUE(list.ok());
    bool ran = false;
    auto sizes = sizes_of(*ladder);
    if (rung.name == "stream_k") sizes = {{64, 64, 64}, {8576, 2048, 64}};  // eight waves of tiles and a little more
    if (rung.name == "best_large") sizes.push_back({2048, 2048, 24});       // a hundred large tiles at least
    if (rung.name.starts_with("turned") || rung.name == "as_they_lie")
        sizes.insert(sizes.end(), {{3712, 1024, 4}, {3711, 1023, 5}, {1661, 1277, 5}});  // 464 and 260 of 528 places
    if (rung.name == "turned_large" ||
        rung.name == "turned_filled_pairs") {  // its threshold is one of speed, not of what it can do
        rung.require.reset();
        sizes = {{128, 256, 64}, {300, 516, 36}};
        if (rung.name == "turned_filled_pairs") sizes = {{129, 70, 65}, {1, 2, 3}, {64, 64, 2}};
    }
    if (rung.name == "parts") sizes.insert(sizes.end(), {{70, 90, 260}, {65, 1030, 1500}});
    for (const Variant& variant : *list)
        for (const auto& size : sizes) {
            if (!worth_running(*ladder, rung, variant)) continue;
            auto problem = Problem::make(*ladder, size, variant, 1);
            // A ladder may refuse a size (none at all, say); that some size runs is looked at below.
            if (!problem.ok() && problem.error().what.find("does not take the size") != std::string::npos) continue;
            ASSERT_TRUE(problem.ok()) << problem.error().text();
            RungRun run = session.run_rung(rung, variant, *problem);
            std::string where = rung.name + " at " + size_text(size);
            for (const auto& [name, value] : variant) where += " " + name + "=" + value.text;
            ASSERT_FALSE(run.problem) << where << ": " << run.problem->text();
            if (run.record.left_out) {  // it says itself where it does not serve
                EXPECT_NE(*run.record.left_out, "") << where;
                continue;
            }
            ran = true;
            ASSERT_TRUE(run.record.verified.has_value());
            // The lockstep of the emulation lets even the volatile reduction through; on a real GPU it need not pass.
            EXPECT_TRUE(*run.record.verified) << where << ": " << run.record.verification->first_mismatch;
        }
    EXPECT_TRUE(ran) << "left out at every size";
}

// Which of its five tile shapes the rung takes, and in how many parts, goes by size; here each is asked for.
TEST(PartsRung, every_shape_of_tile_gives_the_right_result) {
    auto ladder = find_ladder("matmul");
    ASSERT_TRUE(ladder.ok());
    auto device = device::make_emulated({});
    ASSERT_TRUE(device.ok()) << device.error().text();
    Session session(**device, RunOptions{{}, compile_one});
    for (const std::string shape : {"b", "q", "c", "d", "e"}) {
        Rung rung = *select_rungs(*ladder, {"parts"})->front();
        const auto set = [&](auto place, const std::string& name, const std::string& value) {
            return rung.let.insert(place, {name, *Expression::parse(value)}) + 1;
        };
        auto rows = std::find_if(rung.let.begin(), rung.let.end(), [](const auto& l) { return l.first == "rows"; });
        ASSERT_NE(rows, rung.let.end());
        for (const char* other : {"b", "q", "c", "d"})
            rows = set(rows, std::string("is_") + other, shape == other ? "1" : "0");
        set(rung.let.end(), "split", "K >= 300 ? 5 : 2");
        // Both edges thin, 1 to 4 rows or columns past tiles of 128; rows on 16 bytes, and A's alone; neither.
        for (const std::vector<std::int64_t>& size :
             {std::vector<std::int64_t>{257, 130, 300}, {260, 129, 303}, {97, 200, 256}}) {
            const Variant variant = variants(*ladder, rung, {})->front();
            auto problem = Problem::make(*ladder, size, variant, 1);
            ASSERT_TRUE(problem.ok()) << problem.error().text();
            const RungRun run = session.run_rung(rung, variant, *problem);
            ASSERT_FALSE(run.problem) << shape << ' ' << size_text(size) << ": " << run.problem->text();
            EXPECT_EQ(run.record.verified, true)
                << shape << ' ' << size_text(size) << ": "
                << (run.record.verification ? run.record.verification->first_mismatch : "");
        }
    }
}

// A producer's lane waits for a stage while the other lanes of its warp have gone on to where converged code gives up:
// what it will read when it goes on must have been kept. Needs a kernel this large and more steps than stages.
TEST(SparseRung, producer_waits_while_its_warp_gives_converged_code_up) {
    auto ladder = find_ladder("matmul_sparse");
    ASSERT_TRUE(ladder.ok());
    const Rung& rung = *select_rungs(*ladder, {"sparse_wgmma"})->front();
    auto device = device::make_emulated({});
    ASSERT_TRUE(device.ok()) << device.error().text();
    Session session(**device, RunOptions{{}, compile_one});
    auto list = variants(*ladder, rung, {{"T", {"e4m3"}}});
    ASSERT_TRUE(list.ok());
    for (const std::vector<std::int64_t>& size : {std::vector<std::int64_t>{128, 256, 2048}, {1152, 1024, 1024}}) {
        auto problem = Problem::make(*ladder, size, list->front(), 1);
        ASSERT_TRUE(problem.ok()) << problem.error().text();
        RungRun run = session.run_rung(rung, list->front(), *problem);
        ASSERT_FALSE(run.problem) << size_text(size) << ": " << run.problem->text();
        EXPECT_TRUE(run.record.verified.value_or(false))
            << size_text(size) << ": " << run.record.verification->first_mismatch;
    }
}

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRung, testing::ValuesIn(cases()),
                         [](const auto& i) { return i.param.ladder + "_" + i.param.rung; });

}  // namespace kernels_test
}  // namespace warpwright::ladder
