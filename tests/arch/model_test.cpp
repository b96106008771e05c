#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/figures.hpp"
#include "arch/model.hpp"

namespace warpwright::arch {
namespace model_test {

using testing::HasSubstr;
using testing::IsSupersetOf;

DeviceModel load(const std::string& name) {
    auto model = load_model(name);
    EXPECT_TRUE(model.ok()) << (model ? "" : model.error().text());
    return model ? *model : DeviceModel{};
}

std::string file_text(const std::string& name) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/data/devices/" + name + ".toml");
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// The H200's file with one piece of text replaced.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = file_text("h200");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

unsigned line_of(const std::string& text, const std::string& what) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return unsigned(1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

/// Parses and expects an error with this text at the line where `where` stands (0: none).
void expect_error(const std::string& text, const std::string& what, const std::string& where) {
    const auto model = parse_model(text, "m.toml");
    ASSERT_FALSE(model.ok()) << what;
    EXPECT_EQ(model.error().kind, ErrorKind::input);
    EXPECT_THAT(model.error().what, HasSubstr(what));
    EXPECT_EQ(model.error().where.file, "m.toml");
    EXPECT_EQ(model.error().where.line, where.empty() ? 0 : line_of(text, where)) << model.error().text();
}

/// Names of the models that come with the program.
std::vector<std::string> shipped() {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(WARPWRIGHT_SOURCE_DIR) + "/data/devices"))
        out.push_back(entry.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

TEST(Model, AllOfTheDataFolderLoad) {
    EXPECT_GE(shipped().size(), 14u);
    const auto names = list_models();
    EXPECT_THAT(names, IsSupersetOf(shipped()));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const std::string& name : names) {
        const DeviceModel m = load(name);
        EXPECT_EQ(m.name, name);
        for (const Figure& f : figures(m)) EXPECT_GT(f.source.size(), 10u) << name << ' ' << f.table << '.' << f.key;
    }
}

TEST(Model, NamesAsTheyStandOnTheBox) {
    for (const auto& [name, file] : {std::pair{"Tesla K40c", "k40c"},
                                     {"GeForce GTX 580", "gtx580"},
                                     {"NVIDIA GeForce GT 640", "gt640"},
                                     {"GTX-780", "gtx780"},
                                     {"H200", "h200"}}) {
        const auto model = load_model(name);
        ASSERT_TRUE(model.ok()) << name;
        EXPECT_EQ(model->name, file);
    }
    EXPECT_FALSE(load_model("Tesla").ok());
}

// The rates that follow from units and clocks must be those of the vendors' data sheets (TFLOP/s, dense), which a
// comment of each file has; 0: there is no such unit.
TEST(Model, PeaksAreThoseOfTheDataSheets) {
    const std::regex line(
        "\n# Peaks of the data sheet: f32 ([0-9.]+), f64 ([0-9.]+), tensor f16 ([0-9.]+) TFLOP/s; memory ([0-9.]+) "
        "GB/s\\.\n");
    for (const std::string& name : shipped()) {
        const std::string text = file_text(name);
        std::smatch peak;
        ASSERT_TRUE(std::regex_search(text, peak, line)) << name << " has no line '# Peaks of the data sheet: ...'";
        const double f32 = std::stod(peak[1]), f64 = std::stod(peak[2]), f16 = std::stod(peak[3]);
        const DeviceModel m = load(name);
        EXPECT_GT(f32, 0) << name;
        EXPECT_NEAR(m.flops_f32() / 1e12, f32, 0.01 * f32) << name;
        EXPECT_NEAR(m.flops_f64() / 1e12, f64, 0.01 * f64) << name;
        EXPECT_NEAR(m.tensor_rate(m.tensor.f16) / 1e12, f16, 0.01 * f16) << name;
        EXPECT_DOUBLE_EQ(m.memory.bandwidth, std::stod(peak[4]) * 1e9) << name;
    }
}

TEST(Model, H200) {
    const DeviceModel m = load("H200");  // any case
    EXPECT_EQ(m.name, "h200");
    EXPECT_EQ(m.compute_capability, 90);
    EXPECT_EQ(m.sm.multiprocessors, 132u);
    EXPECT_DOUBLE_EQ(m.clocks.boost, 1.98e9);
    EXPECT_EQ(m.limits.shared_per_block_optin, 227u * 1024);
    EXPECT_EQ(m.cache.l2, 60ull << 20);
    EXPECT_EQ(m.coalescing, Coalescing::sectors);
    EXPECT_NEAR(m.shared_bandwidth(), 33.4e12, 0.1e12);
    EXPECT_TRUE(m.known("clocks.boost_mhz"));
    EXPECT_FALSE(m.known("clocks.base_mhz"));
    EXPECT_THAT(m.sources.at("memory.bandwidth_gb_s"), HasSubstr("data sheet"));
    EXPECT_THAT(m.sources.at("memory.size_mib"), HasSubstr("driver"));
}

TEST(Model, KeplerRules) {
    for (const char* name : {"k40c", "gtx780"}) {
        const DeviceModel m = load(name);
        EXPECT_EQ(m.compute_capability, 35);
        EXPECT_EQ(m.coalescing, Coalescing::l2_segments);
        EXPECT_EQ(m.shared.bank_width, 8u);
        EXPECT_EQ(m.limits.blocks_per_sm, 16u);
    }
    EXPECT_EQ(load("k40c").sm.multiprocessors * load("k40c").units.fp32, 2880);
    EXPECT_EQ(load("gtx780").sm.multiprocessors * load("gtx780").units.fp32, 2304);
}

TEST(Model, FiguresAreListedInTheFilesUnits) {
    bool found = false;
    for (const Figure& f : figures(load("h200")))
        if (f.table == "clocks" && f.key == "boost_mhz") {
            found = true;
            EXPECT_EQ(f.value, "1980");
        }
    EXPECT_TRUE(found);
}

TEST(Model, FiguresOfTimeAreOptional) {
    EXPECT_FALSE(load("h200").timing.barrier);
    const std::string more = "\n[timing]\nsource = \"a test's\"\nbarrier = 15.5\nstart_each = 2\nlate_guard = 0\n";
    const auto model = parse_model(file_text("h200") + more, "m.toml");
    ASSERT_TRUE(model.ok()) << model.error().text();
    EXPECT_DOUBLE_EQ(model->timing.barrier.value(), 15.5);
    EXPECT_DOUBLE_EQ(model->timing.start_each.value(), 2);
    EXPECT_DOUBLE_EQ(model->timing.late_guard.value(), 0);
    unsigned found = 0;
    for (const Figure& f : figures(*model))
        if (f.table == "timing") {
            ++found;
            if (f.key == "start_each") EXPECT_EQ(f.value, "2");
        }
    EXPECT_EQ(found, 3u);
}

TEST(ModelErrors, FiguresOfTimeAreInRange) {
    const auto refused = [](const std::string& lines, const std::string& what, const std::string& where) {
        expect_error(file_text("h200") + "\n[timing]\nsource = \"a test's\"\n" + lines, what, where);
    };
    refused("barrier = -1\n", "'barrier' is out of range", "barrier = -1");
    refused("barier = 1\n", "unknown key 'barier' in [timing]", "barier");
    refused("l2_slices = 0\n", "'l2_slices' must be at least 1", "l2_slices = 0");
    refused("dram_efficiency = 1.5\n", "'dram_efficiency' must be at most 1", "dram_efficiency = 1.5");
    refused("branch = 9\nbranch_taken = 4\n", "'branch_taken' is less than 'branch'", "branch_taken = 4");
    refused("compare_round = 50\ncompare_turn = 85\n", "'compare_turn' is over 'compare_round'", "compare_turn = 85");
    expect_error(file_text("h200") + "\n[timing]\nbarrier = 3\n", "'timing.barrier' has no source", "barrier = 3");
}

TEST(ModelErrors, AreLocated) {
    expect_error("schema = \n", "", "schema");
    expect_error(changed("fp32 = 128", "fp33 = 128"), "unknown key 'fp33' in [units]", "fp33");
    expect_error(changed("[units]", "[unites]"), "unknown table [unites]", "[unites]");
    expect_error(changed("vendor =", "vendro ="), "unknown key 'vendro'", "vendro");
    expect_error(changed("fp32 = 128", "fp32 = \"128\""), "'fp32' must be a number", "fp32 = \"128\"");
    expect_error(changed("fp32 = 128", "fp32 = -1"), "'fp32' is out of range", "fp32 = -1");
    expect_error(changed("fp32 = 128", "fp32 = 0"), "'fp32' must be positive", "fp32 = 0");
    expect_error(changed("fp32 = 128", "fp32 = nan"), "'fp32' is out of range", "fp32 = nan");
    expect_error(changed("block_z = 64", "block_z = 64.5"), "'block_z' must be a whole number", "block_z = 64.5");
    expect_error(changed("block_z = 64", "block_z = 4294967296"), "'block_z' is out of range", "block_z = 4294967296");
    expect_error(changed("type = \"HBM3e\"", "type = 3"), "'type' must be a string", "type = 3");
    expect_error(changed("fp32 = 128", ""), "'units.fp32' is missing", "");
    expect_error(changed("rule = \"sectors\"", "rule = \"magic\""), "'rule' must be one of", "rule = \"magic\"");
    expect_error(changed("rule = \"sectors\"", ""), "'coalescing.rule' is missing", "");
    expect_error(changed("\"9.0\"", "\"nine\""), "'compute_capability'", "\"nine\"");
    expect_error(changed("schema = 1", "schema = 2"), "'schema' must be 1", "schema = 2");
    expect_error(changed("title =", "# title ="), "'title' is missing", "");
    expect_error(changed("multiprocessors = { value", "multiprocessors = { valeu"), "unknown key 'valeu'", "valeu");
    expect_error(changed("warps_per_sm = 64", "warps_per_sm = 48"), "is not 'threads_per_sm'", "warps_per_sm = 48");
    expect_error(changed("shared_per_block = 49152", "shared_per_block = 949152"), "over 'shared_per_block_optin'",
                 "shared_per_block = 949152");
    expect_error(changed("shared_per_block_optin = 232448", "shared_per_block_optin = 233472"), "over 'shared_per_sm'",
                 "shared_per_block_optin = 233472");
}

TEST(ModelErrors, AFigureNeedsASource) {
    std::string text = file_text("h200");
    const std::string source =
        "source = \"CUDA C++ Programming Guide, Throughput of Native Arithmetic Instructions, 9.0\"\n";
    const std::size_t at = text.find(source);
    ASSERT_NE(at, std::string::npos);
    text.erase(at, source.size());
    const auto model = parse_model(text, "m.toml");
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(model.error().text(), HasSubstr("has no source"));
    EXPECT_GT(model.error().where.line, 0u);
}

TEST(ModelErrors, UnknownNameListsTheKnownOnes) {
    const auto model = load_model("h2000");
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().kind, ErrorKind::usage);
    EXPECT_THAT(model.error().text(), HasSubstr("h200"));
    EXPECT_FALSE(load_model("").ok());
}

TEST(ModelErrors, MissingFile) {
    const auto model = load_model("/nowhere/x.toml");
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().kind, ErrorKind::input);
    EXPECT_THAT(model.error().text(), HasSubstr("/nowhere/x.toml"));
    EXPECT_FALSE(load_model("/tmp/").ok());  // a folder
}

TEST(Inherit, OwnFiguresStandInPlaceOfTheBase) {
    const auto m = parse_model(
        "schema = 1\ninherit = \"h200\"\ntitle = \"Mine\"\n[memory]\nbandwidth_gb_s = { value = 4000, source = \"a "
        "test's\" }\n"
        "[ceilings]\ndram_read = { value = 3.5e12, spread = 0.01, source = \"measured by a test\" }\n",
        "m.toml");
    ASSERT_TRUE(m.ok()) << m.error().text();
    const DeviceModel base = load("h200");
    EXPECT_EQ(m->title, "Mine");
    EXPECT_EQ(m->file, "m.toml");
    EXPECT_EQ(m->architecture, base.architecture);
    EXPECT_EQ(m->sm.multiprocessors, base.sm.multiprocessors);
    EXPECT_DOUBLE_EQ(m->memory.bandwidth, 4e12);
    EXPECT_DOUBLE_EQ(m->ceilings.dram_read, 3.5e12);
    EXPECT_DOUBLE_EQ(m->spreads.at("ceilings.dram_read"), 0.01);
    EXPECT_EQ(m->sources.at("memory.bandwidth_gb_s"), "a test's");
    EXPECT_EQ(m->sources.at("memory.size_mib"), base.sources.at("memory.size_mib"));
    // A figure that comes anew has no spread of the old one.
    EXPECT_TRUE(base.spreads.empty());
}

TEST(Inherit, ErrorsNameFileAndLine) {
    expect_error("schema = 1\ninherit = \"h2000\"\n", "there is no device model 'h2000'", "inherit");
    expect_error("schema = 1\ninherit = \"/nowhere/x.toml\"\n", "cannot be read", "inherit");
    expect_error("schema = 1\ninherit = 3\n", "must be the name or path", "inherit");
    expect_error("schema = 1\ninherit = \"h200\"\nwrong = 1\n", "unknown key 'wrong'", "wrong");
    expect_error("schema = 1\ninherit = \"h200\"\n[limits]\nwarps_per_sm = { value = 48, source = \"x\" }\n",
                 "is not 'threads_per_sm'", "48");
    expect_error("schema = 1\ninherit = \"h200\"\n[ceilings]\ndram_read = { value = 1, spread = -1, source = \"x\" }\n",
                 "'spread' must be", "dram_read");
    expect_error("inherit = \"h200\"\n", "'schema' is missing", "");
}

TEST(Inherit, AModelCannotInheritFromItself) {
    const auto folder = std::filesystem::temp_directory_path() / ("ww_cycle_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "snake.toml").string();
    std::ofstream(file) << "schema = 1\ninherit = \"" << file << "\"\n";
    const auto model = read_model(file);
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(model.error().text(), HasSubstr("models deep"));
    std::filesystem::remove_all(folder);
}

TEST(Write, WhatIsWrittenReadsBack) {
    ModelText text;
    text.inherit = "h200";
    text.title = "NVIDIA \"H200\", measured";
    text.comment = "Measured.\nTwo lines.";
    text.figures = {{"ceilings", "fma_f32", "6.54321e+13", "measured today \\ \x01", 0.00125},
                    {"latency", "l2", "273.5", "measured", {}},
                    {"ceilings", "dram_read", "4.6e+12", "measured", 0.0},
                    {"conflicts", "cycles_32", "32", "measured", {}},
                    {"launches", "queued_us", "1.25", "measured", {}}};
    const auto m = parse_model(write_model(text), "m.toml");
    ASSERT_TRUE(m.ok()) << m.error().text() << write_model(text);
    EXPECT_EQ(m->title, text.title);
    EXPECT_DOUBLE_EQ(m->ceilings.fma_f32, 6.54321e13);
    EXPECT_DOUBLE_EQ(m->spreads.at("ceilings.fma_f32"), 0.00125);
    EXPECT_EQ(m->spreads.at("ceilings.dram_read"), 0);
    EXPECT_EQ(m->sources.at("ceilings.fma_f32"), text.figures[0].source);
    EXPECT_DOUBLE_EQ(m->latency.l2, 273.5);
    EXPECT_DOUBLE_EQ(m->conflicts.cycles[5], 32);
    EXPECT_DOUBLE_EQ(m->launches.queued, 1.25e-6);
    const auto ceilings = [](const DeviceModel& of) {
        unsigned found = 0;
        for (const Figure& f : figures(of)) found += f.table == "ceilings";
        return found;
    };
    EXPECT_EQ(ceilings(*m), 2u + ceilings(load("h200"))) << "what it inherits is there too";
}

TEST(Ceilings, WhatWasMeasuredStandsInPlaceOfTheDataSheet) {
    const DeviceModel sheet = load("h200");
    EXPECT_DOUBLE_EQ(sheet.dram_bandwidth(), 4.8e12);
    EXPECT_DOUBLE_EQ(sheet.unit_rates().fp32, 128);
    EXPECT_NEAR(sheet.tensor_flops("bf16"), 989.4e12, 1e12);
    EXPECT_EQ(sheet.tensor_flops("f8"), 0);
    DeviceModel m = sheet;
    m.ceilings.dram_read = 4.6e12;
    m.ceilings.dram_copy = 4.2e12;
    m.ceilings.fma_f32 = 2.0 * 120 * m.sm.multiprocessors * m.clocks.bound;
    m.ceilings.shared_read = 0.9 * sheet.shared_bandwidth();
    m.ceilings.tensor_bf16 = 800e12;
    m.ceilings.l1_read = 100.0 * m.sm.multiprocessors * m.clocks.bound;
    EXPECT_DOUBLE_EQ(m.dram_bandwidth(), 4.6e12);
    EXPECT_DOUBLE_EQ(m.l2_bandwidth(), sheet.l2_bandwidth());
    EXPECT_DOUBLE_EQ(m.unit_rates().fp32, 120);
    EXPECT_DOUBLE_EQ(m.unit_rates().integer, sheet.units.integer);
    EXPECT_DOUBLE_EQ(m.wavefront_rate(), 0.9);
    EXPECT_DOUBLE_EQ(m.l1_bytes_per_cycle(), 100);
    EXPECT_DOUBLE_EQ(m.tensor_flops("bf16"), 800e12);
    EXPECT_DOUBLE_EQ(m.tensor_flops("f16"), sheet.tensor_flops("f16"));
}

TEST(ModelSearch, FoldersOfTheEnvironmentComeFirst) {
    const auto folder = std::filesystem::temp_directory_path() / ("ww_models_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "h200.toml") << changed("NVIDIA H200 SXM 141 GB", "Mine");
    std::ofstream(folder / "mine.toml") << file_text("v100");
    ::setenv("WARPWRIGHT_DEVICES", ("/nowhere:" + folder.string()).c_str(), 1);
    EXPECT_EQ(load("h200").title, "Mine");
    EXPECT_EQ(load("mine").name, "mine");
    EXPECT_THAT(list_models(), IsSupersetOf({"a100", "mine"}));
    EXPECT_EQ(load((folder / "mine.toml").string()).compute_capability, 70);
    ::unsetenv("WARPWRIGHT_DEVICES");
    EXPECT_NE(load("h200").title, "Mine");
    std::filesystem::remove_all(folder);
}

TEST(Fingerprint, ChangesWithEachFigure) {
    const auto h200 = load("h200");
    std::set<std::string> all{fingerprint(h200)};
    EXPECT_EQ(fingerprint(load("h200")), fingerprint(h200));
    std::size_t n = 1;
    for (const FigureSpec& spec : figure_specs()) {
        DeviceModel other = h200;
        std::visit(
            [](auto* slot) {
                if constexpr (std::is_same_v<decltype(slot), std::string*>)
                    *slot += "x";
                else if constexpr (std::is_same_v<decltype(slot), std::optional<double>*>)
                    *slot = slot->value_or(1) * (1 + 0x1p-50);
                else if constexpr (std::is_same_v<decltype(slot), double*>)
                    *slot = *slot == 0 ? 0x1p-1000 : *slot * (1 + 0x1p-50);
                else
                    ++*slot;
            },
            spec.slot(other));
        all.insert(fingerprint(other));
        EXPECT_EQ(all.size(), ++n) << spec.table << "." << spec.key;
    }
    DeviceModel other = h200;
    other.name = "other", all.insert(fingerprint(other));
    other.compute_capability = 80, all.insert(fingerprint(other));
    other.coalescing = Coalescing::lines_64, all.insert(fingerprint(other));
    other.sources["timing.made_up"], all.insert(fingerprint(other));
    EXPECT_EQ(all.size(), n + 4);
}

}  // namespace model_test
}  // namespace warpwright::arch
