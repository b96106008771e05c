#include "support/words.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "support/settings.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders() {
    std::vector<std::string> out;
    if (std::string own = settings::text(Setting::texts); !own.empty()) out.push_back(std::move(own));
    std::error_code ec;
    const fs::path program = fs::read_symlink("/proc/self/exe", ec);
    if (!ec) out.push_back((program.parent_path().parent_path() / "share/warpwright/text").string());
    // As for device models: the source tree comes before the configured prefix.
    out.emplace_back(WARPWRIGHT_SOURCE_TEXT);
    out.emplace_back(WARPWRIGHT_INSTALLED_TEXT);
    return out;
}

std::string find_file(std::string_view language) {
    std::error_code ec;
    for (const std::string& folder : folders()) {
        std::string path = fmt::format("{}/{}.toml", folder, language);
        if (fs::is_regular_file(path, ec)) return path;
    }
    return {};
}

Result<void> gather(const toml::table& table, const std::string& prefix, const std::string& file,
                    std::map<std::string, std::string>& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            if (auto ok = gather(*inner, name + ".", file, out); !ok) return ok;
        } else if (const auto* text = node.as_string()) {
            out.insert_or_assign(name, text->get());
        } else {
            return Error{ErrorKind::input,
                         "the text '" + name + "' is no string",
                         Location{file, node.source().begin.line, node.source().begin.column},
                         {}};
        }
    }
    return {};
}

Error unreadable(const toml::parse_error& e, const std::string& file) {
    return Error{ErrorKind::input,
                 std::string(e.description()),
                 Location{file, e.source().begin.line, e.source().begin.column},
                 {}};
}

/// The files of the experiments' texts by experiment; of two with one name, the one in the earlier folder.
std::map<std::string, std::string> experiment_files() {
    std::map<std::string, std::string> files;
    for (const std::string& folder : folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(folder + "/experiments", ec), end; !ec && it != end; it.increment(ec))
            if (it->path().extension() == ".toml") files.emplace(it->path().stem().string(), it->path().string());
    }
    return files;
}

/// Adds the texts that all experiments have in one language.
Result<void> read_experiments(std::string_view language, std::map<std::string, std::string>& out) {
    for (const auto& [experiment, file] : experiment_files()) {
        try {
            const toml::table all = toml::parse_file(file);
            if (const toml::table* texts = all.get_as<toml::table>(language))
                if (auto ok = gather(*texts, experiment + ".", file, out); !ok) return ok;
        } catch (const toml::parse_error& e) {
            return unreadable(e, file);
        }
    }
    return {};
}

Result<void> read(const std::string& file, std::map<std::string, std::string>& out) {
    try {
        return gather(toml::parse_file(file), "", file, out);
    } catch (const toml::parse_error& e) {
        return unreadable(e, file);
    }
}

}  // namespace

std::vector<std::string> Words::languages() {
    std::set<std::string> names;
    for (const std::string& folder : folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
            if (it->path().extension() == ".toml") names.insert(it->path().stem().string());
    }
    return {names.begin(), names.end()};
}

Result<Words> Words::load(std::string_view language) {
    Words words;
    words.language_ = language;
    const std::string wanted = find_file(language);
    if (wanted.empty() || language.empty() || language.find('/') != std::string_view::npos)
        return Error{ErrorKind::usage, fmt::format("there are no texts in the language '{}'", language), Location{},
                     fmt::format("languages: {}", fmt::join(languages(), ", "))};
    std::vector<std::string> layers{"en"};
    if (language != "en") layers.emplace_back(language);
    for (const std::string& layer : layers) {
        const std::string file = layer == language ? wanted : find_file(layer);
        if (!file.empty())
            if (auto ok = read(file, words.texts_); !ok) return std::move(ok).error();
        if (auto ok = read_experiments(layer, words.texts_); !ok) return std::move(ok).error();
    }
    return words;
}

Words Words::of(std::string language, std::map<std::string, std::string> texts) {
    Words words;
    words.language_ = std::move(language);
    words.texts_ = std::move(texts);
    return words;
}

std::string Words::operator()(std::string_view key, const Values& values) const {
    const auto it = texts_.find(std::string(key));
    if (it == texts_.end()) return fmt::format("[{}]", key);
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const auto& [name, value] : values)
        std::visit([&, n = name](const auto& v) { store.push_back(fmt::arg(n, v)); }, value);
    try {
        return fmt::vformat(it->second, store);
    } catch (const fmt::format_error&) {
        return fmt::format("[{}]", key);
    }
}

}  // namespace warpwright
