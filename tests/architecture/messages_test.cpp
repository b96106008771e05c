// Messages are for people: what code must know of an error or a finding is carried as data (a kind, a Cause, a member),
// and no code searches the text of a message of ours. What other programs print has no other form; the files that read
// such texts are listed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <sstream>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace messages_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

/// Files that read what others print, and whose text it is.
const std::map<std::string, std::string> kForeign{
    {"src/cli/program/cli.cpp", "errors of the library that reads the command line"},
    {"src/compile/kernel/command.cpp", "clang's diagnostics"},
    {"src/compile/kernel/diagnostics.cpp", "clang's diagnostics"},
    {"src/compile/kernel/device_launches.cpp", "clang's diagnostics"},
    {"src/compile/kernel/warnings.cpp", "clang's diagnostics"},
    {"src/compile/kernel/nvrtc.cpp", "the log of NVRTC, which has no code for a missing header"},
    {"src/compile/program/build_program.cpp", "the linker's errors"},
    {"src/compile/ptxas/figures.cpp", "what ptxas prints of a kernel"},
    {"src/compile/ptxas/ptxas.cpp", "what ptxas says of a target"},
    {"src/compile/toolkit_headers.cpp", "clang's diagnostics"},
    {"src/device/opencl/module.cpp", "the log of an OpenCL compiler"},
};

/// A line without one of these searches nothing; regular expressions take their time.
constexpr std::array kCalls{"find", "contains(", "_with(", "compare(", "regex_"};

/// Searches in a text that is named like a message, and searches for a phrase: "12: error.what.find(".
std::vector<std::string> searched_messages(const std::string& source) {
    static const std::string search = R"((find|rfind|contains|starts_with|ends_with|compare|find_first_of)\()";
    // A member or variable, or a call that gives it.
    static const std::regex message(
        R"(\b(what|message|hint|advice|why|error|errors|diagnostics|unpredicted|left_out)(\(\))?(\.|->))" + search);
    // A regular expression over one.
    static const std::regex expression(R"(regex_(search|match)\([^,]*\b(what|message|hint|advice)\b)");
    // Three words or more are a part of a sentence.
    static const std::regex phrase("(\\.|->)" + search + R"re("[^"]*[a-z]+ [a-z]+ [a-z]+[^"]*")re");
    std::vector<std::string> out;
    std::istringstream with_texts(source), without(code_only(source));
    unsigned number = 0;
    for (std::string line, code; std::getline(with_texts, line) && std::getline(without, code);) {
        ++number;
        if (!std::ranges::any_of(kCalls, [&](const char* call) { return code.find(call) != code.npos; })) continue;
        std::smatch found;
        if (std::regex_search(code, found, message) || std::regex_search(code, found, expression) ||
            (std::regex_search(line, found, phrase) && code.find('"') != std::string::npos))
            out.push_back(std::to_string(number) + ": " + found.str());
    }
    return out;
}

TEST(Messages, SearchesAreFound) {
    EXPECT_EQ(searched_messages("if (f.message.find(nowhere) != f.message.npos) f();").size(), 1u);
    EXPECT_EQ(searched_messages("return error.what.starts_with(lead);").size(), 1u);
    EXPECT_EQ(searched_messages("if (r->error->find(x) == npos) f();").size(), 1u);
    EXPECT_EQ(searched_messages("if (std::regex_search(e.what, wanted)) f();").size(), 1u);
    EXPECT_EQ(searched_messages("if (text.find(\"where no memory is allocated\") != npos) f();").size(), 1u);
    EXPECT_EQ(searched_messages("// a comment on message.find(x)").size(), 0u);
    EXPECT_EQ(searched_messages("const auto it = messages_.find(key);").size(), 0u);
    EXPECT_EQ(searched_messages("say(\"use text.find() where no memory is\");").size(), 0u);
    EXPECT_EQ(searched_messages("error.what = lead + reason;").size(), 0u);
}

TEST(Messages, NoCodeSearchesOurOwn) {
    for (const auto& file : files_under(kRoot / "src", {".cpp", ".hpp"})) {
        const std::string name = file.lexically_relative(kRoot).generic_string();
        const auto searches = searched_messages(read_text(file));
        if (kForeign.contains(name)) {
            EXPECT_FALSE(searches.empty()) << name << " reads no foreign text: its row here is stale";
            continue;
        }
        for (const auto& search : searches)
            ADD_FAILURE() << name << ":" << search << ": a message is not searched; carry the fact as data";
    }
}

}  // namespace messages_test
}  // namespace warpwright::architecture
