// A bound is the least time that the hardware needs: no predicted time lies below its own, whatever the rung, the
// device model and its rules of machine code.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/program.hpp"

namespace warpwright::cli {
namespace bounds_test {

class Bounds : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Bounds, NoPredictedTimeLiesBelowItsBound) {
    std::vector<std::string> words = {"lab",           "--device", "emulated",   "--models", "gt640,h200",
                                      "--predict=all", "--no-db",  "--no-tuned", "--json"};
    words.insert(words.begin() + 1, GetParam().begin(), GetParam().end());
    const auto said = test::program(words);
    ASSERT_EQ(said.code, 0) << said.error;
    unsigned compared = 0;
    const nlohmann::json result = nlohmann::json::parse(said.out);
    for (const auto& r : result.at("records")) {
        if (!r.contains("predicted") || !r["predicted"].is_object() || !r.contains("bound")) continue;
        ++compared;
        EXPECT_GE(r["predicted"]["seconds"].get<double>(), r["bound"]["seconds"].get<double>())
            << r["model"] << " " << r["rung"] << " " << r["axes"] << ": " << r["bound"]["binds"];
    }
    EXPECT_GT(compared, 3u);
}

INSTANTIATE_TEST_SUITE_P(Ladders, Bounds,
                         testing::Values(std::vector<std::string>{"matmul", "--size", "512", "--rung", "tiled*"},
                                         std::vector<std::string>{"transpose", "--size", "256"},
                                         std::vector<std::string>{"reduce", "--size", "65536", "--axis", "BLOCK=256"}),
                         [](const auto& one) { return one.param[0]; });

}  // namespace bounds_test
}  // namespace warpwright::cli
