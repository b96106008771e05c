// Programs of several devices, and what a program asks for that it cannot have.
#include <fstream>
#include <nlohmann/json.hpp>

#include "occurrences.hpp"
#include "programs.hpp"

namespace warpwright {
namespace several_devices_test {

using programs_test::Programs;
using testing::HasSubstr;

/// Two emulated devices: what is of which, and what goes over their link.
class SeveralDevices : public Programs {};

TEST_P(SeveralDevices, EachHasItsOwn) {
    const auto profile = (folder_ / "profile.json").string();
    const auto ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "WARPWRIGHT_PROFILE=" + profile});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    std::ifstream in(profile);
    const auto all = nlohmann::json::parse(in);
    // 256 ints are 32 sectors, and the kernels of device 1 alone reach for them over the link.
    std::map<std::string, std::array<std::uint64_t, 2>> over_link;
    for (const auto& k : all["kernels"]) {
        auto& sectors = over_link[k["name"].get<std::string>() + " on " + std::to_string(k["device"].get<int>())];
        sectors[0] += k["counts"].value("peer_load_sectors", std::uint64_t{0});
        sectors[1] += k["counts"].value("peer_store_sectors", std::uint64_t{0});
    }
    EXPECT_EQ(over_link["_Z4copyPiPKi on 1"], (std::array<std::uint64_t, 2>{32, 0}));
    EXPECT_EQ(over_link["_Z3setPii on 1"], (std::array<std::uint64_t, 2>{0, 32}));
    EXPECT_EQ(over_link["_Z3setPii on 0"], (std::array<std::uint64_t, 2>{0, 32})) << "memory of a pool of device 1";
    EXPECT_EQ(over_link["_Z5countPi on 0"], (std::array<std::uint64_t, 2>{0, 0}));
    EXPECT_GT(over_link["_Z5countPi on 1"][1], 0u);
    std::uint64_t copied = 0;
    for (const auto& c : all["copies"])
        if (c["name"] == "[CUDA memcpy PtoP]") copied = c["bytes"];
    EXPECT_EQ(copied, 3u * 1024);
}

TEST_P(SeveralDevices, AnAccessWithoutAccessEndsTheProgramsWork) {
    const auto ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "WITHOUT_ACCESS=1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("in memory of device 0, to which device 1 has no access"));
    EXPECT_THAT(ended.errors, HasSubstr("cudaDeviceEnablePeerAccess"));
}

TEST_P(SeveralDevices, ThoseThatTheProgramMaySee) {
    auto ended = run({"WARPWRIGHT_DEVICE_COUNT=4", "CUDA_VISIBLE_DEVICES=3,1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "CUDA_VISIBLE_DEVICES=1,7"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.output, HasSubstr("there is 1"));
    ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "CUDA_VISIBLE_DEVICES=2"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.errors, HasSubstr("CUDA_VISIBLE_DEVICES is '2', and the machine has 2 emulated devices"));
    const std::string uuids = "GPU-77617270-7772-6967-6874-2d3030303033,GPU-77617270-7772-6967-6874-2d3030303031";
    ended = run({"WARPWRIGHT_DEVICE_COUNT=4", "CUDA_VISIBLE_DEVICES=" + uuids});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    // Of one device a scheduler's or a shell's text says nothing.
    ended = run({"CUDA_VISIBLE_DEVICES=GPU-5"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.output, HasSubstr("there is 1"));
    EXPECT_THAT(ended.errors, HasSubstr("CUDA_VISIBLE_DEVICES is 'GPU-5', and the machine has 1 emulated device"));
    ended = run({"CUDA_VISIBLE_DEVICES="});
    EXPECT_EQ(ended.exit_code, 1) << "the empty text hides it";
}
INSTANTIATE_TEST_SUITE_P(All, SeveralDevices, testing::Values("several_devices"),
                         [](const auto& info) { return std::string(info.param); });

/// What a program asks for and cannot have: one line each, with the way on.
class Forked : public Programs {};

TEST_P(Forked, ALineSaysWhy) {
    auto ended = run();
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    EXPECT_EQ(occurrences(ended.errors, "this process was forked from one that had used the GPU"), 1u) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("cudaMalloc: this process was forked"));
    EXPECT_THAT(ended.errors,
                HasSubstr("cudaSetDevice(3): the program sees 1 emulated device (run --devices N gives it more)"));
    // A child that only puts away what it has from its parent is told nothing.
    ended = run({"ONLY_ENDS=1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, testing::Not(HasSubstr("forked")));
}
INSTANTIATE_TEST_SUITE_P(All, Forked, testing::Values("forked"),
                         [](const auto& info) { return std::string(info.param); });

/// Memory of two devices in one reserved range: each part is its own device's.
class MappedOwners : public Programs {};

TEST_P(MappedOwners, EachPartIsItsDevices) {
    const auto profile = (folder_ / "profile.json").string();
    auto ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "WARPWRIGHT_PREDICT=off", "WARPWRIGHT_PROFILE=" + profile}, ".cu",
                     {"-lcuda"});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
    std::ifstream in(profile);
    for (const auto& k : nlohmann::json::parse(in, nullptr, false)["kernels"])
        if (k["name"] == "_Z11sum_of_bothPiPKiS1_")
            EXPECT_EQ(k["counts"]["peer_load_sectors"], 4);  // 32 numbers of the other device
    ended = run({"WARPWRIGHT_DEVICE_COUNT=2", "WITHOUT_ACCESS=1"}, ".cu", {"-lcuda"});
    EXPECT_THAT(ended.output, HasSubstr("refused")) << ended.errors;
}
INSTANTIATE_TEST_SUITE_P(All, MappedOwners, testing::Values("mapped_owners"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace several_devices_test
}  // namespace warpwright
