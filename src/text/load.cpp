// Texts from the folders of languages, and the English that the program has in itself.
#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "support/data_folders.hpp"
#include "support/read_file.hpp"
#include "support/toml_text.hpp"
#include "text/english_files.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;

Result<void> gather(const toml::table& table, const std::string& prefix, const std::string& file, Texts& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            if (auto ok = gather(*inner, name + ".", file, out); !ok) return ok;
        } else if (const auto* text = node.as_string()) {
            out.insert_or_assign(name, text->get());
        } else if (!node.is_integer() || !name.ends_with(".order")) {  // an experiment's place in the report
            return Error{ErrorKind::input,
                         "the text '" + name + "' is not a string",
                         Location{file, node.source().begin.line, node.source().begin.column},
                         {}};
        }
    }
    return {};
}

/// The keys of an experiment's or a ladder's file begin with its name; `relative` is its path in the language's folder.
std::string prefix_of(const fs::path& relative) {
    const std::string folder = relative.parent_path().string();
    if (folder.empty()) return {};
    return (folder == "ladders" ? "ladders." : "") + relative.stem().string() + ".";
}

Result<void> read(std::string_view toml, const std::string& file, const fs::path& relative, Texts& out) {
    const auto table = read_toml(toml, file);
    return table ? gather(*table, prefix_of(relative), file, out) : table.error();
}

/// The files of a language by their path in its folder; of two with one path, the one in the earlier place.
std::map<std::string, std::string> files_of(std::string_view language) {
    std::map<std::string, std::string> files;
    for (const std::string& place : Words::folders())
        for (const char* folder : {"", "experiments", "ladders"}) {
            std::error_code ec;
            const fs::path root = fs::path(place) / language;
            for (fs::directory_iterator it(root / folder, ec), end; !ec && it != end; it.increment(ec))
                if (it->path().extension() == ".toml")
                    files.emplace(it->path().lexically_relative(root).string(), it->path().string());
        }
    return files;
}

/// Adds the texts that the language's folders have.
Result<void> read_language(std::string_view language, Texts& out) {
    for (const auto& [relative, file] : files_of(language)) {
        const auto text = read_file(file, file_limit::table);
        if (!text) return text.error();
        if (auto ok = read(*text, file, relative, out); !ok) return ok;
    }
    return {};
}

const Texts& own_english() {
    static const Texts texts = [] {
        Texts out;
        for (const EnglishFile& file : english_files())
            (void)read(file.toml, std::string(file.path), std::string(file.path), out);  // a test reads them, too
        return out;
    }();
    return texts;
}

}  // namespace

std::vector<std::string> Words::folders() { return data_folders(Data::text); }

std::vector<std::string> Words::languages() {
    std::set<std::string> names;
    for (const std::string& place : Words::folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(place, ec), end; !ec && it != end; it.increment(ec))
            if (fs::is_regular_file(it->path() / "language.toml")) names.insert(it->path().filename().string());
    }
    return {names.begin(), names.end()};
}

Result<Words> Words::load(std::string_view language) {
    const std::vector<std::string> known = languages();
    if (std::find(known.begin(), known.end(), language) == known.end())
        return Error{ErrorKind::usage, fmt::format("there are no texts in the language '{}'", language), Location{},
                     fmt::format("languages: {}", fmt::join(known, ", "))};
    Words words;
    words.language_ = language;
    words.texts_ = own_english();
    if (auto ok = read_language("en", words.texts_); !ok) return std::move(ok).error();
    if (language != "en") {
        // Plurals and script are a language's own: English ones are no substitute.
        std::erase_if(words.texts_, [](const auto& text) {
            return text.first.starts_with("plural.") || text.first.starts_with("script.");
        });
        if (auto ok = read_language(language, words.texts_); !ok) return std::move(ok).error();
    }
    if (auto ok = words.settle(); !ok) return std::move(ok).error();
    return words;
}

Result<Words> Words::load_all(std::string_view language) {
    auto words = load(language);
    if (!words) return words;
    for (const std::string& other : languages()) {
        if (other == language) continue;
        auto more = load(other);
        if (!more) return more;
        words->others_.push_back(std::move(*more));
    }
    return words;
}

const Words& Words::plain() {
    static const Words words = of("en", own_english());
    return words;
}

}  // namespace warpwright
