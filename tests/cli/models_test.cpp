// lab --models: one sweep on several device models, in one table.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/program.hpp"

namespace warpwright::cli {
namespace models_test {

using test::program;
using testing::HasSubstr;

TEST(LabModels, each_model_has_its_own_records_and_the_cpu_runs_once) {
    const auto said =
        program({"lab", "matmul", "--rung", "cpu_serial,naive", "--size", "64", "--models", "gt640,h200", "--json"});
    ASSERT_EQ(said.code, 0) << said.error;
    const auto records = nlohmann::json::parse(said.out)["records"];
    std::map<std::string, unsigned> kernels;
    std::map<std::string, double> bounds;
    unsigned cpu = 0;
    for (const auto& r : records) {
        if (r["device"] == "cpu") {
            ++cpu;
            continue;
        }
        ++kernels[r["model"]];
        if (r.contains("bound")) bounds[r["model"]] += r["bound"]["seconds"].get<double>();
    }
    EXPECT_EQ(cpu, 1u) << said.out;
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels["gt640"], kernels["h200"]);
    EXPECT_GT(bounds["gt640"], bounds["h200"]);
}

TEST(LabModels, what_they_cannot_go_with_is_said) {
    for (const auto& [more, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"--model", "h200"}, "--models cannot go with --model"},
             {{"--device", "cuda"}, "--device names another one"},
             {{"--page"}, "pages show one model"}}) {
        std::vector<std::string> words = {"lab", "matmul", "--models", "gt640,h200"};
        words.insert(words.end(), more.begin(), more.end());
        const auto said = program(words);
        EXPECT_EQ(said.code, 2) << says;
        EXPECT_THAT(said.error, HasSubstr(says));
    }
    const auto said = program({"lab", "matmul", "--size", "64", "--models", "gt64"});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.error, HasSubstr("did you mean 'gt640'?"));
}

}  // namespace models_test
}  // namespace warpwright::cli
