// Pages are written from a report alone, never from results in memory, so that rendering a stored report again gives
// the same files. This file therefore also holds the command that reads such a report.
#include "cli/commands/page_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/profile_page.hpp"
#include "record/page_json.hpp"
#include "record/page_texts.hpp"
#include "report/pages.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/write_file.hpp"

namespace warpwright::cli {
namespace {

Result<std::string> read_all(const std::string& file) {
    if (file != "-") return read_file(file, file_limit::records);
    const auto failed = [&] {
        return Error{ErrorKind::input,
                     std::string("cannot be read: ") + std::strerror(errno ? errno : EIO),
                     Location{file, 0, 0},
                     {}};
    };
    errno = 0;
    std::string text;
    char buffer[65536];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
        if (n > file_limit::records - text.size())
            return Error{ErrorKind::input, "is longer than any report", Location{file, 0, 0}, {}};
        text.append(buffer, n);
    }
    if (std::ferror(stdin) != 0) return failed();
    return text;
}

struct ReportOptions {
    std::string file;
    std::vector<std::string> names;  ///< of pages; empty: all
    std::string language;            ///< empty: the report's own
    PageOptions pages;
    std::string base, findings;  ///< of a profile: what its page shows beside it
};

int report_command(const ReportOptions& o, Console& console) {
    auto text = read_all(o.file);
    if (!text) return console.fail(text.error());
    const std::string name = o.file == "-" ? "standard input" : o.file;
    auto report = record::report_from_json(*text, name);
    if (!report) {
        // `run --json` writes profiles, which are no reports of the laboratory.
        if (const auto profile = profile::from_json(*text, name))
            return stored_profile(*profile, {o.pages, o.names, o.language, o.base, o.findings}, console);
        return console.fail(report.error());
    }
    if (!o.base.empty() || !o.findings.empty())
        return console.fail(
            Error{ErrorKind::usage, "--base and --findings go with a profile (run --json FILE)", {}, ""});
    const std::string& language = o.language.empty() ? report->language : o.language;
    auto words = record::languages_of(*report).size() > 1 ? Words::load_all(language) : Words::load(language);
    if (!words) return console.fail(words.error());
    if (!o.names.empty()) {
        std::vector<record::Page> chosen;
        for (const std::string& name : o.names) {
            const auto it = std::find_if(report->pages.begin(), report->pages.end(),
                                         [&](const record::Page& p) { return p.id == name; });
            if (it == report->pages.end()) {
                std::vector<std::string> known;
                for (const record::Page& p : report->pages) known.push_back(p.id);
                return console.fail(Error{ErrorKind::usage, "the report has no page '" + name + "'",
                                          Location{o.file, 0, 0}, fmt::format("pages: {}", fmt::join(known, ", "))});
            }
            chosen.push_back(*it);
        }
        report->pages = std::move(chosen);
    }
    auto written = write_pages(*report, *words, o.pages);
    if (!written) return console.fail(written.error());
    for (const std::string& where : *written) console.note("written: " + where);
    if (!o.pages.any_file())
        console.out(report::text(*report, *words, {console.color(), console.unicode(), console.width()}));
    return 0;
}

}  // namespace

std::string page_language(const std::string& asked) {
    if (!asked.empty()) return asked;
    for (const Setting name : {Setting::lc_all, Setting::lc_messages, Setting::lang}) {
        const std::string locale = settings::text(name);
        if (locale.empty()) continue;
        const std::string language = locale.substr(0, locale.find_first_of("_.@"));
        const std::vector<std::string> known = Words::languages();
        return std::find(known.begin(), known.end(), language) == known.end() ? "en" : language;
    }
    return "en";
}

std::string known_languages(const char* last) {
    std::string out;
    const std::vector<std::string> known = Words::languages();
    for (std::size_t i = 0; i < known.size(); ++i)
        out += (i == 0 ? "" : i + 1 == known.size() ? last : ", ") + known[i];
    return out;
}

Result<std::vector<std::string>> write_pages(const record::Report& report, const Words& words,
                                             const PageOptions& options) {
    std::vector<std::string> written;
    if (options.html) {
        if (auto ok = write_file(*options.html, report::html(report, words)); !ok) return std::move(ok).error();
        written.push_back(*options.html);
    }
    if (options.markdown) {
        if (auto ok = report::write_files(*options.markdown, report::markdown(report, words)); !ok)
            return std::move(ok).error();
        written.push_back(*options.markdown);
    }
    if (options.svg) {
        if (auto ok = report::write_files(*options.svg, report::svgs(report, words)); !ok) return std::move(ok).error();
        written.push_back(*options.svg);
    }
    if (options.json) {
        if (auto ok = write_file(*options.json, record::to_json(report, words)); !ok) return std::move(ok).error();
        written.push_back(*options.json);
    }
    return written;
}

Command add_report(CLI::App& app) {
    auto o = std::make_shared<ReportOptions>();
    auto* command =
        app.add_subcommand("report",
                           "render a stored report (lab --json FILE) again: HTML, Markdown, SVG or text; or a profile\n"
                           "(run --json FILE): HTML or text");
    command->add_option("file", o->file, "the report's JSON, or a profile's; - for standard input")->required();
    command->add_option("--page", o->names, "these pages only, in this order")->type_name("NAME,..")->delimiter(',');
    command->add_option("--html", o->pages.html, "all pages as one HTML file that opens offline")->type_name("FILE");
    command->add_option("--markdown", o->pages.markdown, "as Markdown, with its drawings, into a folder")
        ->type_name("DIR");
    command->add_option("--svg", o->pages.svg, "plots and pictures as SVG, into a folder")->type_name("DIR");
    command->add_option("--base", o->base, "of a profile: another one that its page shows beside it")
        ->type_name("FILE");
    command->add_option("--findings", o->findings, "of a profile: what `check --json` found, for its page")
        ->type_name("FILE");
    command
        ->add_option("--language,--lang", o->language,
                     fmt::format("{}, of the headings and of what the file has in it; without it: the report's",
                                 known_languages(" or ")))
        ->type_name("LANG");
    return {command, [o](Console& console) { return report_command(*o, console); }};
}

}  // namespace warpwright::cli
