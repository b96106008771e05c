// Predictions that are kept between runs: with none of them, with all, and with damaged ones a program has the same
// times, causes and counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "programs.hpp"

namespace warpwright {
namespace kept_predictions_test {

namespace fs = std::filesystem;
using programs_test::Programs;
using testing::HasSubstr;

class KeptPredictions : public Programs {
protected:
    /// The kernels of a run as the profile has them, without what this machine took; what it printed stands with them.
    std::string kernels(const std::string& cache, const std::string& choice) {
        const std::string file = folder_ / "profile";
        const auto ended =
            run({"WARPWRIGHT_CACHE=" + cache, "WARPWRIGHT_PREDICT=" + choice, "WARPWRIGHT_PROFILE=" + file}, ".cu");
        EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
        errors_ = ended.errors;
        std::ifstream in(file);
        auto all = nlohmann::json::parse(in, nullptr, false)["kernels"];
        EXPECT_GE(all.size(), 4u);
        for (auto& k : all) k.erase("host_s"), k.erase("compile_s"), k.erase("emulation_s");
        return ended.output + all.dump(1);
    }
    std::vector<fs::path> entries(const std::string& cache) const {
        std::vector<fs::path> out;
        for (const auto& f : fs::directory_iterator(cache))
            if (f.path().extension() == ".prediction") out.push_back(f.path());
        return out;
    }
    std::string errors_;
};

TEST_P(KeptPredictions, AreThoseThatAreMade) {
    for (const std::string choice : {"auto", "all"}) {
        const std::string cache = folder_ / ("cache-" + choice);
        const auto without = kernels("", choice);
        EXPECT_EQ(kernels(cache, choice), without) << choice << ": an empty cache";
        const auto made = entries(cache);
        EXPECT_GT(made.size(), 6u);
        EXPECT_EQ(kernels(cache, choice), without) << choice << ": code that traces is there";
        EXPECT_EQ(kernels(cache, choice), without) << choice << ": a full cache";
        EXPECT_EQ(entries(cache).size(), made.size()) << "nothing was simulated again";
        if (choice == "all") continue;
        for (const auto& file : made) fs::resize_file(file, fs::file_size(file) / 2);
        EXPECT_EQ(kernels(cache, choice), without) << choice << ": a damaged one";
        EXPECT_THAT(errors_, HasSubstr("is damaged"));
        EXPECT_EQ(kernels(cache, choice), without) << choice << ": one that was made anew";
        EXPECT_EQ(errors_, "");
    }
}

INSTANTIATE_TEST_SUITE_P(All, KeptPredictions, testing::Values("kept_predictions"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace kept_predictions_test
}  // namespace warpwright
