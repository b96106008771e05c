// What the tests of attacks share: kernels out of files beside the test, a device that checks or does not, and what a
// confined kernel's end looks like.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device/emulated/emulated.hpp"
#include "device/support.hpp"
#include "record/finding.hpp"
#include "support/cause.hpp"

namespace security_tests {

using namespace device_tests;
using warpwright::Cause;
using warpwright::Error;

/// How an attack is run: in guard mode (engine/shared/guard.hpp) what gets past the checks ends the test.
enum class Mode : std::uint8_t { plain, checked, guarded };

/// The device of one attack: small, and under the checkers where asked.
class Victim {
public:
    explicit Victim(bool checked) : Victim(checked ? Mode::checked : Mode::plain) {}
    explicit Victim(Mode mode) : checked_(mode == Mode::checked) {
        warpwright::device::EmulatedOptions options;
        options.threads = 1;
        options.memory = std::uint64_t{64} << 20;
        options.guarded = mode == Mode::guarded;
        if (checked_) options.checkers = warpwright::record::kKernelCheckers;
        auto made = warpwright::device::make_emulated(options);
        if (!made) throw std::runtime_error(made.error().text());
        device = std::move(*made);
    }

    Address buffer(std::uint64_t bytes, std::uint8_t value) {
        const auto at = device->allocate(bytes).value();
        EXPECT_TRUE(device->fill(at, value, bytes).ok());
        return at;
    }
    std::vector<std::uint8_t> read(Address at, std::size_t bytes) {
        std::vector<std::uint8_t> out(bytes);
        EXPECT_TRUE(device->read(std::as_writable_bytes(std::span(out)), at).ok());
        return out;
    }
    bool is_all(Address at, std::size_t bytes, std::uint8_t value) {
        for (const auto b : read(at, bytes))
            if (b != value) return false;
        return true;
    }

    static std::string text_of(const std::string& file) {
        std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/security/kernels/" + file);
        EXPECT_TRUE(in) << file;
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    warpwright::Result<LaunchResult> run_text(const std::string& name, const std::string& text,
                                              const std::string& entry, std::vector<std::byte> with,
                                              Extent block = {32},
                                              std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
        auto loaded = device->load(name, text);
        if (!loaded) return loaded.error();
        LaunchConfig config;
        config.grid = {1};
        config.block = block;
        LaunchOptions options;
        options.timeout = timeout;
        return device->launch(**loaded, entry, config, with, options);
    }
    warpwright::Result<LaunchResult> run(const std::string& file, const std::string& entry, std::vector<std::byte> with,
                                         Extent block = {32},
                                         std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
        return run_text(file, text_of(file), entry, std::move(with), block, timeout);
    }

    /// The attack was noticed: a fault with a place and this cause, or (accesses under the checkers) a finding.
    void expect_caught(const warpwright::Result<LaunchResult>& result, const std::string& file, Cause cause) {
        if (!result.ok()) {
            EXPECT_EQ(result.error().kind, ErrorKind::fault) << result.error().text();
            EXPECT_EQ(result.error().where.file, file) << result.error().text();
            EXPECT_GT(result.error().where.line, 0u) << result.error().text();
            EXPECT_EQ(warpwright::info(result.error().cause).name, warpwright::info(cause).name)
                << result.error().text();
        } else if (!checked_) {
            ADD_FAILURE() << "the attack was not noticed: " << file;
        }
        if (!checked_) return;
        for (const auto& f : device->finding_log()->findings())
            if (f.cause == cause && f.at.line > 0 && f.at.file == file) return;
        ADD_FAILURE() << "the checkers have found nothing of " << warpwright::info(cause).name << " in " << file << "\n"
                      << warpwright::record::findings_json(device->finding_log()->findings());
    }

    bool checked() const { return checked_; }
    std::unique_ptr<warpwright::device::Device> device;

private:
    bool checked_;
};

/// Each attack runs in each mode.
class Attack : public testing::TestWithParam<Mode> {
protected:
    Victim victim{GetParam()};
};

inline std::string mode_name(const testing::TestParamInfo<Mode>& mode) {
    return mode.param == Mode::plain ? "plain" : mode.param == Mode::checked ? "checked" : "guarded";
}
inline auto all_modes() { return testing::Values(Mode::plain, Mode::checked, Mode::guarded); }

}  // namespace security_tests
