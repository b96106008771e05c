// The printers of whole programs' profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden_file.hpp"
#include "program_samples.hpp"
#include "report/format.hpp"
#include "report/program.hpp"

namespace warpwright::report {
namespace program_test {

using record::Count;
using testing::HasSubstr;
using testing::Not;

Profile measured() { return test::measured_program(); }
Profile emulated() { return test::emulated_program(); }
const auto source = test::program_source;

TEST(Program, ABoundIsNamedSoWhereOthersArePredicted) {
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    const std::string text = program_text(emulated(), *model, {}, source);
    EXPECT_THAT(text, HasSubstr("Times of GPU activities are predicted on h200"));
    EXPECT_THAT(text, HasSubstr("other [bound]\n"));
    EXPECT_THAT(text, HasSubstr("predicted on h200: 3us (simulated); bound "));
    EXPECT_THAT(text, HasSubstr("cycles 3,000, L1 hits 25 %"));
    EXPECT_THAT(text, HasSubstr("warps stood at long_scoreboard 75 %"));
    EXPECT_THAT(text, HasSubstr("1 of 2 launches was simulated"));
    EXPECT_THAT(text, HasSubstr("no time is predicted: reasons; its bound is shown"));
    EXPECT_THAT(program_trace(emulated()), HasSubstr("(times predicted on h200)"));
    const std::string csv = program_csv(emulated(), *model, {});
    EXPECT_THAT(csv, HasSubstr(",simulated,,,3000,"));
    EXPECT_THAT(csv, HasSubstr(",bound,,"));
}

TEST(Program, SaysWhatHoldsAKernelAndTheProgramBack) {
    Profile p = emulated();
    p.causes = {{.cause = "transfers", .share = 0.4, .evidence = {{"copied", 12.5e6}, {"percent", 70}}}};
    p.kernels[0].apart = 3;
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    const std::string text = program_text(p, *model, {}, source);
    EXPECT_THAT(text, HasSubstr("    What holds it back, with the part of its time that mending it would save:\n"
                                "      61 % bank conflicts (sum.cu:7, array tile): 32 wavefronts per request to shared "
                                "memory where 1 would do\n"
                                "        pad the row by one element ([32][33])"));
    EXPECT_THAT(text,
                HasSubstr("\nWhat holds the program back, with the part of its time on the device that mending it "
                          "would save:\n  40 % copies between host and device: 12.5 MB are copied"));
    EXPECT_THAT(text, HasSubstr("the first of these is launch 3\n"));
    Selection one;
    one.kernel = "sum";
    EXPECT_THAT(program_text(p, *model, one, source), Not(HasSubstr("holds the program back")));
    const auto finnish = Words::load("fi");
    ASSERT_TRUE(finnish);
    EXPECT_THAT(program_text(p, *model, {}, source, *finnish), HasSubstr("61 % pankkikonfliktit"));
    EXPECT_THAT(program_csv(p, *model, {}), HasSubstr(",cause,cause_share"));
    EXPECT_THAT(program_csv(p, *model, {}), HasSubstr(",bank_conflicts,0.61"));
}

TEST(Program, SaysWhereThisMachinesTimeWent) {
    Profile p = emulated();
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    EXPECT_THAT(program_text(p, *model, {}, source), Not(HasSubstr("Where the time of this machine went")));
    p.host_seconds = 1.5;
    p.emulator = profile::EmulatorTime{2.0,
                                       300,
                                       {{"gathers", 1.5}, {"compiling", 0.49}, {"counting", 0.01}, {"turns", 0.0}},
                                       {{"sum", "sum.cu", 7, 0, "gathers", 1.5}, {"sum", "", 0, 31, "branches", 0.02}}};
    const std::string text = program_text(p, *model, {}, source);
    EXPECT_THAT(
        text, HasSubstr("which runs the emulation: 2 s of processor time, 1.5 s by the clock. (No figure of the GPU"));
    EXPECT_THAT(text, HasSubstr("75.0%"));
    EXPECT_THAT(text, HasSubstr("gathers and scatters\n"));
    EXPECT_THAT(text, HasSubstr("Most time goes into gathers and scatters: each lane has an address of its own"));
    EXPECT_THAT(text, HasSubstr("By source line, from 300 samples:"));
    EXPECT_THAT(text, HasSubstr("gathers and scatters: sum, sum.cu:7"));
    EXPECT_THAT(text, HasSubstr("branches and masks of lanes: sum, line 31 of the PTX"));
    EXPECT_THAT(text, Not(HasSubstr("turns of blocks"))) << "parts of no weight are left out";
    for (const std::string& language : Words::languages()) {
        const auto words = Words::load(language);
        ASSERT_TRUE(words);
        EXPECT_THAT(program_text(p, *model, {}, source, *words), Not(HasSubstr("host_time"))) << language;
    }
}

TEST(Program, WithoutPredictionsAllTimesAreBounds) {
    Profile p = emulated();
    p.kernels.erase(p.kernels.begin());
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    const std::string text = program_text(p, *model, {}, source);
    EXPECT_THAT(text, HasSubstr("Times of GPU activities are bounds on h200"));
    EXPECT_THAT(text, Not(HasSubstr("[bound]")));
    EXPECT_THAT(text, Not(HasSubstr("predicted on")));
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

TEST(Program, ChosenMetricsMayBePredicted) {
    Selection only;
    only.metrics = {"predicted_cycles", "predicted_l1_hit", "predicted_dram_read"};
    const std::string text = program_text(emulated(), *arch::load_model("h200"), only, {});
    EXPECT_THAT(text, testing::ContainsRegex("predicted_cycles +3000  cycles\n"));
    EXPECT_THAT(text, testing::ContainsRegex("predicted_l1_hit +0.25  share\n"));
    EXPECT_THAT(text, testing::ContainsRegex("predicted_dram_read +not known")) << "not zero: nobody said so";
    EXPECT_THAT(text, Not(HasSubstr("predicted_occupancy")));
}

TEST(Program, CsvGolden) { test::expect_golden("program.csv", program_csv(measured(), {}, {})); }

/// With counts by source line, of which one has been simulated.
Profile by_line() {
    Profile p = emulated();
    p.per_line = true;
    p.kernels[0].lines[{"sum.cu", 9}][Count::instructions] = 5;
    p.kernels[0].predicted->lines = {{"sum.cu", 7, {{"selected", 0.5}, {"long_scoreboard", 2.5}}}};
    return p;
}

TEST(Program, CsvHasTheStallsOfLines) {
    const std::string csv = program_csv(by_line(), *arch::load_model("h200"), {});
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    EXPECT_THAT(line, HasSubstr(",file,line,predicted_share,stall_long_scoreboard,stall_selected"));
    const auto fields = std::count(line.begin(), line.end(), ',');
    unsigned of_lines = 0;
    while (std::getline(in, line)) {
        if (!line.starts_with("line,")) continue;
        ++of_lines;
        // The first kernel's name has a comma of its own, in quotes.
        EXPECT_EQ(std::count(line.begin(), line.end(), ',') - line.starts_with("line,\""), fields) << line;
    }
    EXPECT_EQ(of_lines, 3u) << "two of the first kernel, one of the other";
    EXPECT_THAT(csv, HasSubstr(",sum.cu,7,0.75,2.5,0.5\r\n"));
    EXPECT_THAT(csv, HasSubstr(",sum.cu,9,,,\r\n")) << "nothing is known of it";
}

TEST(Program, CsvHasAsManyFieldsInEachRow) {
    std::istringstream in(program_csv(measured(), {}, {}));
    std::set<std::ptrdiff_t> commas;
    for (std::string line; std::getline(in, line);) commas.insert(std::count(line.begin(), line.end(), ','));
    // The name of the kernel has a comma of its own, in quotes.
    EXPECT_EQ(commas.size(), 2u);
    EXPECT_EQ(*commas.rbegin() - *commas.begin(), 1);
}

/// A profile that has all that the report can say of the emulated GPU.
Profile talkative() {
    Profile p = emulated();
    for (profile::KernelUse& k : p.kernels) {
        for (const auto& name : record::count_names()) k.counts[name.count] = 3000;
        k.lines[{"sum.cu", 7}] = k.counts;
        k.sample.launches = 2, k.sample.blocks = 100, k.sample.run = 10,
        k.sample.which = "2 of 2 at the ends, 8 of 98 between";
        auto& predicted = k.predicted ? *k.predicted : k.predicted.emplace();
        for (const record::FigureInfo& f : record::figures()) predicted.*f.value = 0.5;
        predicted.peaks = {{"DRAM", 0.5}, {"issue", 0.25}};
        predicted.outside = "the model of time was compared with an H100 and an H200 only, not with k40c";
    }
    p.kernels[1].predicted.reset();
    p.kernels[1].unpredicted = "no time is predicted: simulation is turned off";
    p.kernels[1].sample.which.clear(), p.kernels[1].sample.why_all = "a cooperative launch";
    p.kernels[1].lines.clear();
    return p;
}

/// Words of English prose: what stands in brackets, of sources and of names is not in them.
std::vector<std::string> english_in(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("sum.cu") != std::string::npos) continue;
        std::size_t letters = 0, run = 0;
        for (std::size_t i = 0; i <= line.size(); ++i) {
            const char c = i < line.size() ? line[i] : '\n';
            if (c >= 'a' && c <= 'z') {
                ++letters;
                continue;
            }
            // Two words of lower case, one after the other.
            run = letters > 2 ? run + 1 : 0;
            if (run == 2) out.push_back(line);
            letters = 0;
            if (c != ' ') run = 0;
        }
    }
    return out;
}

TEST(Program, TheReportIsInItsLanguage) {
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    for (const std::string& language : Words::languages()) {
        // Finnish has runs of words in lower case as English does: of it below.
        if (language == "en" || language == "fi") continue;
        const auto words = Words::load(language);
        ASSERT_TRUE(words) << words.error().text();
        EXPECT_THAT(english_in(program_text(talkative(), *model, {}, source, *words)), testing::IsEmpty()) << language;
        EXPECT_THAT(english_in(program_text(measured(), *model, {}, source, *words)), testing::IsEmpty()) << language;
        EXPECT_THAT(english_in(program_gpu_trace(emulated(), *words)), testing::IsEmpty()) << language;
    }
    EXPECT_THAT(english_in(program_text(talkative(), *model, {}, source)), Not(testing::IsEmpty()));
    const auto finnish = Words::load("fi");
    ASSERT_TRUE(finnish);
    EXPECT_THAT(program_text(talkative(), *model, {}, source, *finnish), HasSubstr("pankkikonflikt"));
}

TEST(Program, NothingIsWiderThanTheWidthAndNothingIsLost) {
    Profile p = talkative();
    p.kernels[0].name = "a_name_" + std::string(150, 'x') + "_of_one_word";
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    const auto letters = [](std::string text) {
        std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
        return text;
    };
    for (const std::size_t width : {80, 120, 200}) {
        for (const std::string& text : {program_text(p, *model, {}, source, Words::plain(), width),
                                        program_gpu_trace(p, Words::plain(), width)}) {
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
            EXPECT_THAT(letters(text), HasSubstr(p.kernels[0].name));
        }
    }
    EXPECT_EQ(letters(program_gpu_trace(p, Words::plain(), 80)), letters(program_gpu_trace(p)));
    EXPECT_EQ(letters(program_text(p, *model, {}, source, Words::plain(), 120)),
              letters(program_text(p, *model, {}, source)));
}

TEST(Program, TheTraceHasEachCopysSizeAndEachLaunchsCounts) {
    Profile p = emulated();
    record::Counts one, two;
    one[Count::global_load_requests] = 100, one[Count::global_load_sectors] = 400;
    two[Count::global_load_requests] = 100, two[Count::global_load_sectors] = 1333;
    p.kernels[0].launches = {{2, 1e-6, one}, {1, 1e-6, two}};
    p.copies[0].times.add(1e-5);
    p.events = {{profile::Event::Kind::copy, 0, 7, 0, 1e-6, 1024},
                {profile::Event::Kind::kernel, 0, 7, 1e-6, 1e-6, 2},
                {profile::Event::Kind::kernel, 0, 7, 2e-6, 1e-6, 0},
                {profile::Event::Kind::copy, 0, 7, 3e-6, 1e-6, 3072},
                {profile::Event::Kind::copy, 0, 7, 4e-6, 1e-6}};
    const std::string text = program_gpu_trace(
        p, Words::plain(), 0, {"global_load_sectors", "global_load_sectors_per_request", "predicted_l1_hit"});
    EXPECT_THAT(
        text, testing::ContainsRegex("Stream +global_load_sectors +global_load_sectors_per_request +predicted_l1_hit"));
    EXPECT_THAT(text, testing::ContainsRegex(" 1,333 +13\\.33 +0\\.25 +sum2(.|\n)* 400 +4 +0\\.25 +sum2"));
    EXPECT_THAT(
        text, testing::ContainsRegex("1\\.00 KiB +7 +- +- +- +.CUDA memcpy(.|\n)*3\\.00 KiB +7(.|\n)*~2\\.00 KiB +7"));
}

TEST(Program, WhatTheProgramsClocksAreIsSaid) {
    const auto model = arch::load_model("h200");
    ASSERT_TRUE(model);
    Profile p = emulated();
    EXPECT_THAT(program_text(p, *model, {}, source), Not(HasSubstr("The program's own clocks")));
    p.host_clock = "modelled";
    EXPECT_THAT(program_text(p, *model, {}, source), HasSubstr("The program's own clocks went with these times"));
    p.host_clock = "real";
    EXPECT_THAT(program_text(p, *model, {}, source), HasSubstr("The program's own clocks are this machine's"));
}

TEST(Program, TheTraceNamesEachEvent) {
    const auto trace = nlohmann::json::parse(program_trace(measured()));
    const auto& events = trace.at("traceEvents");
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[2].at("name"), "sum2(float*, float)");
    EXPECT_EQ(events[3].at("name"), "") << "an event of a call that the profile does not have";
}

}  // namespace program_test
}  // namespace warpwright::report
