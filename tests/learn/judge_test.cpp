// Attempts of a learner: what is said of them, and that what a file tries on the judge gains nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "common/files.hpp"
#include "learn/judge.hpp"
#include "learn/verdicts.hpp"
#include "report/finding_text.hpp"
#include "support/read_file.hpp"
#include "text/words.hpp"

namespace warpwright::learn {
namespace judge_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Exercise exercise(const std::string& name) {
    auto e = read_exercise(std::string(WARPWRIGHT_SOURCE_DIR "/course/") + name);
    if (!e) throw std::runtime_error(e.error().text());
    return std::move(*e);
}

Verdict judged(const Exercise& e, const std::string& text, std::uint64_t seed = 7, WorkshopOptions options = {}) {
    const test::Folder folder;
    const std::string file = folder.write(e.file, text);
    options.limit = std::chrono::milliseconds(2000);
    auto workshop = Workshop::make(e, options);
    if (!workshop) throw std::runtime_error(workshop.error().text());
    auto v = judge(e, **workshop, seed, file);
    if (!v) throw std::runtime_error(v.error().text());
    return std::move(*v);
}

std::string value_of(const Verdict& v, const std::string& name) {
    for (const auto& [key, value] : v.values)
        if (key == name) {
            if (const auto* n = std::get_if<std::int64_t>(&value)) return std::to_string(*n);
            if (const auto* t = std::get_if<Text>(&value)) return Words::plain().render(*t);
        }
    return "";
}

TEST(Judge, NamesTheLearnersOwnLineAndArray) {
    const Verdict v = judged(exercise("bounds"),
                             "__global__ void twice_plus_one(const float* first, float* second, int n) {\n"
                             "    int where = threadIdx.x + blockDim.x * blockIdx.x;\n"
                             "    float was = where < n ? first[where] : 0;\n"
                             "    second[where] = was * 2 + 1;\n"
                             "}\n");
    EXPECT_FALSE(v.done);
    EXPECT_EQ(v.say, "guard");
    EXPECT_EQ(value_of(v, "line"), "4");
    EXPECT_EQ(value_of(v, "array"), "second");
    EXPECT_EQ(value_of(v, "source"), "second[where] = was * 2 + 1;");
}

TEST(Judge, NamesTheLineThatCostsMost) {
    const Verdict v = judged(exercise("coalesced"),
                             "__global__ void doubled(const float* x, float* y, int n) {\n"
                             "  int first = blockIdx.x * 1024 + threadIdx.x * 4;\n"
                             "  for (int k = 0; k < 4; ++k)\n"
                             "    if (first + k < n)\n"
                             "      y[first + k] = x[first + k] * 2;\n"
                             "}\n");
    EXPECT_EQ(v.say, "scattered");
    EXPECT_EQ(value_of(v, "line"), "5");
    EXPECT_EQ(value_of(v, "array"), "y, x");
}

/// A loop that ends far too late: what cuts it is no clock, so that it is cut at the same loop everywhere.
TEST(Judge, NamesNoLineOfTheTextThatTheCompilerMade) {
    const Exercise e = exercise("missing_barrier");
    auto text = read_file(e.folder + "/tiles.cu", file_limit::source);
    ASSERT_TRUE(text);
    const Verdict v = judged(e, *text);
    ASSERT_TRUE(v.finding && v.finding->other);
    // LLVM leaves the load without a line, and so it has none, or that of the sum; but none of the PTX text.
    std::istringstream in(*text);
    std::string line;
    for (unsigned number = 0; number <= v.finding->other->line; ++number)
        if (number > 0) std::getline(in, line);
    EXPECT_THAT(line, testing::AnyOf("", testing::HasSubstr("sum += words[")));
    EXPECT_TRUE(in);
    EXPECT_THAT(Words::plain().render(report::finding_text(*v.finding)), testing::HasSubstr("(load of 4 bytes"));
}

TEST(Judge, SaysNothingOfAFindingThatNoTextOfTheExerciseIsFor) {
    const Verdict v = judged(exercise("lost_update"),
                             "__global__ void positives(const int* x, int* count, int n) {\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i % 2) __syncthreads();\n"
                             "}\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.finding) << (v.error ? v.error->text() : "");
    EXPECT_EQ(v.finding->kind, record::FindingKind::barrier_divergence);
    EXPECT_EQ(v.say, "");
}

TEST(Judge, HasTheCompilersWarnings) {
    const Verdict v = judged(exercise("bounds"),
                             "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i = n) y[i] = 2 * x[i] + 1;\n"
                             "}\n");
    EXPECT_FALSE(v.done);
    ASSERT_THAT(v.warnings, testing::SizeIs(1));
    EXPECT_THAT(v.warnings[0], testing::HasSubstr("bounds.cu:3:"));
    EXPECT_THAT(v.warnings[0], testing::HasSubstr("where \"==\" may have been intended"));
}

TEST(Judge, TellsATextThatIsNotUtf8) {
    const Verdict v =
        judged(exercise("bounds"), "__global__ void twice_plus_one(const float* x, float* y, int n) { \xff\xfe }\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_EQ(v.error->where.line, 1u);
}

TEST(Judge, CutsByExecutedInstructions) {
    const std::string text =
        "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n"
        "    for (long long k = 0; k < 1LL << 50; ++k)\n"
        "        y[i] += x[i] * k;\n"
        "}\n";
    for (const unsigned threads : {1u, 3u}) {
        WorkshopOptions options;
        options.most_instructions = 200'000;
        options.threads = threads;
        const Verdict v = judged(exercise("bounds"), text, 7, options);
        EXPECT_FALSE(v.done);
        ASSERT_TRUE(v.error);
        EXPECT_THAT(v.error->text(), HasSubstr("more than 200000 instructions of warps"));
        EXPECT_THAT(v.error->text(), HasSubstr("is still in this loop"));
        EXPECT_TRUE(v.error->where.line == 4 || v.error->where.line == 5) << v.error->text();
    }
}

TEST(Judge, CutsRecursion) {
    const std::string text =
        "__device__ __noinline__ float f(int n) { return n < 2 ? 1.f : f(n - 1) * .5f + f(n - 2); }\n"
        "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = f(60);\n"
        "}\n";
    WorkshopOptions options;
    options.most_instructions = 200'000;
    const Verdict v = judged(exercise("bounds"), text, 7, options);
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_THAT(v.error->text(), HasSubstr("more than 200000 instructions of warps"));
    EXPECT_THAT(v.error->text(), HasSubstr("is still at this call"));
}

/// How a launch ended is said in the learner's language, whole: no word of English is left.
TEST(Judge, SaysTheEndOfALaunchInOtherLanguages) {
    const auto words = Words::load("fi");
    ASSERT_TRUE(words);
    const auto told = [&](const std::string& body) {
        const Verdict v = judged(
            exercise("bounds"), "__global__ void twice_plus_one(const float* x, float* y, int n) {\n" + body + "\n}\n");
        if (!v.finding) return std::string("no finding");
        return words->render(report::finding_text(*v.finding));
    };
    EXPECT_THAT(told("for (;;) y[0] += 1;"), testing::MatchesRegex("päättymätön silmukka: .* lohkon \\(.*\\) säie .*"));
    EXPECT_THAT(told("if (threadIdx.x < 16) __syncthreads();\n__shared__ float t[256]; t[threadIdx.x] = 0;"
                     "\n__syncthreads(); y[0] = t[0];"),
                testing::Not(HasSubstr("barrier")));
    EXPECT_THAT(told("y[n + 5 + threadIdx.x] = 1;"), HasSubstr("4 tavun talletus: y["));
}

/// What the exercise asks of a kernel stands in the course's own files: an error names the learner's.
TEST(Judge, NamesTheLearnersFileWhereTheKernelDoesNotFit) {
    const Verdict fewer = judged(exercise("bounds"), "__global__ void twice_plus_one(const float* x, float* y) {}\n");
    ASSERT_TRUE(fewer.error);
    EXPECT_TRUE(fewer.error->where.file.ends_with("bounds.cu")) << fewer.error->text();
    EXPECT_EQ(fewer.error->where.line, 0u);
    const Verdict host = judged(exercise("bounds"),
                                "float f(float v) { return 2 * v + 1; }\n"
                                "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
                                "    if (threadIdx.x < n) y[threadIdx.x] = f(x[threadIdx.x]);\n"
                                "}\n");
    ASSERT_TRUE(host.error);
    EXPECT_EQ(host.error->where.line, 3u);
    EXPECT_THAT(host.error->hint, HasSubstr("__device__"));
}

/// No loop passes the limit alone, and there may be none: the sum over all blocks decides.
TEST(Judge, CutsALaunchOfManySmallBlocks) {
    const std::string right =
        "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = 2 * x[i] + 1;\n"
        "}\n";
    for (const unsigned threads : {1u, 3u}) {
        WorkshopOptions options;
        options.threads = threads;
        options.most_instructions = 300;
        const Verdict v = judged(exercise("bounds"), right, 7, options);
        ASSERT_TRUE(v.error);
        EXPECT_THAT(v.error->text(), HasSubstr("more than 300 instructions of warps"));
        options.most_instructions = 1'000'000;
        EXPECT_TRUE(judged(exercise("bounds"), right, 7, options).done);
    }
}

TEST(Judge, TellsWhatDoesNotCompile) {
    const Verdict v =
        judged(exercise("bounds"), "__global__ void twice_plus_one(const float* x, float* y, int n) { y[0] = z; }\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_THAT(v.error->text(), HasSubstr("z"));
    EXPECT_EQ(v.points.size(), 1u);
}

TEST(Judge, TakesNoSolutionThatIsIncluded) {
    const Verdict v =
        judged(exercise("bounds"), "#include \"" WARPWRIGHT_SOURCE_DIR "/course/../course/bounds/reference.cu\"\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_THAT(v.error->text(), HasSubstr("includes a file of the course"));
}

TEST(Judge, TakesNoSolutionOfAnotherCopyOfTheCourse) {
    const test::Folder folder;
    const std::string from = WARPWRIGHT_SOURCE_DIR "/course/bounds/";
    for (const auto& entry : std::filesystem::directory_iterator(from))
        folder.write("mine/" + entry.path().filename().string(), test::text_of(entry.path()));
    auto e = read_exercise(folder.string() + "/mine");
    ASSERT_TRUE(e) << e.error().text();
    const Verdict v = judged(*e, "#include \"" + from + "reference.cu\"\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_THAT(v.error->text(), HasSubstr("includes a file of the course"));
}

TEST(Judge, TellsThatTheKernelIsMissing) {
    const Verdict v = judged(exercise("bounds"), "__global__ void another(const float* x, float* y, int n) {}\n");
    EXPECT_FALSE(v.done);
    ASSERT_TRUE(v.error);
    EXPECT_THAT(v.error->text(), HasSubstr("twice_plus_one"));
}

TEST(Judge, EndsAKernelThatDoesNotEnd) {
    const Verdict v = judged(exercise("bounds"),
                             "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
                             "    for (volatile int i = 0; i < 10; i = i) y[0] = i;\n"
                             "}\n");
    EXPECT_FALSE(v.done);
    EXPECT_TRUE(v.error || v.finding);
}

TEST(Judge, TakesNoOutputThatIsWrittenIntoTheKernel) {
    // Right for the inputs of one seed: a table of results helps at no other.
    const Exercise e = exercise("bounds");
    const std::string copy =
        "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = 0.25f;\n"
        "}\n";
    for (const std::uint64_t seed : {1, 2}) {
        const Verdict v = judged(e, copy, seed);
        EXPECT_FALSE(v.done);
        EXPECT_EQ(v.say, "unfinished");
    }
}

TEST(Judge, HoldsOccupancyAndRegistersAgainstALimit) {
    const test::Folder folder;
    const std::string from = WARPWRIGHT_SOURCE_DIR "/course/bounds/";
    for (const auto& entry : std::filesystem::directory_iterator(from))
        folder.write("mine/" + entry.path().filename().string(), test::text_of(entry.path()));
    folder.write("mine/exercise.toml",
                 test::text_of(from + "exercise.toml") +
                     "[[done]]\nmetric = \"registers\"\nat_most = \"255\"\nsay = \"guard\"\n"
                     "[[done]]\nmetric = \"resident_warps\"\nat_least = \"65\"\nsay = \"unfinished\"\n");
    auto e = read_exercise(folder.string() + "/mine");
    ASSERT_TRUE(e) << e.error().text();
    const Verdict v = judged(*e, test::text_of(from + "reference.cu"));
    EXPECT_FALSE(v.done);
    EXPECT_EQ(v.say, "unfinished");
    ASSERT_EQ(v.points.size(), 6u);
    EXPECT_TRUE(v.points[4].holds);
    EXPECT_GT(v.points[4].value, 1);
    EXPECT_EQ(v.points[5].value, 64);
}

TEST(Judge, HasTheSameAnswerTwice) {
    const Exercise e = exercise("padding");
    const std::string text =
        "__global__ void transposed(const float* a, float* b, int M, int N) {\n"
        "    __shared__ float t[32][34];\n"
        "    int x = blockIdx.x * 32, y = blockIdx.y * 32;\n"
        "    for (int r = threadIdx.y; r < 32; r += 8) t[r][threadIdx.x] = a[(y + r) * N + x + threadIdx.x];\n"
        "    __syncthreads();\n"
        "    for (int r = threadIdx.y; r < 32; r += 8) b[(x + r) * M + y + threadIdx.x] = t[threadIdx.x][r];\n"
        "}\n";
    const Verdict one = judged(e, text), two = judged(e, text);
    EXPECT_EQ(one.say, "conflicts");
    ASSERT_EQ(one.points.size(), two.points.size());
    for (std::size_t i = 0; i < one.points.size(); ++i) EXPECT_EQ(one.points[i].value, two.points[i].value);
}

TEST(Judge, ReadsAnswers) {
    const Exercise e = exercise("sectors");
    EXPECT_TRUE(judged(e, "in_order=4\nshifted = 5 # a remark\nsecond = 8\neighth = 32\nused = 0.125\n").done);
    const Verdict wrong = judged(e, "in_order = 4\nshifted = 4\nsecond = 8\neighth = 32\nused = 0.125\n");
    EXPECT_FALSE(wrong.done);
    EXPECT_EQ(wrong.say, "shifted");
    EXPECT_EQ(value_of(wrong, "line"), "2");
    // As people write numbers: with a comma, or as what they computed them from.
    EXPECT_TRUE(judged(e, "in_order = 128/32\nshifted = 4 + 1\nsecond = 8\neighth = 32\nused = 0,125\n").done);
    EXPECT_TRUE(judged(e, "in_order = 4\nshifted = 5\nsecond = 2*4\neighth = 32\nused = 1/8\n").done);
    for (const char* text : {"in_order = four\n", "in_order = 4 sectors\n", "in_order = 1/0\n", "in_order = 1,2,3\n",
                             "in_order = 4,000\n"}) {
        const Verdict no_number = judged(e, text);
        ASSERT_TRUE(no_number.error) << text;
        EXPECT_EQ(no_number.error->where.line, 1u);
        ASSERT_EQ(no_number.points.size(), 1u);
        EXPECT_EQ(no_number.points[0].what, Point::What::readable);
    }
}

TEST(ArraysIn, AreTheNamesBeforeBrackets) {
    EXPECT_THAT(arrays_in("tile[y][x] = in [i] + in[j];"), ElementsAre("tile", "in"));
    EXPECT_THAT(arrays_in("int i = 3;"), ElementsAre());
    EXPECT_THAT(arrays_in("[](int a) { return a; }"), ElementsAre());
}

/// A model with too few registers for any block: no launch has a predicted time on it, however long it may take.
WorkshopOptions without_time(const test::Folder& folder) {
    auto model = read_file(WARPWRIGHT_SOURCE_DIR "/data/devices/h200.toml", file_limit::source);
    if (!model) throw std::runtime_error(model.error().text());
    const std::string registers = "registers_per_sm = 65536\n";
    model->replace(model->find(registers), registers.size(), "registers_per_sm = 1024\n");
    WorkshopOptions options;
    options.model = folder.write("no_time.toml", *model).string();
    return options;
}

TEST(Judge, SaysWhyAnAnswerIsNotKnownWithoutATime) {
    const test::Folder folder;
    const Exercise e = exercise("by_hand");
    auto workshop = Workshop::make(e, without_time(folder));
    ASSERT_TRUE(workshop) << workshop.error().text();
    for (const Question& q : e.questions) {
        if (q.name != "polynomial_us") continue;
        const auto right = right_answer(e, **workshop, q);
        ASSERT_FALSE(right);
        EXPECT_THAT(right.error().what, HasSubstr("a multiprocessor has too few registers"));
        EXPECT_THAT(right.error().text(), Not(HasSubstr("is not known here")));
    }
}

TEST(Judge, SaysWhyARequirementOfTimeCannotBeHeld) {
    const test::Folder folder;
    const Exercise e = exercise("unrolled");
    auto text = read_file(e.rung(e.reference)->source, file_limit::source);
    ASSERT_TRUE(text);
    auto workshop = Workshop::make(e, without_time(folder));
    ASSERT_TRUE(workshop) << workshop.error().text();
    const auto v = judge(e, **workshop, 7, folder.write(e.file, *text));
    ASSERT_FALSE(v);
    EXPECT_THAT(v.error().what, HasSubstr("a multiprocessor has too few registers"));
}

TEST(Judge, HintsAtTheLimitWhereTheTimeWasOver) {
    record::Record record;
    record.unpredicted = "no time is predicted";
    EXPECT_EQ(unpredicted(record, true).text(), "error: no time is predicted (a longer --limit)");
    EXPECT_EQ(unpredicted(record, false).text(), "error: no time is predicted");
}

}  // namespace judge_test
}  // namespace warpwright::learn
