// The page of a profile: what its script reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include "profile/side_by_side.hpp"
#include "program_samples.hpp"
#include "report/program.hpp"

namespace warpwright::report {
namespace profile_page_test {

using record::Count;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

Profile measured() { return test::measured_program(); }
Profile emulated() { return test::emulated_program(); }
const auto source = test::program_source;

arch::DeviceModel h200() { return *arch::load_model("h200"); }

std::string from_base64(const std::string& text) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c)), have += 6;
        if (have >= 8) have -= 8, out += static_cast<char>(bits >> have & 0xff);
    }
    return out;
}

/// What stands in an element; `stands`: as it stands there, else unpacked.
std::string text_of(const std::string& page, const std::string& id, bool stands = false) {
    const std::size_t at = page.find("\" id=\"" + id + "\"");
    EXPECT_NE(at, std::string::npos) << id;
    if (at == std::string::npos) return "null";
    const std::size_t from = page.find('>', at) + 1;
    const std::string text = page.substr(from, page.find('<', from) - from), size = " data-bytes=\"";
    const std::size_t packed = page.substr(at, from - at).find(size);
    if (stands || packed == std::string::npos) return text;
    const std::string bytes = from_base64(text);
    std::string out(std::stoul(page.substr(at + packed + size.size())), '\0');
    z_stream z{};
    EXPECT_EQ(inflateInit2(&z, -MAX_WBITS), Z_OK);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data()), z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END) << id;
    EXPECT_EQ(z.total_out, out.size()) << id;
    inflateEnd(&z);
    return out;
}
Json data_of(const std::string& page, const std::string& id = "data") { return Json::parse(text_of(page, id)); }

TEST(ProfilePage, NothingOfTheProgramBecomesMarkup) {
    Profile p = emulated();
    p.kernels[0].name = "</script><script>alert(1)</script>";
    p.kernels[0].lines[{"<!--.cu", 7}][Count::instructions] = 5;
    p.copies[0].name = "<img src=x onerror=alert(1)>", p.calls[0].name = "<b>";
    p.faults.push_back({"<i>", "<u>\u202e"});
    const std::string page = program_html(p, h200(), {}, source);
    for (const char* text : {"<script>alert", "<img", "<b>", "<i>", "<u>", "<!--", "\u202e"})
        EXPECT_THAT(page, Not(HasSubstr(text))) << text;
    const Json data = data_of(page);
    EXPECT_EQ(data["kernels"][0]["name"], "</script><script>alert(1)</script>");
    EXPECT_EQ(data["program"], "./sum 'quoted' <b>");
    EXPECT_THAT(page, HasSubstr("default-src 'none'")) << "nothing may be fetched";
    EXPECT_THAT(page, HasSubstr("a[i] &lt; 1 &amp;&amp; b[&#39;x&#39;]")) << "the text report is there too";
}

TEST(ProfilePage, KernelsAreRowsTheLongestFirst) {
    Profile p = emulated();
    p.kernels[1].times.add(1);
    const Json rows = data_of(program_html(p, h200(), {}, source))["kernels"];
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0]["name"], "other");
    EXPECT_EQ(rows[0]["bound"], true);
    EXPECT_EQ(rows[1]["name"], "sum2(float*, float)");
    EXPECT_EQ(rows[1]["times"], Json::parse("[2,6e-06,3e-06,2e-06,4e-06]"));
    EXPECT_EQ(rows[1]["grid"], "64");
    EXPECT_EQ(rows[1]["block"], "16x16");
}

TEST(ProfilePage, CausesAreThoseOfTheModel) {
    Profile p = emulated();
    record::Bottleneck b;
    b.cause = "uncoalesced_load", b.share = 0.4, b.file = "sum.cu", b.line = 7;
    b.evidence = {{"sectors_per_request", 32}, {"needed", 4}};
    p.kernels[0].predicted->causes = {b};
    const std::string page = program_html(p, h200(), {}, source);
    const Json cause = data_of(page, "kernel0")["causes"][0];
    EXPECT_EQ(cause["share"], 0.4);
    EXPECT_EQ(cause["line"], 7);
    EXPECT_THAT(std::string(cause["evidence"]), HasSubstr("32 sectors"));
    EXPECT_EQ(data_of(page)["kernels"][0]["cause"][1], 0.4);
    EXPECT_EQ(data_of(page)["kernels"][0]["cause"][0], cause["name"]);
    // Where the kernel was not simulated its shape alone speaks, and no saving is claimed.
    for (const Json& c : data_of(page, "kernel1")["causes"]) EXPECT_FALSE(c.contains("share")) << c;
}

TEST(ProfilePage, LinesHaveTheColumnsThatCountAndTheirPartOfTheTime) {
    Profile p = emulated();
    p.kernels[0].lines[{"sum.cu", 7}][Count::global_load_sectors] = 2048;
    p.kernels[0].lines[{"sum.cu", 9}][Count::instructions] = 5;
    p.kernels[0].predicted->lines = {{"sum.cu", 7, {{"selected", 0.5}, {"long_scoreboard", 2.5}}}};
    const std::string page = program_html(p, h200(), {}, source);
    const Json lines = data_of(page, "kernel0")["lines"];
    ASSERT_EQ(lines["columns"].size(), 2u);
    EXPECT_EQ(lines["columns"][1][0], "global_load_sectors");
    EXPECT_EQ(lines["rows"][0][2], Json::parse("[2000,2048]"));
    EXPECT_EQ(lines["rows"][0][3], 0.75);
    EXPECT_EQ(lines["rows"][0][4][0][0], "long_scoreboard");
    EXPECT_EQ(lines["rows"][1].size(), 3u) << "nothing is known of line 9";
    EXPECT_EQ(data_of(page)["files"][1], "sum.cu") << "the first is that of a cause";
    EXPECT_EQ(data_of(page, "file1")["near"]["7"], "    s += a[i] < 1 && b['x'];");
}

TEST(ProfilePage, AFileThatIsAtHandIsThereAsAWhole) {
    const auto whole = [](const std::string&, unsigned line) -> std::optional<std::string> {
        return line <= 20 ? std::optional("line " + std::to_string(line)) : std::nullopt;
    };
    const Json file = data_of(program_html(emulated(), h200(), {}, whole), "file0");
    EXPECT_EQ(file["lines"].size(), 20u);
    EXPECT_EQ(file["lines"][6], "line 7");
}

TEST(ProfilePage, WhereTheTimeGoes) {
    Profile p = emulated();
    using Kind = profile::Event::Kind;
    // Kernel 0 to 4, copy 2 to 6, nothing to 8, kernel to 9 (microseconds).
    p.events = {{Kind::kernel, 0, 1, 0, 4e-6}, {Kind::copy, 0, 2, 2e-6, 4e-6}, {Kind::kernel, 0, 1, 8e-6, 1e-6}};
    const Json time = data_of(program_html(p, h200(), {}, source))["time"];
    EXPECT_NEAR(time["kernels"], 3e-6, 1e-12);
    EXPECT_NEAR(time["both"], 2e-6, 1e-12);
    EXPECT_NEAR(time["copies"], 2e-6, 1e-12);
    EXPECT_NEAR(time["idle"], 2e-6, 1e-12);
}

std::vector<std::uint64_t> numbers(const std::string& bytes) {
    std::vector<std::uint64_t> out;
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const char c : bytes) {
        value |= (std::uint64_t(c) & 0x7f) << shift, shift += 7;
        if ((c & 0x80) == 0) out.push_back(value), value = 0, shift = 0;
    }
    return out;
}

TEST(ProfilePage, EventsArePackedByStream) {
    Profile p = emulated();
    using Kind = profile::Event::Kind;
    p.events = {{Kind::kernel, 1, 7, 5e-6, 300e-9},
                {Kind::copy, 0, 7, 1e-6, 2e-6},
                {Kind::call, 0, 33, 0, 1e-6},
                {Kind::kernel, 99, 7, 0, 1},
                {Kind::kernel, 0, 7, 5e-6, 1}};
    p.kernels[1].times.add(1);  // the page lists it first
    const std::string page = program_html(p, h200(), {}, source);
    EXPECT_EQ(data_of(page)["lanes"], Json::parse("[[false,7,3],[true,33,1]]"));
    EXPECT_EQ(numbers(text_of(page, "lane0")),
              (std::vector<std::uint64_t>{1000, 4000, 0, 2000, 300, 1000000000, 1, 0, 2}));
    EXPECT_EQ(numbers(text_of(page, "lane1")), (std::vector<std::uint64_t>{0, 1000, 0}));
}

TEST(ProfilePage, ManyEventsAreFewBytes) {
    Profile p = measured();
    for (unsigned i = 0; i < 30000; ++i) p.events.push_back({profile::Event::Kind::kernel, 0, 7, i * 1e-6, 1e-6});
    const std::string page = program_html(p, {}, {}, source);
    EXPECT_EQ(numbers(text_of(page, "lane0")).size(), 90003u);
    EXPECT_LT(text_of(page, "lane0", true).size(), 30000u) << "what repeats is packed";
}

TEST(ProfilePage, ABaseStandsBesideTheKernelsThatItHas) {
    Profile p = emulated(), base = emulated();
    base.program = {"./old"};
    base.kernels[0].times = {}, base.kernels[0].times.add(8e-6);
    base.kernels[0].counts[Count::instructions] = 4000, base.kernels[0].counted = 1;
    base.kernels[1].name = "gone", base.kernels[1].grid = {1, 1, 1};
    PageExtras extras;
    extras.base = &base;
    const std::string page = program_html(p, h200(), {}, source, Words::plain(), extras);
    const Json data = data_of(page);
    EXPECT_EQ(data["kernels"][0]["base"][2], 8e-6);
    EXPECT_FALSE(data["kernels"][1].contains("base"));
    EXPECT_EQ(data["base"]["program"], "./old");
    ASSERT_EQ(data["base"]["gone"].size(), 1u);
    EXPECT_EQ(data["base"]["gone"][0]["name"], "gone");
    EXPECT_EQ(data_of(page, "kernel0")["counts"][0], Json::parse("[\"instructions\",\"instructions\",1000,4000]"));
}

TEST(ProfilePage, LinesStandBesideThoseOfTheBase) {
    Profile p = emulated(), base = emulated();
    p.kernels[0].lines = {{{"/new/sum.cu", 3}, p.kernels[0].counts}};
    base.kernels[0].lines = {{{"/old/sum.cu", 2}, base.kernels[0].counts}};
    base.kernels[0].counted = 1;  // of half as many launches
    base.sources["/old/sum.cu"] = "a\nold\nsame\ngone\nend\n";
    const std::vector<std::string> now = {"a", "new", "newer", "same", "end", "more"};
    const auto text = [&](const std::string&, unsigned line) {
        return line <= now.size() ? std::optional(now[line - 1]) : std::nullopt;
    };
    PageExtras extras;
    extras.base = &base;
    const std::string page = program_html(p, h200(), {}, text, Words::plain(), extras);
    const Json lines = data_of(page, "kernel0")["lines"], file = data_of(page, "file0")["base"];
    EXPECT_EQ(lines["base"][0][0], lines["rows"][0][0]) << "a file of that name is the same one";
    EXPECT_EQ(lines["base"][0][1], 2);
    EXPECT_EQ(double(lines["base"][0][2][0]), 2 * double(lines["rows"][0][2][0])) << "of as many launches";
    EXPECT_EQ(file["lines"], Json::parse(R"(["a","old","same","gone","end"])"));
    EXPECT_EQ(file["runs"], Json::parse("[[1,1,1,0],[2,2,1,1],[3,3,1,3],[3,4,1,0],[4,5,1,2],[5,5,1,0],[6,6,1,3]]"));
}

TEST(ProfilePage, FindingsStandAtTheirLines) {
    PageExtras extras;
    auto& f = extras.findings.emplace_back(record::finding_of(record::FindingKind::fault));
    f.message = "reads <past> the end", f.kernel = "_Z4sum2Pff", f.at.file = "other.cu", f.at.line = 3;
    const std::string page = program_html(emulated(), h200(), {}, source, Words::plain(), extras);
    const Json finding = data_of(page)["findings"][0];
    EXPECT_EQ(finding["message"], "reads <past> the end");
    EXPECT_EQ(finding["kernel"], "sum2(float*, float)");
    EXPECT_EQ(data_of(page)["files"][std::size_t(finding["file"])], "other.cu");
}

TEST(ProfilePage, OtherModelsHaveBounds) {
    PageExtras extras;
    extras.others = {*arch::load_model("a100"), *arch::load_model("gt640")};
    const Json models =
        data_of(program_html(emulated(), h200(), {}, source, Words::plain(), extras), "kernel0")["models"];
    ASSERT_EQ(models.size(), 2u);
    EXPECT_GT(models[0]["seconds"], 0);
    EXPECT_GT(models[1]["seconds"], models[0]["seconds"]);
    EXPECT_GT(models[0]["occupancy"], 0);
}

TEST(ProfilePage, ModelsOnWhichTheProgramRanHaveTimes) {
    Profile p = emulated(), there = emulated();
    there.kernels[0].times = {}, there.kernels[0].times.add(9e-6);
    there.kernels.pop_back();
    profile::add_model(p, "gt640", there, 3);
    PageExtras extras;
    extras.others = {*arch::load_model("a100"), *arch::load_model("gt640")};
    const std::string page = program_html(p, h200(), {}, source, Words::plain(), extras);
    const Json models = data_of(page, "kernel0")["models"];
    EXPECT_EQ(models[0]["model"], "gt640") << "those with times come first";
    EXPECT_EQ(models[0]["time"], 9e-6);
    EXPECT_EQ(models[0]["cause"], Json::parse(R"(["bank conflicts",0.61])"));
    EXPECT_FALSE(models[1].contains("time"));
    EXPECT_THAT(std::string(data_of(page, "kernel1")["models"][0]["no_time"]), HasSubstr("ended with code 3"));
    EXPECT_EQ(data_of(page)["models"], Json::parse(R"(["gt640"])"));
    EXPECT_EQ(data_of(page)["kernels"][0]["models"], Json::parse("[[9e-06,9e-06,true]]"));
    EXPECT_THAT(program_text(p, h200(), {}, source), HasSubstr("on gt640: 9us (× 3.00); bank conflicts"));
}

TEST(ProfilePage, PicturesOfALaunch) {
    Profile p = emulated();
    auto& picture = p.kernels[0].picture.emplace();
    picture.accesses = {{"sum.cu", 7, 30, "ld.global.f32", "global", 32, 4, 0, {0, 1, 2, 3}},
                        {"sum.cu", 7, 31, "ld.shared.f32", "shared", 32, 4, 2, {}}};
    picture.ptx = {{30, "ld.global.f32 %f1, [%rd1];", "sum.cu", 7, 0.5, "long_scoreboard"}};
    picture.warps = {100, 90, 4, {"selected"}, {0, 0, 5, 2}};
    const Json kernel = data_of(program_html(p, h200(), {}, source), "kernel0");
    EXPECT_EQ(kernel["accesses"][0]["sectors"], Json::parse("[0,1,2,3]"));
    EXPECT_THAT(std::string(kernel["accesses"][0]["text"]), HasSubstr("128 bytes lie in 4 sectors"));
    EXPECT_THAT(std::string(kernel["accesses"][1]["text"]), HasSubstr("2 wavefronts"));
    EXPECT_EQ(kernel["ptx"][0][1], "ld.global.f32 %f1, [%rd1];");
    EXPECT_EQ(kernel["warps"]["intervals"], Json::parse("[0,0,5,2]"));
}

TEST(ProfilePage, ItsTextsAreThoseOfEachLanguage) {
    const auto words = Words::load_all("ru");
    ASSERT_TRUE(words) << words.error().text();
    const std::string page = program_html(measured(), {}, {}, source, *words);
    EXPECT_THAT(page, HasSubstr("<html lang=\"ru\""));
    EXPECT_THAT(page, HasSubstr("<pre tabindex=\"0\" lang=\"zh\" hidden>"));
    const Json data = data_of(page);
    ASSERT_EQ(data["languages"].size(), 4u);
    EXPECT_EQ(data["languages"][0]["language"], "ru");
    EXPECT_EQ(data["about"][0], "Профиль запуска на NVIDIA <test>");
    for (const Json& language : data["languages"])
        for (const auto& [key, text] : data["languages"][1]["text"].items())
            EXPECT_TRUE(language["text"].contains(key)) << language["language"] << ": " << key;
    EXPECT_EQ(data_of(program_html(measured(), {}, {}, source))["languages"].size(), 1u);
}

}  // namespace profile_page_test
}  // namespace warpwright::report
