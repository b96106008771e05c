// Files are read before the program runs: a wrong name must not cost a run.
#include "cli/commands/profile_page.hpp"

#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "cli/commands/page_files.hpp"
#include "support/read_file.hpp"
#include "support/source_files.hpp"
#include "support/write_file.hpp"

namespace warpwright::cli {

Result<profile::Profile> read_profile(const std::string& file) {
    auto text = read_file(file, file_limit::records);
    if (!text) return std::move(text).error();
    return profile::from_json(*text, file);
}

Result<PageBeside> read_beside(const std::string& base_file, const std::string& findings_file, bool html) {
    PageBeside out;
    if ((!base_file.empty() || !findings_file.empty()) && !html)
        return Error{ErrorKind::usage,
                     fmt::format("{} is shown on the page of --html", base_file.empty() ? "--findings" : "--base"),
                     {},
                     "add --html FILE"};
    if (!base_file.empty()) {
        auto base = read_profile(base_file);
        if (!base) return std::move(base).error();
        out.base = std::move(*base);
    }
    if (!findings_file.empty()) {
        auto text = read_file(findings_file, file_limit::records);
        if (!text) return std::move(text).error();
        // Other JSON of ours has the same schema and would be taken for findings of which there are none.
        if (text->find("\"findings\"") == std::string::npos)
            return Error{ErrorKind::input, "has no findings", Location{findings_file, 0, 0},
                         "`warpwright check --json FILE` writes such a file"};
        auto findings = record::read_findings(*text);
        if (!findings) {
            Error e = findings.error();
            e.where.file = findings_file;
            if (e.hint.empty()) e.hint = "`warpwright check --json FILE` writes such a file";
            return e;
        }
        out.findings = std::move(*findings);
    }
    return out;
}

void keep_sources(profile::Profile& profile, const report::SourceText& source) {
    constexpr unsigned kMostLines = 4000;         // of a file: longer ones are not shown as a whole either
    constexpr std::size_t kMostBytes = 4u << 20;  // of all
    std::size_t all = 0;
    for (const profile::KernelUse& k : profile.kernels)
        for (const auto& [where, counts] : k.lines) {
            const std::string& file = where.first;
            if (profile.sources.contains(file)) continue;
            std::string text;
            unsigned line = 1;
            for (; line <= kMostLines + 1; ++line) {
                const auto one = source(file, line);
                if (!one) break;
                text += *one + "\n";
            }
            all += text.size();
            if (line <= kMostLines + 1 && !text.empty() && all <= kMostBytes)
                profile.sources.emplace(file, std::move(text));
        }
}

std::string profile_page(const profile::Profile& profile, const arch::DeviceModel& model,
                         const report::Selection& selection, const report::SourceText& source, const Words& words,
                         const PageBeside& beside) {
    report::PageExtras extras;
    extras.base = beside.base ? &*beside.base : nullptr;
    extras.findings = beside.findings;
    if (!profile.measured())
        for (const std::string& name : arch::list_models())
            if (auto other = arch::load_model(name); other && other->name != model.name && other->sm.multiprocessors)
                extras.others.push_back(std::move(*other));
    return report::program_html(profile, model, selection, source, words, extras);
}

/// By its file, if that is here, else by its name.
static Result<arch::DeviceModel> model_of(const profile::Profile& profile) {
    if (profile.model.empty()) return arch::DeviceModel{};
    if (auto model = arch::load_model(profile.model)) return model;
    return arch::load_model(profile.model_file);
}

/// Source of a stored profile: as the profile has it, else files from the current folder and below, since it may be
/// somebody else's.
static report::SourceText source_of(const profile::Profile& profile) {
    std::error_code ec;
    std::map<std::string, std::vector<std::string>> kept;
    for (const auto& [file, text] : profile.sources) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) kept[file].push_back(line);
    }
    return [kept = std::move(kept), files = SourceFiles(only_below(std::filesystem::current_path(ec).string()))](
               const std::string& path, unsigned line) mutable -> std::optional<std::string> {
        const auto at = kept.find(path);
        if (at == kept.end()) return files.line(path, line);
        return line >= 1 && line <= at->second.size() ? std::optional(at->second[line - 1]) : std::nullopt;
    };
}

static Result<void> write_page(const profile::Profile& profile, const std::string& file, const std::string& language,
                               const PageBeside& beside, Console& console) {
    const auto model = model_of(profile);
    if (!model) return model.error();
    const auto words = Words::load_all(page_language(language));
    if (!words) return words.error();
    if (auto ok = write_file(file, profile_page(profile, *model, {}, source_of(profile), *words, beside)); !ok)
        return ok;
    console.note("written: " + file);
    return {};
}

Result<void> write_compared_page(const std::string& a, const std::string& b, const std::string& file,
                                 Console& console) {
    auto base = read_profile(a);
    auto profile = read_profile(b);
    for (auto* one : {&base, &profile}) {
        if (one->ok()) continue;
        Error e = one->error();
        e.hint = "--html takes two files of `run --json FILE`";
        return e;
    }
    return write_page(*profile, file, "", {std::move(*base), {}}, console);
}

int stored_profile(const profile::Profile& profile, const StoredProfileOptions& o, Console& console) {
    if (o.pages.markdown || o.pages.svg || o.pages.json || !o.names.empty())
        return console.fail(
            Error{ErrorKind::usage, "a profile is rendered as text or, with --html FILE, as a page", {}, ""});
    const auto beside = read_beside(o.base, o.findings, o.pages.html.has_value());
    if (!beside) return console.fail(beside.error());
    if (o.pages.html) {
        if (auto ok = write_page(profile, *o.pages.html, o.language, *beside, console); !ok)
            return console.fail(ok.error());
        return 0;
    }
    const auto model = model_of(profile);
    if (!model) return console.fail(model.error());
    const auto words = Words::load(page_language(o.language));
    if (!words) return console.fail(words.error());
    console.out(report::program_text(profile, *model, {}, source_of(profile), *words, console.width()));
    return 0;
}

}  // namespace warpwright::cli
