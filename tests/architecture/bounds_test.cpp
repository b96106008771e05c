// Bounds of memory are tested by support/covers.hpp alone: a kernel chooses addresses and sizes, and a sum of the two
// wraps where it likes.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace bounds_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

/// Whether a word is a constant: a number, or a name like kMost.
bool is_constant(const std::string& word) {
    static const std::regex constant(R"((\d[\w']*|k[A-Z]\w*)[);]*)");
    return std::regex_match(word, constant);
}

/// Comparisons of one line with a sum of what is not constant.
std::vector<std::string> compared_sums(const std::string& line) {
    static const std::string word = R"(([A-Za-z0-9_.>\[\]:-][A-Za-z0-9_.>()\[\]:-]*))";
    static const std::regex left(word + R"( \+ )" + word + R"( (<=|>=|<|>) )"),
        right(R"( (<=|>=|<|>) )" + word + R"( \+ )" + word);
    std::vector<std::string> out;
    const auto look = [&](const std::regex& form, int first, int second) {
        for (std::sregex_iterator at(line.begin(), line.end(), form), end; at != end; ++at)
            if (!is_constant((*at)[first].str()) || !is_constant((*at)[second].str())) out.push_back(at->str());
    };
    look(left, 1, 2);
    look(right, 2, 3);
    return out;
}

TEST(Bounds, ComparedSumsAreFound) {
    EXPECT_EQ(compared_sums("if (address + bytes <= end) f();").size(), 1u);
    EXPECT_EQ(compared_sums("if (at + 16 > c->shared_size) f();").size(), 1u);
    EXPECT_EQ(compared_sums("return found->address >= a.base + a.bytes;").size(), 1u);
    EXPECT_EQ(compared_sums("if (special >= kSharedWindows + kWindowBytes) f();").size(), 0u);
    EXPECT_EQ(compared_sums("x = a + static_cast<std::uint64_t>(b);").size(), 0u);
    EXPECT_EQ(compared_sums("return bytes <= size && address - base <= size - bytes;").size(), 0u);
}

TEST(Bounds, TheRuntimeComparesNoSums) {
    for (const char* folder : {"shared", "runtime", "run"})
        for (const auto& file : files_under(kRoot / "src" / "engine" / folder, {".cpp", ".hpp"})) {
            std::istringstream code(code_only(read_text(file)));
            unsigned number = 0;
            for (std::string line; std::getline(code, line);) {
                ++number;
                for (const auto& sum : compared_sums(line))
                    ADD_FAILURE() << fs::relative(file, kRoot).generic_string() << ":" << number << ": '" << sum
                                  << "' may wrap: ask covers() of support/covers.hpp";
            }
        }
}

}  // namespace bounds_test
}  // namespace warpwright::architecture
