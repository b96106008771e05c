// learn and grade through the program: answers, what is kept, wrong words, and submissions that attack the judge.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "common/files.hpp"
#include "common/program.hpp"
#include "confine/confine.hpp"

namespace warpwright::cli {
namespace learn_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRight =
    "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = 2 * x[i] + 1;\n"
    "}\n";
constexpr const char* kAdded =
    "__global__ void added(const float* x, const float* y, float* sum, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) sum[i] = x[i] + y[i];\n"
    "}\n";

class Learn : public testing::Test {
protected:
    test::Said learn(const std::string& words) const {
        return test::shell("cd " + folder_.string() + " && XDG_DATA_HOME=" + folder_.string() +
                           "/data timeout -k 1 100 " WARPWRIGHT_PROGRAM " learn --lang en " + words);
    }
    const test::Folder folder_;
};

TEST_F(Learn, lays_out_the_file_and_answers_until_it_is_done) {
    const auto begun = learn("next --once");
    EXPECT_EQ(begun.code, 0) << begun.error;
    EXPECT_THAT(begun.out, HasSubstr("Your file: first_add/added.cu"));
    const auto untouched = learn("first_add");
    EXPECT_EQ(untouched.code, 1) << untouched.error;
    EXPECT_THAT(untouched.out, HasSubstr("first_add: not yet"));
    folder_.write("first_add/added.cu", kAdded);
    const auto done = learn("first_add");
    EXPECT_EQ(done.code, 0) << done.out << done.error;
    EXPECT_THAT(done.out, HasSubstr("first_add: done"));
    EXPECT_THAT(learn("status").out, HasSubstr("1 of "));
    EXPECT_THAT(learn("next --once").out, HasSubstr("bounds/bounds.cu"));
    const auto reset = learn("reset first_add");
    EXPECT_EQ(reset.code, 0) << reset.error;
    EXPECT_EQ(test::text_of(folder_ / "first_add/added.cu.before"), kAdded);
    EXPECT_THAT(learn("status").out, HasSubstr("0 of "));
}

TEST_F(Learn, opens_hints_one_by_one) {
    EXPECT_THAT(learn("hint bounds").out, Not(HasSubstr("2. ")));
    EXPECT_THAT(learn("hint bounds").out, HasSubstr("2. "));
    EXPECT_THAT(learn("hint bounds").out, HasSubstr("All 3 hints are open."));
    EXPECT_EQ(learn("why bounds").code, 2);
    EXPECT_EQ(learn("hint bounds --progress mine.json").code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "mine.json"));
}

TEST_F(Learn, draws_a_request_of_the_line_that_costs) {
    ASSERT_EQ(learn("coalesced --once").code, 0);
    const auto untouched = learn("coalesced");
    EXPECT_THAT(untouched.out, HasSubstr("touches 16 sectors of 32 bytes; side by")) << untouched.error;
    // Which lanes want which sector: each four bytes of 16, two lanes to a sector.
    EXPECT_THAT(untouched.out, HasSubstr("|0-1|2-3|4-5|6-7| |8-9|10-11|12-13|14-15|"));
    ASSERT_EQ(learn("padding --once").code, 0);
    // A column of the tile lies in one bank: a lane after the other.
    EXPECT_THAT(learn("padding").out, testing::AllOf(HasSubstr("bank   0   1   2"), HasSubstr("1.   0   ."),
                                                     HasSubstr("2.   1   ."), HasSubstr("8.   7   .")));
    EXPECT_THAT(learn("coalesced --json -").out, HasSubstr("\"accesses\""));
}

TEST_F(Learn, judges_whole_programs) {
    const auto proved = learn("check error_checks");
    EXPECT_EQ(proved.code, 0) << proved.out << proved.error;
    // Where there is no Python with what it takes, a line says so.
    const auto script = learn("triton_add --once; PATH=/nowhere " WARPWRIGHT_PROGRAM
                              " learn triton_add --once --lang en --progress mine.json");
    EXPECT_EQ(script.code, 3) << script.out;
    EXPECT_THAT(script.error, HasSubstr("torch and triton"));
}

TEST_F(Learn, says_what_is_wrong_with_its_words) {
    const auto no_file = learn("bounds --once --file nowhere.cu");
    EXPECT_EQ(no_file.code, 2);
    EXPECT_THAT(no_file.error, HasSubstr("nowhere.cu"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere.cu"));
    EXPECT_THAT(learn("bound").error, HasSubstr("did you mean 'bounds'?"));
    EXPECT_EQ(learn("bound").code, 2);
    EXPECT_EQ(learn("hint").code, 2);
    EXPECT_EQ(learn("bounds --untrusted").code, 2);
    EXPECT_THAT(learn("--course /nowhere status").error, HasSubstr("/nowhere"));
    folder_.write("data/warpwright/learn.json", "not JSON");
    const auto broken = learn("status");
    EXPECT_EQ(broken.code, 2);
    EXPECT_THAT(broken.error, HasSubstr("learn.json"));
    EXPECT_EQ(test::text_of(folder_ / "data/warpwright/learn.json"), "not JSON");
}

TEST_F(Learn, makes_an_exercise_that_proves_its_claims) {
    const auto made = learn("new my_own");
    EXPECT_EQ(made.code, 0) << made.error;
    const auto proved = learn("check my_own --course course.toml");
    EXPECT_EQ(proved.code, 0) << proved.out << proved.error;
    EXPECT_EQ(learn("new my_own").code, 2);
    EXPECT_EQ(learn("new ../out").code, 2);
    folder_.write("my_own/reference.cu", "__global__ void twice_plus_one(const float*, float*, int) {}\n");
    const auto broken = learn("check my_own --course course.toml");
    EXPECT_EQ(broken.code, 1);
    EXPECT_THAT(broken.out, HasSubstr("NO"));
}

class Grade : public Learn {
protected:
    void SetUp() override {
        if (auto ok = confine::supported(); !ok) GTEST_SKIP() << ok.error().text();
        folder_.write("mine.toml", "schema = 1\ntitle = \"mine\"\nexercises = [\"bounds\"]\n[points]\nbounds = 4\n");
    }
    test::Said grade(const std::string& words) const {
        return test::shell("cd " + folder_.string() +
                           " && timeout -k 1 200 " WARPWRIGHT_PROGRAM " grade --course mine.toml --lang en " + words);
    }
    void hand_in(const std::string& learner, const std::string& body) const {
        folder_.write("all/" + learner + "/bounds.cu",
                      "__global__ void twice_plus_one(const float* x, float* y, int n) {" + body + "}\n");
    }
};

TEST_F(Grade, costs_an_attacker_its_own_grade_alone) {
    folder_.write("all/anna/bounds.cu", kRight);
    folder_.write("all/bert/bounds.cu", "#include \"/etc/passwd\"\n");
    folder_.write("all/carl/bounds.cu", "#include \"../anna/bounds.cu\"\n");
    hand_in("dora", "for (volatile int i = 0; i < 10; i = i) y[0] = i;");
    hand_in("emil", "for (int i = 0; i < 100000000; ++i) printf(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\n\");");
    hand_in("fred", "asm volatile(\"trap;\");");
    folder_.write("all/gina/bounds.cu", "template <int N> struct A { A<N + 1> a; }; A<0> x;\n");
    folder_.write("all/hugo/bounds.cu", std::string("\xff\xfe\0\1", 4));
    const auto said = grade("all --limit 2 --csv grades.csv --junit grades.xml --json grades.json --html pages");
    EXPECT_EQ(said.code, 0) << said.error;
    const std::string csv = test::text_of(folder_ / "grades.csv");
    EXPECT_THAT(csv, HasSubstr("anna,bounds,done,4,4,0,"));
    for (const char* learner : {"bert", "carl", "dora", "emil", "fred", "gina", "hugo"})
        EXPECT_THAT(csv, testing::ContainsRegex(std::string(learner) + ",bounds,(wrong|failed),0,4")) << csv;
    EXPECT_THAT(csv, Not(HasSubstr("root:")));
    EXPECT_THAT(test::text_of(folder_ / "grades.xml"),
                HasSubstr("<testsuite name=\"anna\" tests=\"1\" failures=\"0\""));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "pages/class.html"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "pages/learner-hugo.html"));
    const auto part = grade("all --only anna --json one.json");
    EXPECT_EQ(part.code, 0) << part.error;
    const auto both = grade("--merge one.json grades.json --csv merged.csv");
    EXPECT_EQ(both.code, 0) << both.error;
    EXPECT_EQ(test::text_of(folder_ / "merged.csv"), csv);
}

TEST_F(Grade, confines_programs_as_it_does_kernels) {
    folder_.write("mine.toml", "schema = 1\ntitle = \"mine\"\nexercises = [\"error_checks\"]\n");
    folder_.write("all/anna/sum.cu", test::text_of(WARPWRIGHT_SOURCE_DIR "/course/error_checks/reference.cu"));
    folder_.write("all/bert/sum.cu",
                  "#include <cstdio>\n#include <unistd.h>\n"
                  "int main() { while (fork() >= 0) {} char line[99] = \"\"; FILE* f = fopen(\"/etc/passwd\", \"r\");\n"
                  "  if (f && fgets(line, 99, f)) puts(line); while (write(1, line, 99) > 0) {} for (;;) {} }\n");
    folder_.write("all/carl/sum.cu", "int main() { not a program }\n");
    const auto said = grade("all --limit 2 --csv grades.csv");
    EXPECT_EQ(said.code, 0) << said.error;
    const std::string csv = test::text_of(folder_ / "grades.csv");
    EXPECT_THAT(csv, HasSubstr("anna,error_checks,done,1,1,0,")) << csv;
    EXPECT_THAT(csv, HasSubstr("bert,error_checks,wrong,0,1,0,")) << csv;
    EXPECT_THAT(csv, HasSubstr("carl,error_checks,wrong,0,1,0,")) << csv;
    EXPECT_THAT(csv, Not(HasSubstr("root:")));
}

TEST_F(Grade, hides_solutions_in_folders_that_may_be_read) {
    // As of a course that is installed with the system's files, which compilers and programs must read.
    const std::string course = (folder_ / "models/course").string();
    std::filesystem::create_directories(course);
    std::filesystem::copy(WARPWRIGHT_SOURCE_DIR "/course/error_checks", course + "/error_checks");
    folder_.write("models/course/mine.toml", "schema = 1\ntitle = \"mine\"\nexercises = [\"error_checks\"]\n");
    const std::string solution = course + "/error_checks/reference.cu";
    folder_.write("all/anna/sum.cu", "#include \"" + solution + "\"\n");
    folder_.write("all/bert/sum.cu",
                  "asm(\".global them\\nthem: .incbin \\\"" + solution +
                      "\\\"\\n.byte 0\");\n"
                      "#include <cstdio>\nextern \"C\" const char them[];\nint main() { puts(them); }\n");
    folder_.write("all/carl/sum.cu",
                  "#include <cstdio>\nint main() { char line[99]; FILE* f = fopen(\"/proc/self/root" + solution +
                      "\", \"r\"); puts(f && fgets(line, 99, f) ? line : \"shut\"); }\n");
    const auto said = test::shell("cd " + folder_.string() + " && WARPWRIGHT_DEVICES=" + folder_.string() +
                                  "/models timeout -k 1 200 " WARPWRIGHT_PROGRAM
                                  " grade all --lang en --course models/course/mine.toml --csv -");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("anna,error_checks,wrong,0,1,0,")) << said.out;
    EXPECT_THAT(said.out, HasSubstr("bert,error_checks,wrong,0,1,0,")) << said.out;
    EXPECT_THAT(said.out, HasSubstr("shut")) << said.out;
    EXPECT_THAT(said.out, Not(HasSubstr("cudaMalloc"))) << said.out;
}

TEST_F(Grade, shares_a_class_among_the_processes_of_an_mpirun) {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
    hand_in("bert", "y[0] = 1;");
    hand_in("carl", "");
    folder_.write("all/anna/bounds.cu", kRight);
    ASSERT_EQ(grade("all --csv one.csv").code, 0);
    const auto shared =
        test::shell("cd " + folder_.string() +
                    " && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 1 200 mpirun "
                    "--oversubscribe -n 2 " WARPWRIGHT_PROGRAM
                    " grade --course mine.toml --lang en all --csv two.csv --json two.json");
    EXPECT_EQ(shared.code, 0) << shared.error;
    EXPECT_EQ(test::text_of(folder_ / "two.csv"), test::text_of(folder_ / "one.csv"));
    EXPECT_THAT(test::text_of(folder_ / "one.csv"), HasSubstr("anna,bounds,done,4,4,0,"));
    // Told its own units a process judges them all, with no MPI.
    const auto task = test::shell(
        "cd " + folder_.string() +
        " && SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 WARPWRIGHT_MPI=/nowhere timeout -k 1 200 " WARPWRIGHT_PROGRAM
        " grade --course mine.toml --lang en all --only anna --csv -");
    EXPECT_EQ(task.code, 0) << task.error;
    EXPECT_THAT(task.out, HasSubstr("anna,bounds,done,4,4,0,"));
    // Printed once, by the first one.
    EXPECT_EQ(shared.out.find("anna"), shared.out.rfind("anna")) << shared.out;
}

TEST_F(Grade, says_what_is_wrong_with_its_words) {
    EXPECT_EQ(grade("").code, 2);
    EXPECT_EQ(grade("/nowhere").code, 2);
    folder_.write("all/anna/bounds.cu", kRight);
    EXPECT_THAT(grade("all --only ana/bounds").error, HasSubstr("did you mean 'anna/bounds'?"));
    EXPECT_EQ(grade("all --csv /nowhere/grades.csv").code, 2);
    folder_.write("bad.json", "{}");
    EXPECT_THAT(grade("--merge bad.json").error, HasSubstr("bad.json"));
    folder_.write("mine.toml", "schema = 1\ntitle = \"mine\"\nexercises = [\"bounds\"]\n[points]\nbunds = 4\n");
    const auto course = grade("all");
    EXPECT_EQ(course.code, 2);
    EXPECT_THAT(course.error, HasSubstr("mine.toml:5"));
}

}  // namespace learn_test
}  // namespace warpwright::cli
