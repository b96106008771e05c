// A word that begins with an at sign would be read as a response file, so it gets the current folder in front. This is
// done for every word in one place, whichever compiler is started.
#include "compile/process.hpp"

#include <cctype>
#include <string_view>

#include "compile/failure.hpp"

namespace warpwright::compile {
namespace {

/// The length of the option's name in a word like "-I@folder", whose value begins with "@"; 0: it is no such word.
std::size_t option_before_at(std::string_view word) {
    const auto at = word.find('@');
    if (at == std::string_view::npos || at < 2 || word[0] != '-') return 0;
    for (const char c : word.substr(1, at - 1))
        if (!std::isalpha(static_cast<unsigned char>(c)) && c != '-') return 0;
    return at;
}

}  // namespace

std::string operand(const std::string& path) {
    return path.starts_with("-") || path.starts_with("@") ? "./" + path : path;
}

Result<std::vector<std::string>> without_response_files(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const std::string& word : words) {
        if (const auto option = option_before_at(word); option != 0) {
            const std::string name = word.substr(0, option), value = word.substr(option);
            if (name == "-D" || name == "-U") return failure(ErrorKind::usage, "'" + value + "' is no name of a macro");
            out.push_back(name + operand(value));
        } else {
            out.push_back(word.starts_with("@") ? operand(word) : word);
        }
    }
    return out;
}

Result<ProcessResult> run_process(const std::vector<std::string>& words, const ProcessSettings& settings) {
    auto safe = without_response_files(words);
    if (!safe) return safe.error();
    return run_to_end(*safe, settings);
}

}  // namespace warpwright::compile
