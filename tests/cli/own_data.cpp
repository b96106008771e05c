// These tests store results in a folder of their own, never in the database of who runs them, and compare lines that
// are drawn in UTF-8, whatever locale that is.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

class OwnData : public testing::Environment {
public:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("warpwright-cli-tests-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        ::setenv("XDG_DATA_HOME", folder_.c_str(), 1);
        ::setenv("LC_ALL", "C.UTF-8", 1);
        ::setenv("WARPWRIGHT_PREDICT", "off", 1);  // the tests of predicted times ask for them
    }
    void TearDown() override {
        std::error_code ec;
        std::filesystem::remove_all(folder_, ec);
    }

private:
    std::filesystem::path folder_;
};

const auto* const own_data = testing::AddGlobalTestEnvironment(new OwnData);

}  // namespace
