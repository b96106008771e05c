// Files are read before the program runs: a wrong name must not cost a run.
#include "cli/commands/profile_page.hpp"

#include <fmt/format.h>

#include "support/read_file.hpp"

namespace warpwright::cli {

Result<profile::Profile> read_profile(const std::string& file) {
    auto text = read_file(file, file_limit::records);
    if (!text) return std::move(text).error();
    return profile::from_json(*text, file);
}

Result<PageBeside> read_beside(const ProgramOptions& o) {
    PageBeside out;
    if ((!o.base.empty() || !o.findings.empty()) && !o.html)
        return Error{ErrorKind::usage,
                     fmt::format("{} is shown on the page of --html", o.base.empty() ? "--findings" : "--base"),
                     {},
                     "add --html FILE"};
    if (!o.base.empty()) {
        auto base = read_profile(o.base);
        if (!base) return std::move(base).error();
        out.base = std::move(*base);
    }
    if (!o.findings.empty()) {
        auto text = read_file(o.findings, file_limit::records);
        if (!text) return std::move(text).error();
        auto findings = record::read_findings(*text);
        if (!findings) {
            Error e = findings.error();
            e.where.file = o.findings;
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

}  // namespace warpwright::cli
