// An option of NVIDIA's compilers taken apart.
#pragma once

#include <string>

namespace warpwright::compilers {

struct OptionWord {
    std::string name, value;
    bool has_value = false;
};

/// "--name=value", "-name=value" or "-name" without its dashes.
inline OptionWord option_word(const std::string& word) {
    const std::string bare = word.substr(word.starts_with("--") ? 2 : 1);
    const auto equals = bare.find('=');
    if (equals == std::string::npos) return {bare, "", false};
    return {bare.substr(0, equals), bare.substr(equals + 1), true};
}

}  // namespace warpwright::compilers
