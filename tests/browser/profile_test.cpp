// The page of a profile in headless Chromium: a small one and one of 1,000 kernels and a million events, both used.
// Screenshots go to <build>/report-pictures, to be looked at.
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_browser.hpp"
#include "profile/side_by_side.hpp"
#include "report/program.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace profile_test {

namespace fs = std::filesystem;
using record::Count;
using test::text_of;

class ProfilePageInBrowser : public test::InBrowser {
protected:
    static std::optional<std::string> source(const std::string& file, unsigned line) {
        if (line > (file == "inner.cuh" ? 60u : 900u)) return std::nullopt;
        if (line == 7) return "    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x * n]; // <b>strided</b>";
        return fmt::format("    float x{} = {} * y;", line, line);
    }

    /// Kernels with lines in two files, events in two streams, and everything that a page can show.
    static profile::Profile make(unsigned kernels, unsigned events) {
        profile::Profile p;
        p.model = "h200", p.program = {"./app", "<script>alert(1)</script>"}, p.per_line = true;
        for (unsigned n = 0; n < kernels; ++n) {
            profile::KernelUse& k = p.kernels.emplace_back();
            k.name = fmt::format("number_{}<int, \"&\">", n), k.grid = {64 + n, 1, 1}, k.block = {256, 1, 1};
            k.registers = 32, k.static_shared = 1024, k.counted = 1 + n % 7;
            for (unsigned i = 0; i < k.counted; ++i) k.times.add((n + 1) * 1e-6);
            k.lines[{"app.cu", 7}][Count::instructions] = 5000;
            k.lines[{"app.cu", 7}][Count::global_load_requests] = 100;
            k.lines[{"app.cu", 7}][Count::global_load_sectors] = 3200;
            k.lines[{"app.cu", 600}][Count::instructions] = 900;
            for (unsigned step = 2; step < 7; ++step)  // lines of each heat
                k.lines[{"app.cu", 600 + step}][Count::instructions] = 5000 * (2 * step + 1) / 16;
            k.lines[{"inner.cuh", 12}][Count::instructions] = 20;
            for (const auto& [where, counts] : k.lines) k.counts += counts;
            k.counts[Count::flops] = 640000;
            k.touched.read = 1 << 20, k.touched.written = 1 << 20;
            auto& predicted = k.predicted.emplace();
            predicted.seconds = (n + 1) * 1e-6, predicted.method = record::Predicted::kSimulated,
            predicted.simulated = 1;
            predicted.occupancy = 0.5, predicted.dram_read = 1e6, predicted.dram_written = 1e6;
            predicted.stalls = {{"selected", 1}, {"long_scoreboard", 8}, {"wait", 2}};
            predicted.peaks = {{"DRAM", 0.4}, {"issue", 0.1}};
            predicted.lines = {{"app.cu", 7, {{"long_scoreboard", 8}}}, {"inner.cuh", 12, {{"wait", 2}}}};
            record::Bottleneck b;
            b.cause = "uncoalesced_load", b.share = 0.6, b.file = "app.cu", b.line = 7;
            b.evidence = {{"sectors_per_request", 32}, {"needed", 4}};
            predicted.causes = {b};
            if (n >= 40) continue;
            auto& picture = k.picture.emplace();
            picture.accesses = {{"app.cu", 7, 30, "ld.global.f32", "global", 32, 4, 0, {}}};
            for (unsigned s = 0; s < 32; ++s) picture.accesses[0].sectors.push_back(s * 12);
            picture.ptx = {{30, "ld.global.f32 %f1, [%rd1];", "app.cu", 7, 0.7, "long_scoreboard"}};
            picture.warps = {4000, 2000, 4, {"selected", "long_scoreboard"}, {}};
            for (unsigned i = 0; i < 600; ++i)
                picture.warps.intervals.insert(picture.warps.intervals.end(), {i % 16, i / 16 % 2, i / 16 * 50, 50});
        }
        p.copies.push_back({"[CUDA memcpy HtoD]", {}, 1 << 20});
        p.copies.push_back({"[CUDA memcpy DtoH]", {}, 1 << 20});
        for (auto& c : p.copies) c.times.add(1e-5);
        p.calls.push_back({"cudaMalloc", {}, 1});
        p.calls[0].times.add(1e-4);
        using Kind = profile::Event::Kind;
        for (unsigned i = 0; i < events; ++i)
            p.events.push_back({i % 5 == 4 ? Kind::copy : Kind::kernel, i % 5 == 4 ? i % 2 : i % kernels, i % 3,
                                i * 1e-6, (1 + i % 3) * 1e-6});
        if (events < 1000) give_launches(p);
        p.events.push_back({Kind::call, 0, 99, 0, 1e-4});
        profile::Profile there = p;
        for (auto& k : there.kernels) k.times = {}, k.times.add(5e-6);
        if (kernels > 2) there.kernels[2].name = "another";
        profile::add_model(p, "k40c", there, 0);
        record::Finding f = record::finding_of(record::FindingKind::fault);
        f.message = "reads past the end of <in>", f.kernel = p.kernels[0].name, f.at.file = "app.cu", f.at.line = 7;
        p.findings.push_back(f);
        f = record::finding_of(record::FindingKind::leak);
        f.bytes = 4096, f.space = "global", f.at.file = "app.cu", f.at.line = 7;
        f.message = "4096 bytes of device memory are never freed";
        p.findings.push_back(f);
        return p;
    }

    /// Figures of each launch, of a kernel those of one stream after the other.
    static void give_launches(profile::Profile& p) {
        for (unsigned lane = 0; lane < 3; ++lane)
            for (const auto& e : p.events) {
                if (e.kind != profile::Event::Kind::kernel || e.lane != lane) continue;
                auto& one = p.kernels[e.what].launches.emplace_back();
                one.count = 1, one.seconds = e.seconds, one.counts[Count::instructions] = 100 + lane;
            }
    }

    static std::string page(const profile::Profile& p) {
        const auto words = Words::load_all("en");
        EXPECT_TRUE(words);
        report::PageExtras extras;
        profile::Profile base = p;
        for (unsigned line = 1; line <= 60; ++line) {
            if (line == 20) continue;  // a line that is new
            base.sources["inner.cuh"] += line == 12 ? "    float x = old;\n" : *source("inner.cuh", line) + "\n";
        }
        for (auto& k : base.kernels) {
            k.lines[{"inner.cuh", 12}][Count::instructions] = 80;
            k.predicted->seconds *= 2;
        }
        extras.base = &base;
        for (const char* name : {"a100", "k40c"}) extras.others.push_back(*arch::load_model(name));
        return report::program_html(p, *arch::load_model("h200"), {}, source, *words, extras);
    }
};

TEST_F(ProfilePageInBrowser, IsUsedWide) {
    const auto found = walk(page(make(12, 300)), "profile_walk.js", 1400);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
    EXPECT_EQ(found["languages"], 4);
    EXPECT_GT(found["access"], 0);
    EXPECT_GT(found["roofline"], 0);
    EXPECT_EQ(found["warps"], 1);
    EXPECT_GT(found["launches"], 0);
    EXPECT_EQ(found["columns"], 7) << "launches have their figures beside their times";
    EXPECT_EQ(found["findings"], 4) << "a finding is said in each language";
    EXPECT_EQ(found["changed"], 1) << "of the base's lines";
    EXPECT_EQ(found["there"], 1) << "one other model has times";
    EXPECT_LT(found["listed"], 200) << "of 900 lines those near to what counts";
}

TEST_F(ProfilePageInBrowser, ManyKernelsAndEventsOnANarrowPage) {
    const std::string text = page(make(1000, 1'000'000));
    RecordProperty("bytes", std::to_string(text.size()));
    EXPECT_LT(text.size(), 6u << 20) << "what is large is packed";
    const auto found = walk(text, "profile_walk.js", 420);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
    EXPECT_LT(found["rows"], 100);
}

TEST_F(ProfilePageInBrowser, Screenshots) {
    fs::create_directories(WARPWRIGHT_PICTURES);
    const std::string text = page(make(30, 3000));
    std::string dark = text;
    test::replace_first(dark, "<html lang=\"en\"", "<html data-theme=\"dark\" lang=\"en\"");
    const fs::path light_page = write("light.html", text), dark_page = write("dark.html", dark);
    for (const auto& [name, file, width, at] : {std::tuple{"profile-overview", light_page, 1400, ""},
                                                {"profile-kernel-dark", dark_page, 1400, "#k0"},
                                                {"profile-narrow", light_page, 500, "#k0"}}) {
        const std::string picture = fmt::format("{}/{}.png", WARPWRIGHT_PICTURES, name);
        fs::remove(picture);
        EXPECT_EQ(
            chromium(fmt::format("--window-size={},2200 --virtual-time-budget=4000 --screenshot='{}'", width, picture),
                     file, at),
            0);
        EXPECT_THAT(console(), testing::IsEmpty());
        ASSERT_TRUE(fs::exists(picture)) << text_of(folder / "err.txt");
        EXPECT_GT(fs::file_size(picture), 40000u) << picture;
    }
}

}  // namespace profile_test
}  // namespace warpwright
