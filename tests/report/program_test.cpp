// The printers of whole programs' profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden_file.hpp"
#include "report/program.hpp"

namespace warpwright::report {
namespace {

using record::Count;
using testing::HasSubstr;
using testing::Not;

/// A measured one, whose figures need no device model.
Profile measured() {
    Profile p;
    p.device = "NVIDIA <test>", p.program = {"./sum", "'quoted'", "<b>"};
    p.counted_keys = {
        "instructions",           "global_load_requests",       "global_load_sectors",          "shared_load_requests",
        "shared_load_wavefronts", "shared_load_bank_conflicts", "shared_load_excess_wavefronts"};
    profile::KernelUse k;
    k.name = "_Z4sum2Pff", k.grid = {64, 1, 1}, k.block = {16, 16, 1}, k.registers = 24, k.static_shared = 1024;
    k.times.add(2e-6), k.times.add(4e-6);
    k.counted = 2;
    k.counts[Count::instructions] = 2000;
    k.counts[Count::global_load_requests] = 512, k.counts[Count::global_load_sectors] = 2048;
    k.counts[Count::shared_load_requests] = 256, k.counts[Count::shared_load_wavefronts] = 8192;
    k.counts[Count::shared_load_bank_conflicts] = 7936;
    k.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] = 42.5;
    k.lines[{"sum.cu", 7}][Count::instructions] = 2000;
    p.kernels = {k};
    p.copies.push_back({"[CUDA memcpy HtoD]", {}, 4096});
    p.copies[0].times.add(1e-5);
    p.calls.push_back({"cudaMalloc, of \"all\"", {}, 1});
    p.calls[0].times.add(1e-4);
    p.events = {{profile::Event::Kind::kernel, 0, 7, 0, 2e-6}, {profile::Event::Kind::call, 9, 1, 0, 1e-6}};
    return p;
}

std::optional<std::string> source(const std::string&, unsigned line) {
    if (line != 7) return std::nullopt;
    return "    s += a[i] < 1 && b['x'];";
}

TEST(Program, TextGolden) { test::expect_golden("program.txt", program_text(measured(), {}, {}, source)); }

TEST(Program, ChosenMetricsAreCountsAndWhatIsDerived) {
    Selection only;
    only.metrics = {"global_load_sectors_per_request", "shared_load_excess_wavefronts", "global_sectors", "barriers"};
    const std::string text = program_text(measured(), {}, only, {});
    EXPECT_THAT(text, testing::ContainsRegex("shared_load_excess_wavefronts +7,936"));
    EXPECT_THAT(text, testing::ContainsRegex("global_load_sectors_per_request +4\n"));
    EXPECT_THAT(text, testing::ContainsRegex("barriers +not known"));
    EXPECT_THAT(text, testing::ContainsRegex("global_sectors +not known")) << "two of its counts are not known";
}

TEST(Program, CsvGolden) { test::expect_golden("program.csv", program_csv(measured(), {}, {})); }

TEST(Program, CsvHasAsManyFieldsInEachRow) {
    std::istringstream in(program_csv(measured(), {}, {}));
    std::set<std::ptrdiff_t> commas;
    for (std::string line; std::getline(in, line);) commas.insert(std::count(line.begin(), line.end(), ','));
    // The name of the kernel has a comma of its own, in quotes.
    EXPECT_EQ(commas.size(), 2u);
    EXPECT_EQ(*commas.rbegin() - *commas.begin(), 1);
}

TEST(Program, HtmlEscapesWhatComesFromTheProgram) {
    const std::string text = program_html(measured(), {}, {}, source);
    EXPECT_THAT(text, HasSubstr("&lt;b&gt;"));
    EXPECT_THAT(text, HasSubstr("a[i] &lt; 1 &amp;&amp; b[&#39;x&#39;]"));
    EXPECT_THAT(text, Not(HasSubstr("<b>")));
    EXPECT_THAT(text, Not(HasSubstr("<test>")));
}

TEST(Program, TheTraceNamesEachEvent) {
    const auto trace = nlohmann::json::parse(program_trace(measured()));
    const auto& events = trace.at("traceEvents");
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[2].at("name"), "sum2(float*, float)");
    EXPECT_EQ(events[3].at("name"), "") << "an event of a call that the profile does not have";
}

}  // namespace
}  // namespace warpwright::report
