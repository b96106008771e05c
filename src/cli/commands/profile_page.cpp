// Files are read before the program runs: a wrong name must not cost a run.
#include "cli/commands/profile_page.hpp"

#include <filesystem>

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

int stored_profile(const profile::Profile& profile, const StoredProfileOptions& o, Console& console) {
    if (o.pages.markdown || o.pages.svg || o.pages.json || !o.names.empty())
        return console.fail(
            Error{ErrorKind::usage, "a profile is rendered as text or, with --html FILE, as a page", {}, ""});
    const auto beside = read_beside(o.base, o.findings, o.pages.html.has_value());
    if (!beside) return console.fail(beside.error());
    const auto model = model_of(profile);
    if (!model) return console.fail(model.error());
    const auto words = Words::load_all(page_language(o.language));
    if (!words) return console.fail(words.error());
    std::error_code ec;
    const auto source = [files = SourceFiles(only_below(std::filesystem::current_path(ec).string()))](
                            const std::string& file, unsigned line) mutable { return files.line(file, line); };
    if (!o.pages.html) {
        console.out(report::program_text(profile, *model, {}, source, *words, console.width()));
        return 0;
    }
    if (auto ok = write_file(*o.pages.html, profile_page(profile, *model, {}, source, *words, *beside)); !ok)
        return console.fail(ok.error());
    console.note("written: " + *o.pages.html);
    return 0;
}

}  // namespace warpwright::cli
