// Runs of whole programs, stored and compared: by profiles, as the commands take them.
#include <gmock/gmock.h>

#include "cli/commands/compared_run.hpp"
#include "cli/commands/result_store.hpp"
#include "common/program.hpp"
#include "profile/records.hpp"

namespace warpwright::cli {
namespace program_runs_test {

using test::program;
using testing::HasSubstr;
using testing::Not;

profile::KernelUse kernel(const std::string& name, std::uint64_t sectors, const std::string& cause) {
    profile::KernelUse k;
    k.name = name;
    k.grid = {64, 1, 1}, k.block = {256, 1, 1};
    k.times.add(1e-6);
    k.counted = 1;
    k.counts[record::Count::global_load_sectors] = sectors;
    k.launches = {{1, 1e-6, k.counts}};
    k.predicted = record::Predicted{1e-6, record::Predicted::kSimulated};
    k.predicted->causes = {{.cause = cause, .share = 0.5}};
    return k;
}

profile::Profile profile_of(std::vector<profile::KernelUse> kernels) {
    profile::Profile p;
    p.model = "h200", p.program = {"./app"};
    p.kernels = std::move(kernels);
    return p;
}

class ProgramRuns : public testing::Test {
protected:
    std::string write(const std::string& name, const profile::Profile& p) const {
        return folder_.write(name, profile::to_json(p)).string();
    }
    const test::Folder folder_{"program-runs"};
    const profile::Profile base_ = profile_of({kernel("_Z1av", 4, "divergence"), kernel("_Z1bv", 8, "spills")});
    const std::string a_ = write("a.json", base_);
};

TEST_F(ProgramRuns, AreComparedByKernelAndLaunch) {
    EXPECT_EQ(program({"compare", a_, a_, "--fail-on", "any"}).code, 0);
    const auto b = write("b.json", profile_of({kernel("_Z1av", 5, "divergence"), kernel("_Z1bv", 8, "tail")}));
    const auto o = program({"compare", a_, b, "--fail-on", "counts"});
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.error, "warpwright: error: 1 of 2 points fail the gate 'counts'\n");
    EXPECT_THAT(o.out, HasSubstr("grid=64x1x1 block=256x1x1"));
    EXPECT_THAT(o.out, testing::ContainsRegex("global_load_sectors +4 -> +5\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("held back by +spills -> +tail\n"));
    EXPECT_EQ(program({"compare", a_, b, "--fail-on", "causes"}).code, 1);
    EXPECT_EQ(program({"compare", a_, b, "--fail-on", "slower,findings,missing,broken"}).code, 0);
    const auto json = program({"compare", a_, b, "--json"});
    EXPECT_THAT(json.out, HasSubstr("\"verdict\": \"causes\""));
}

TEST_F(ProgramRuns, ABaseThatLacksAKernelIsSaid) {
    auto more = base_;
    more.kernels.push_back(kernel("_Z3newv", 1, "tail"));
    const auto b = write("b.json", more);
    const auto o = program({"compare", a_, b, "--fail-on", "counts,missing"});
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.out, testing::ContainsRegex("new\\(\\).*only in B"));
    EXPECT_EQ(program({"compare", b, a_, "--fail-on", "missing"}).code, 1);
}

TEST_F(ProgramRuns, FindingsThatAreNewFail) {
    auto worse = base_;
    record::Finding f;
    f.kind = record::FindingKind::out_of_bounds, f.at.file = "app.cu", f.at.line = 3, f.kernel = "_Z1av";
    worse.findings = {f};
    const auto b = write("b.json", worse);
    const auto o = program({"compare", a_, b, "--fail-on", "findings"});
    EXPECT_EQ(o.code, 1);
    EXPECT_THAT(o.error, HasSubstr("B has a finding that A lacks: out-of-bounds at app.cu:3 in a()"));
    EXPECT_EQ(program({"compare", b, a_, "--fail-on", "findings"}).code, 0);
}

TEST_F(ProgramRuns, FilesForCiServersAreWrittenOrRefusedFirst) {
    const auto b = write("b.json", profile_of({kernel("_Z1av", 5, "divergence")}));
    const std::string xml = (folder_ / "x.xml").string(), page = (folder_ / "x.md").string();
    EXPECT_EQ(program({"compare", a_, b, "--fail-on", "counts", "--junit", xml, "--markdown", page}).code, 1);
    EXPECT_THAT(test::text_of(xml), HasSubstr("failures=\"1\""));
    EXPECT_THAT(test::text_of(page), HasSubstr("1 of 2 points fail the gate"));
    const auto o = program({"compare", a_, b, "--junit", "/nonexist/x.xml"});
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
}

TEST_F(ProgramRuns, WhatCannotBeComparedIsOneLine) {
    const auto empty = write("empty.json", profile_of({}));
    auto o = program({"compare", a_, empty});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, HasSubstr("empty.json: error: the program launched no kernel and copied nothing"));
    std::string text = profile::to_json(base_);
    text.replace(text.find("\"schema\":1"), 10, "\"schema\":2");
    const auto later = folder_.write("later.json", text).string();
    o = program({"compare", a_, later});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, HasSubstr("later.json: error: a profile of version 2; this Warpwright reads version 1"));
    EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1);
}

TEST_F(ProgramRuns, AreStoredAsRecordsAre) {
    const std::string db = (folder_ / "results.db").string();
    KeepOptions keep;
    keep.db = db;
    std::FILE *out = std::tmpfile(), *error = std::tmpfile();
    {
        Console console(out, error);
        for (const auto& p : {base_, profile_of({kernel("_Z1av", 5, "divergence"), kernel("_Z1bv", 8, "spills")})}) {
            const auto data = run_data_of(p);
            Keeper keeper(keep, console);
            ASSERT_TRUE(keeper.begin("warpwright run ./app", data.set.environment));
            keeper.settle_all(data, true);
        }
    }
    EXPECT_EQ(test::drain(out) + test::drain(error), "");
    EXPECT_THAT(program({"history", "--db", db}).out, HasSubstr("warpwright run ./app"));
    EXPECT_THAT(program({"history", "app", "--show", "last", "--db", db}).out, HasSubstr("a()"));
    EXPECT_EQ(program({"compare", "last~1", "last", "--db", db, "--fail-on", "counts"}).code, 1);
    // A stored run against a file, with what was found.
    EXPECT_EQ(program({"compare", a_, "last~1", "--db", db, "--fail-on", "any"}).code, 0);
}

}  // namespace program_runs_test
}  // namespace warpwright::cli
