// A ladder with tensor maps, clusters, conditions and a library, from its file to its records, on the emulated GPU.
#include <gmock/gmock.h>

#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "ladder/run.hpp"

namespace warpwright::ladder {
namespace extensions_test {

using testing::HasSubstr;

Result<std::string> compile_one(const std::string& path, const std::vector<std::string>& defines) {
    compile::CompileRequest request;
    request.path = path;
    request.defines = defines;
    compile::CompileOptions options;
    options.cache_dir = WARPWRIGHT_TEST_CACHE;
    auto out = compile::compile(request, options);
    if (!out) return out.error();
    return out->ptx;
}

struct Tiles {
    Ladder ladder = *read_ladder(WARPWRIGHT_SOURCE_DIR "/tests/kernels/tiles");
    std::unique_ptr<device::Device> device = std::move(*device::make_emulated({}));
    Session session{*device, RunOptions{{}, compile_one}};

    RungRun run(const std::string& name, std::vector<std::int64_t> size, const std::string& type = "f32") {
        const Rung* rung = select_rungs(ladder, {name})->front();
        const Variant variant = variants(ladder, *rung, {{"T", {type}}})->front();
        auto problem = Problem::make(ladder, std::move(size), variant, 1);
        EXPECT_TRUE(problem.ok());
        return session.run_rung(*rung, variant, *problem);
    }
};

TEST(Extensions, a_tensor_map_and_a_cluster_reach_the_kernel) {
    Tiles tiles;
    for (const char* type : {"f32", "u32"})
        for (const auto& size : {std::vector<std::int64_t>{16, 64}, {96, 192}}) {
            const RungRun run = tiles.run("map", size, type);
            ASSERT_FALSE(run.problem) << run.problem->text();
            EXPECT_EQ(run.record.verified, true) << run.record.verification->first_mismatch;
            EXPECT_EQ(run.record.verification->method, "every element, bit by bit");
            EXPECT_FALSE(run.record.left_out);
        }
}

TEST(Extensions, a_map_ends_where_its_size_says) {
    Tiles tiles;
    const RungRun run = tiles.run("half", {16, 64});
    ASSERT_FALSE(run.problem) << run.problem->text();
    EXPECT_EQ(run.record.verified, false);
    EXPECT_EQ(run.record.verification->mismatches, 8u * 64);  // beyond it there are zeros
    EXPECT_THAT(run.record.verification->first_mismatch, HasSubstr("first at 512"));
}

TEST(Extensions, what_does_not_serve_is_left_out) {
    Tiles tiles;
    EXPECT_EQ(tiles.run("map", {16, 100}).record.left_out, "N must be a multiple of 64 and M of 16");
    EXPECT_EQ(tiles.run("next", {16, 64}).record.left_out, "needs compute capability 10.0; the device has 9.0");
    EXPECT_EQ(tiles.run("half", {16, 64}).record.left_out, std::nullopt);
    EXPECT_THAT(*tiles.run("library", {16, 64}).record.left_out, HasSubstr("'memcpy'"));
}

TEST(Extensions, a_map_that_cannot_be_is_an_error_with_its_place) {
    Tiles tiles;
    const RungRun run = tiles.run("odd", {16, 64});
    ASSERT_TRUE(run.problem);
    EXPECT_THAT(run.problem->text(), HasSubstr("multiple of 16"));
    EXPECT_THAT(run.problem->text(), HasSubstr("tiles/ladder.toml:"));
}

}  // namespace extensions_test
}  // namespace warpwright::ladder
