#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "common/files.hpp"
#include "ladder/find.hpp"
#include "ladder/ladder.hpp"

namespace warpwright::ladder {
namespace ladder_test {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// A folder with a source file; the ladder's text is not written.
struct Folder {
    warpwright::test::Folder path{"ladder"};
    Folder() { path.write("k.cu", "// nothing\n"); }
    Result<Ladder> parse(const std::string& text) const { return parse_ladder(text, (path / "ladder.toml").string()); }
};

const std::string kGood = R"toml(schema = 1
name = "scale"
[problem]
sizes = ["n"]
default = [100, 1000]
[axes]
T = ["float32", "int32"]
[[buffer]]
name = "x"
type = "T"
count = "n"
[[buffer]]
name = "y"
type = "T"
count = "n"
role = "output"
[reference]
elementwise = "2*x"
output = "y"
[[rung]]
name = "first"
source = "k.cu"
entry = "scale"
axes = { B = [64, 128] }
defines = { ELEMENT = "T", BLOCK = "B" }
grid = ["max(1, ceil_div(n, B))"]
block = ["B"]
arguments = ["x", "y", "n"]
flops = "n"
)toml";

/// The text with one line replaced.
std::string with(const std::string& from, const std::string& to) {
    std::string text = kGood;
    auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
    Folder folder;
    auto ladder = folder.parse(text);
    if (ladder) return "no error";
    std::string said = ladder.error().text();
    const std::string own = folder.path.string();  // another one for each test
    for (std::size_t at; (at = said.find(own)) != std::string::npos;) said.replace(at, own.size(), "FOLDER");
    return said;
}

TEST(LadderFile, a_good_one) {
    Folder folder;
    auto ladder = folder.parse(kGood);
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    EXPECT_EQ(ladder->name, "scale");
    ASSERT_EQ(ladder->rungs.size(), 1u);
    EXPECT_EQ(ladder->default_sizes.size(), 2u);
    auto list = variants(*ladder, ladder->rungs[0], {});
    ASSERT_TRUE(list.ok());
    ASSERT_EQ(list->size(), 4u);
    EXPECT_EQ((*list)[1][0].second.text, "float32");
    EXPECT_EQ((*list)[1][1].second.text, "128");
    auto v = variables_of(*ladder, ladder->rungs[0], {7}, (*list)[1]);
    ASSERT_TRUE(v.ok());
    EXPECT_EQ(v->at("n"), 7);
    EXPECT_EQ(v->at("B"), 128);
    EXPECT_EQ(v->at("sizeof_T"), 4);
    EXPECT_EQ(v->at("unit_T"), 0x1p-24);
}

TEST(LadderFile, errors_name_file_line_and_reason) {
    EXPECT_THAT(error_of(with("flops = \"n\"", "flop = \"n\"")),
                testing::StartsWith("FOLDER/ladder.toml:29:1: error: unknown key 'flop' in [[rung]] (known: name,"));
    EXPECT_THAT(error_of(with("ceil_div(n, B)", "ceil_div(n, B")), HasSubstr(":26:"));
    EXPECT_THAT(error_of(with("ceil_div(n, B)", "ceil_div(m, B)")),
                HasSubstr(":26:9: error: in 'max(1, ceil_div(m, B))': 'm' is not known here (known: B, "));
    EXPECT_THAT(error_of(with("\"k.cu\"", "\"missing.cu\"")), HasSubstr(":22:10: error: there is no file '"));
    EXPECT_THAT(error_of(with("type = \"T\"", "type = \"U\"")),
                HasSubstr(":10:8: error: 'U' is neither an element type nor an axis"));
    EXPECT_THAT(error_of(with("schema = 1", "schema = 2")), HasSubstr(":1:10: error: 'schema' must be 1"));
    EXPECT_THAT(error_of(with("name = \"scale\"", "name = 3")), HasSubstr(":2:8: error: 'name' must be a string"));
    EXPECT_THAT(error_of(with("role = \"output\"", "role = \"result\"")),
                HasSubstr("'role' is input, output or scratch"));
    EXPECT_THAT(error_of(with("output = \"y\"", "output = \"x\"")), HasSubstr("'x' is not an output buffer"));
    EXPECT_THAT(error_of(with("elementwise = \"2*x\"", "builtin = \"fft\"")),
                HasSubstr("'builtin' is matmul, reduce,"));
    EXPECT_THAT(error_of(with("entry = \"scale\"", "")), HasSubstr("'entry' (the kernel's name) is missing"));
    EXPECT_THAT(error_of(with("block = [\"B\"]", "")), HasSubstr("'block' is missing"));
    EXPECT_THAT(error_of(with("[64, 128]", "[]")), HasSubstr("the axis 'B' must be a list of values"));
    EXPECT_THAT(error_of(with("\"x\", \"y\", \"n\"", "\"x\", \"z\", \"n\"")), HasSubstr("'z' is not known here"));
    EXPECT_THAT(error_of(with("default = [100, 1000]", "default = [[1, 2]]")), HasSubstr("a default size is"));
    EXPECT_THAT(error_of(with("source = \"k.cu\"", "")), HasSubstr("needs one of 'source', 'cpu' and 'library'"));
    EXPECT_THAT(error_of("schema = "), HasSubstr("ladder.toml:1:"));
    EXPECT_THAT(error_of("schema = 1\nname = \"x\"\n"), HasSubstr("[problem] is missing"));
}

constexpr const char* kSecond = R"cu(/* [rung]
name = "second"
entry = "scale"
grid = ["n"]
block = [1]
arguments = ["x", "y", "n"]
flops = "n"
*/
__global__ void scale() {}
)cu";

TEST(LadderFile, a_rung_may_stand_in_its_own_source) {
    const Folder folder;
    folder.path.write("ladder.toml", kGood);
    folder.path.write("a.cu", kSecond);
    std::string third = kSecond;
    third.replace(third.find("second"), 6, "third").insert(third.find("entry"), "after = \"first\"\n");
    folder.path.write("b.cu", "\n" + third);
    const auto ladder = read_ladder(folder.path.string());
    ASSERT_TRUE(ladder) << ladder.error().text();
    ASSERT_EQ(ladder->rungs.size(), 3u);
    EXPECT_EQ(ladder->rungs[1].name, "third");
    EXPECT_EQ(ladder->rungs[1].number, 2u);
    EXPECT_EQ(ladder->rungs[2].name, "second");
    EXPECT_THAT(ladder->rungs[2].source, HasSubstr("/a.cu"));
    EXPECT_THAT(ladder->rungs[2].where.file, HasSubstr("/a.cu"));
}

TEST(LadderFile, what_is_wrong_with_a_rungs_comment_is_located_in_its_source) {
    const auto error_of = [](const std::string& from, const std::string& to) {
        const Folder folder;
        folder.path.write("ladder.toml", kGood);
        std::string text = std::string("\n") + kSecond;
        folder.path.write("a.cu", text.replace(text.find(from), from.size(), to));
        const auto ladder = read_ladder(folder.path.string());
        return ladder ? std::string("no error") : ladder.error().text();
    };
    EXPECT_THAT(error_of("block = [1]", "blokk = [1]"), HasSubstr("a.cu:6:1: error: unknown key 'blokk'"));
    EXPECT_THAT(error_of("flops = \"n\"", "flops = n"), HasSubstr("a.cu:8:"));
    EXPECT_THAT(error_of("entry", "after = \"nobody\"\nentry"),
                HasSubstr("a.cu:4:9: error: there is no rung 'nobody'"));
    EXPECT_THAT(error_of("entry", "source = \"k.cu\"\nentry"),
                HasSubstr("a.cu:4:10: error: 'source' is this file itself"));
    EXPECT_THAT(error_of("*/", ""), HasSubstr("a.cu:2:1: error: the comment that describes the rung does not end"));
    EXPECT_THAT(error_of("flops", "[more]\nflops"), HasSubstr("the table [rung] and nothing else"));
}

TEST(LadderFile, words_of_an_axis_are_variables) {
    Folder folder;
    auto ladder = folder.parse(with("flops = \"n\"", "flops = \"T_float32 ? n : 2*n\""));
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    auto list = variants(*ladder, ladder->rungs[0], {});
    for (const auto& [index, flops] : {std::pair(0, 7.0), {2, 14.0}}) {
        auto v = variables_of(*ladder, ladder->rungs[0], {7}, (*list)[index]);
        ASSERT_TRUE(v.ok());
        EXPECT_EQ(v->at("T_float32"), index == 0);
        EXPECT_EQ(v->at("T_int32"), index != 0);
        EXPECT_EQ(*ladder->rungs[0].flops.real(*v), flops);
    }
}

TEST(LadderFile, conditions_clusters_and_tensor_maps) {
    Folder folder;
    auto ladder = folder.parse(with("flops = \"n\"", R"(compute = 90
require = "mod(n, 4) == 0"
require_says = "n must be a multiple of 4"
best = true
cluster = [2, "B / 64"]
[[rung]]
name = "second"
library = "cublas"
compute_type = "tf32"
)"));
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    const Rung& r = ladder->rungs[0];
    EXPECT_EQ(r.compute, 90);
    EXPECT_EQ(r.require->text(), "mod(n, 4) == 0");
    EXPECT_EQ(r.require_says, "n must be a multiple of 4");
    EXPECT_TRUE(r.best);
    ASSERT_TRUE(r.launches[0].cluster);
    EXPECT_EQ((*r.launches[0].cluster)[1].text(), "B / 64");
    EXPECT_EQ(ladder->rungs[1].library, "cublas");
    EXPECT_EQ(ladder->rungs[1].compute_type, "tf32");
    EXPECT_FALSE(ladder->rungs[1].best);

    const std::string map = R"({ tensor_map = "x", size = ["n"], box = ["B"], swizzle = 128, type = "T" })";
    ladder = folder.parse(with("\"x\", \"y\", \"n\"", map + ", \"y\", \"n\""));
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    const Argument& a = ladder->rungs[0].launches[0].arguments[0];
    ASSERT_TRUE(a.map);
    EXPECT_EQ(a.map->buffer, "x");
    EXPECT_EQ(a.map->box[0].text(), "B");
    EXPECT_EQ(a.map->swizzle.text(), "128");

    const auto map_error = [](const std::string& text) {
        return error_of(with("\"x\", \"y\", \"n\"", text + ", \"y\", \"n\""));
    };
    EXPECT_THAT(map_error(R"({ tensor_map = "q", size = ["n"], box = [8] })"), HasSubstr("no buffer 'q'"));
    EXPECT_THAT(map_error(R"({ tensor_map = "x", size = ["n"], box = [8, 8] })"), HasSubstr("an entry for each"));
    EXPECT_THAT(map_error(R"({ tensor_map = "x", size = ["m"], box = [8] })"), HasSubstr("'m' is not known here"));
    EXPECT_THAT(map_error(R"({ tensor_map = "x", size = ["n"], box = [8], stride = ["n"] })"), HasSubstr("'stride'"));
    EXPECT_THAT(error_of(with("flops = \"n\"", "compute = \"9.0\"")), HasSubstr("'compute' is"));
    EXPECT_THAT(error_of(with("flops = \"n\"", "require_says = \"x\"")), HasSubstr("goes with 'require'"));
    EXPECT_THAT(error_of(with("flops = \"n\"", "require = \"Q == 0\"")), HasSubstr("'Q' is not known here"));
    EXPECT_THAT(error_of(with("flops = \"n\"", "compute_type = \"f32\"")), HasSubstr("goes with 'library'"));
}

TEST(LadderFile, a_rungs_unit_is_its_own_word_or_what_the_problem_suggests) {
    Folder folder;
    const std::string product =
        with("elementwise = \"2*x\"", "builtin = \"matmul\"\ninputs = [\"x\", \"x\"]\nsizes = [\"n\", 1, 1]\n");
    const auto unit = [&](std::string text, const std::string& type, const std::string& rung_key = "") {
        text.replace(text.find("type = \"T\""), 10, "type = \"" + type + "\"");
        if (!rung_key.empty()) text.replace(text.find("flops = \"n\""), 11, rung_key);
        auto ladder = folder.parse(text);
        EXPECT_TRUE(ladder.ok()) << ladder.error().text();
        if (!ladder) return std::string();
        return unit_of(*ladder, ladder->rungs[0], variants(*ladder, ladder->rungs[0], {})->front());
    };
    EXPECT_EQ(unit(product, "f32"), "fp32");
    EXPECT_EQ(unit(product, "bf16"), "bf16");
    EXPECT_EQ(unit(product, "e5m2"), "fp8");
    EXPECT_EQ(unit(product, "i8"), "int8");
    EXPECT_EQ(unit(product, "f64"), "f64");
    EXPECT_EQ(unit(product, "i64"), "integer");
    EXPECT_EQ(unit(product, "f32", "unit = \"tf32\""), "tf32");
    EXPECT_EQ(unit(with("elementwise = \"2*x\"", "elementwise = \"3*x\""), "bf16"), "fp16");
    std::string sparse = product;
    sparse.replace(sparse.find("builtin"), 7, "sparse = \"2:4\"\nbuiltin");
    EXPECT_EQ(unit(sparse, "f16"), "sparse_f16");
    EXPECT_THAT(error_of(with("flops = \"n\"", "unit = \"fp31\"")),
                testing::AllOf(HasSubstr("there is no unit 'fp31'"), HasSubstr("units: fp32, fp64")));
}

TEST(LadderFile, references_name_layouts_and_operations_or_an_axis_of_them) {
    Folder folder;
    const auto parse = [&](const std::string& keys, const std::string& axes = "") {
        std::string text = with("elementwise = \"2*x\"", keys);
        if (!axes.empty()) text.replace(text.find("[axes]\n") + 7, 0, axes + "\n");
        return folder.parse(text);
    };
    const std::string product = "builtin = \"matmul\"\ninputs = [\"x\", \"x\"]\nsizes = [\"n\", 1, 1]\n";
    EXPECT_EQ(parse(product)->reference.layout, "NN");
    EXPECT_EQ(parse(product + "layout = \"TN\"")->reference.layout, "TN");
    EXPECT_EQ(parse(product + "layout = \"L\"", "L = [\"NN\", \"TT\"]")->reference.layout, "L");
    EXPECT_THAT(parse(product + "layout = \"L\"", "L = [\"NN\", \"ON\"]").error().text(), HasSubstr("'layout' is NN,"));
    EXPECT_THAT(parse(product + "layout = \"nn\"").error().text(), HasSubstr("'layout' is NN,"));
    EXPECT_THAT(parse(product + "op = \"sum\"").error().text(), HasSubstr("'op' goes with the reference reduce"));
    EXPECT_TRUE(parse(product + "sparse = \"2:4\"")->reference.sparse);
    const std::string reduce = "builtin = \"reduce\"\ninputs = [\"x\"]\nsizes = [\"n\"]\n";
    EXPECT_EQ(parse(reduce)->reference.op, "sum");
    EXPECT_EQ(parse(reduce + "op = \"min\"")->reference.op, "min");
    EXPECT_THAT(parse(reduce + "op = \"mean\"").error().text(), HasSubstr("'op' is sum, min, max"));
}

TEST(LadderFile, every_single_line_left_out_is_accepted_or_an_error_never_a_crash) {
    Folder folder;
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < kGood.size();) {
        std::size_t to = kGood.find('\n', from) + 1;
        lines.push_back(kGood.substr(from, to - from));
        from = to;
    }
    unsigned errors = 0;
    for (std::size_t skip = 0; skip < lines.size(); ++skip) {
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (i != skip) text += lines[i];
        auto ladder = folder.parse(text);
        if (!ladder) {
            ++errors;
            EXPECT_THAT(ladder.error().text(), HasSubstr("ladder.toml:"));
        }
    }
    EXPECT_GT(errors, 15u);
}

TEST(LadderFile, axes_can_be_narrowed_and_numbers_added) {
    Folder folder;
    auto ladder = folder.parse(kGood);
    ASSERT_TRUE(ladder.ok());
    auto some = variants(*ladder, ladder->rungs[0], {{"T", {"int32"}}, {"B", {"256"}}});
    ASSERT_TRUE(some.ok());
    ASSERT_EQ(some->size(), 1u);
    EXPECT_EQ((*some)[0][1].second.text, "256");
    auto bad = variants(*ladder, ladder->rungs[0], {{"T", {"float16"}}});
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().text(), "error: the axis 'T' has no value 'float16' (values: float32 int32)");
}

TEST(LadderFile, a_unit_by_the_words_of_an_axis_names_words_it_has) {
    auto tensor = find_ladder("matmul_tensor");
    ASSERT_TRUE(tensor.ok());
    std::ifstream file(tensor->file);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string there = "unit = { axis = \"T\", f32 = \"tf32\" }";
    const auto refused = [&](const std::string& with) {
        std::string changed = text;
        changed.replace(changed.find(there), there.size(), with);
        auto ladder = parse_ladder(changed, tensor->file);
        return ladder.ok() ? std::string() : ladder.error().text();
    };
    EXPECT_EQ(refused(there), "");
    EXPECT_THAT(refused("unit = { axis = \"T\", f64 = \"tf32\" }"), HasSubstr("the axis 'T' has no 'f64'"));
    EXPECT_THAT(refused("unit = { axis = \"U\", f32 = \"tf32\" }"), HasSubstr("'axis' must name an axis"));
}

TEST(LadderFile, usual_values_of_axes_are_values_of_axes) {
    auto reduce = find_ladder("reduce");
    ASSERT_TRUE(reduce.ok());
    EXPECT_THAT(reduce->usual.at("OP"), testing::ElementsAre("sum"));
    std::ifstream file(reduce->file);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto refused = [&](const std::string& with) {
        std::string changed = text;
        changed.replace(changed.find("OP = [\"sum\"]"), 12, with);
        auto ladder = parse_ladder(changed, reduce->file);
        return ladder.ok() ? std::string() : ladder.error().text();
    };
    EXPECT_THAT(refused("OP = [\"product\"]"), HasSubstr("the axis 'OP' has no value 'product'"));
    EXPECT_THAT(refused("PO = [\"sum\"]"), HasSubstr("'PO' is not an axis of the ladder"));
}

TEST(LadderFile, rungs_by_name_number_and_pattern) {
    auto ladder = read_ladder(WARPWRIGHT_SOURCE_DIR "/kernels/matmul");
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    auto names = [&](std::vector<std::string> words) {
        std::vector<std::string> out;
        auto list = select_rungs(*ladder, words);
        if (!list) return std::vector<std::string>{list.error().what};
        for (auto* r : *list) out.push_back(r->name);
        return out;
    };
    EXPECT_THAT(names({"naive"}), testing::ElementsAre("naive"));
    EXPECT_THAT(names({"tiled*", "6"}), testing::ElementsAre("naive", "tiled", "tiled_unrolled"));
    EXPECT_EQ(names({}).size(), ladder->rungs.size());
    EXPECT_THAT(names({"99"})[0], HasSubstr("is called '99'"));
    EXPECT_THAT(names({""})[0], HasSubstr("is called ''"));
}

TEST(Ladders, the_ones_that_come_with_the_program_are_found_and_whole) {
    std::vector<std::string> names;
    for (const LadderPlace& place : list_ladders()) {
        names.push_back(place.name);
        auto ladder = read_ladder(place.file);
        ASSERT_TRUE(ladder.ok()) << ladder.error().text();
        for (const Rung& rung : ladder->rungs) {
            EXPECT_GE(rung.why.size(), rung.library.empty() ? 80u : 30u) << rung.name;
            EXPECT_FALSE(rung.title.empty());
            EXPECT_TRUE(rung.flops.text() != "0" || rung.bytes.text() != "0") << rung.name;  // a copy has no FLOP
        }
    }
    EXPECT_THAT(names, testing::IsSupersetOf({"matmul", "reduce"}));
    EXPECT_THAT(find_ladder("nothing").error().text(),
                testing::AllOf(HasSubstr("(ladders: "), HasSubstr("matmul"), HasSubstr("reduce")));
}

TEST(Ladders, only_the_volatile_reduction_is_known_to_be_incorrect) {
    for (const LadderPlace& place : list_ladders()) {
        auto ladder = read_ladder(place.file);
        ASSERT_TRUE(ladder.ok());
        for (const Rung& rung : ladder->rungs)
            EXPECT_EQ(rung.known_incorrect, rung.name == "last_warp_volatile") << rung.name;
    }
}

TEST(Argument, changes_from_pass_to_pass) {
    Argument in{"", "input", "", "pong", "ping", {}}, out{"", "", "sum", "ping", "pong", {}};
    EXPECT_EQ(in.of_pass(0, false), "input");
    EXPECT_EQ(in.of_pass(0, true), "input");
    EXPECT_EQ(in.of_pass(1, false), "ping");
    EXPECT_EQ(in.of_pass(2, true), "pong");
    EXPECT_EQ(out.of_pass(0, false), "ping");
    EXPECT_EQ(out.of_pass(0, true), "sum");
    EXPECT_EQ(out.of_pass(1, false), "pong");
    EXPECT_EQ(out.of_pass(2, true), "sum");
    EXPECT_EQ((Argument{"n", "", "", "", "", {}}).of_pass(3, true), "n");
}

}  // namespace ladder_test
}  // namespace warpwright::ladder
