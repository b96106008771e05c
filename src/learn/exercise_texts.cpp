// English is read first; the others must have the same names, so that no learner gets half an exercise.
#include "learn/exercise_texts.hpp"

#include <filesystem>

#include "ladder/toml_reader.hpp"
#include "support/read_file.hpp"
#include "support/trimmed.hpp"

namespace warpwright::learn {
namespace {

namespace fs = std::filesystem;

Result<ExerciseTexts> read_language(const std::string& file) {
    auto text = read_file(file, file_limit::table);
    if (!text) return std::move(text).error();
    ExerciseTexts out;
    auto parsed = read_toml(*text, file);
    if (!parsed) return std::move(parsed).error();
    const toml::table& root = *parsed;
    ladder::TomlReader toml(file);
    toml.keys(root, {"title", "task", "why", "hints", "say"}, "the texts of an exercise");
    const auto need = [&](const char* key) {
        auto value = toml.text(root.get(key), key);
        if (!value || value->empty()) toml.fail(toml.at(root), std::string("'") + key + "' is missing");
        return std::string(trimmed(value.value_or("")));
    };
    out.title = need("title");
    out.task = need("task");
    out.why = need("why");
    for (std::string& hint : toml.texts(root.get("hints"), "hints")) out.hints.emplace_back(trimmed(hint));
    if (out.hints.size() < kHintsBeforeSolution) toml.fail(toml.at(root), "'hints' must be three or more texts");
    if (const auto* says = toml.table(root.get("say"), "say"))
        for (auto&& [key, value] : *says)
            out.says[std::string(key.str())] = std::string(trimmed(toml.text(&value, key.str()).value_or("")));
    if (toml.error()) return *toml.error();
    return out;
}

Result<void> as_english(const ExerciseTexts& english, const ExerciseTexts& other, const std::string& file) {
    if (other.hints.size() != english.hints.size())
        return Error{ErrorKind::input,
                     fmt::format("there are {} hints, and English has {}", other.hints.size(), english.hints.size()),
                     Location{file, 0, 0}, ""};
    for (const auto& [name, text] : english.says)
        if (!other.says.contains(name))
            return Error{ErrorKind::input, "[say] lacks '" + name + "', which English has", Location{file, 0, 0}, ""};
    return {};
}

}  // namespace

const std::vector<std::string>& exercise_languages() {
    static const std::vector<std::string> all{"en", "ru", "zh", "fi"};
    return all;
}

Result<std::map<std::string, ExerciseTexts>> read_texts(const std::string& folder) {
    std::map<std::string, ExerciseTexts> out;
    std::error_code ec;
    for (const std::string& language : exercise_languages()) {
        const std::string file = (fs::path(folder) / (language + ".toml")).string();
        if (language != "en" && !fs::exists(file, ec)) continue;
        auto texts = read_language(file);
        if (!texts) return std::move(texts).error();
        if (language != "en")
            if (auto ok = as_english(out.at("en"), *texts, file); !ok) return std::move(ok).error();
        out.emplace(language, std::move(*texts));
    }
    return out;
}

}  // namespace warpwright::learn
