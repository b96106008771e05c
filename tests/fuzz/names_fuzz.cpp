// Any lines as the words of a compiler's command line, and each as the name of a file: no word that is passed on may be
// taken for a file of options, and no name for an option; a name still means the same file.
// Run: ww_fuzz_names tests/fuzz/corpus/names
#include <filesystem>
#include <vector>

#include "compile/process.hpp"
#include "fuzz_target.hpp"
#include "support/result.hpp"

using namespace warpwright;

namespace {

/// Whether clang's second stage, which gets the value of an option as a word of its own, would read it as a file of
/// options.
bool hands_on_a_file_of_options(std::string_view word) {
    for (const std::string_view option : {"-I", "-D", "-U", "-L", "-include", "-isystem", "-iquote", "-o", "-Xclang"})
        if (word.starts_with(option) && word.substr(option.size()).starts_with('@')) return true;
    return false;
}

}  // namespace

FUZZ_TARGET(names) {
    // What the system takes as a word has no zero in it.
    const std::string all(text.substr(0, text.find('\0')));
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= all.size();) {
        const auto end = std::min(all.find('\n', at), all.size());
        words.push_back(all.substr(at, end - at));
        at = end + 1;
    }
    for (const std::string& name : words) {
        const std::string operand = compile::operand(name);
        if (operand.starts_with('-') || operand.starts_with('@')) fuzz::complain("a name is an option", operand);
        if (!name.empty() &&
            std::filesystem::path(operand).lexically_normal() != std::filesystem::path(name).lexically_normal())
            fuzz::complain("it is another file", operand);
    }
    auto safe = compile::without_response_files(words);
    if (!safe) return fuzz::check(safe.error());
    if (safe->size() != words.size()) fuzz::complain("words are lost or made");
    for (const std::string& word : *safe)
        if (word.starts_with('@') || hands_on_a_file_of_options(word)) fuzz::complain("it is a file of options", word);
    auto again = compile::without_response_files(*safe);
    if (!again || *again != *safe) fuzz::complain("what is safe is changed once more");
}
