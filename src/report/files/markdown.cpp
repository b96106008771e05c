// A report as Markdown (GitHub's tables), its drawings as SVG files beside it; and the drawings alone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/page_texts.hpp"
#include "report/escape.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html/svg.hpp"
#include "report/pages.hpp"
#include "support/write_file.hpp"

namespace warpwright::report {
namespace {

using record::shown::Page;
using record::shown::Report;

bool word_letter(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Outside of code: nothing of the text is markup.
std::string plain_text(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool inner = i > 0 && i + 1 < text.size() && word_letter(text[i - 1]) && word_letter(text[i + 1]);
        const bool start = i == 0 && (c == '#' || c == '-' || c == '+');
        if (std::string_view("\\*<>[]|`~&").find(c) != std::string_view::npos || (c == '_' && !inner) || start)
            out += '\\';
        out += c;
    }
    return out;
}

/// One line of text whose `code` stays code; `table`: within a table's cell, where a bar would end it.
std::string line(const std::string& given, bool table = false) {
    std::string text = safe(given), out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('`', at);
        const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
        if (close == std::string::npos) return out + plain_text(text.substr(at));
        out += plain_text(text.substr(at, open - at));
        std::string code = text.substr(open, close + 1 - open);
        if (table)
            for (std::size_t bar = 0; (bar = code.find('|', bar)) != std::string::npos; bar += 2)
                code.insert(bar, "\\");
        out += code;
        at = close + 1;
    }
    return out;
}

/// One line of text within HTML, where Markdown's own marks mean nothing.
std::string html_line(const std::string& text) {
    std::string out;
    bool code = false;
    for (const char c : escape(text)) {
        if (c != '`') {
            out += c;
            continue;
        }
        out += code ? "</code>" : "<code>";
        code = !code;
    }
    return out + (code ? "</code>" : "");
}

/// A code block whose fence is longer than any in the text.
std::string fenced(const std::string& text, const char* language) {
    std::string fence = "```";
    while (text.find(fence) != std::string::npos) fence += '`';
    std::string body = safe(text, false);
    if (body.empty() || body.back() != '\n') body += '\n';
    return fence + language + "\n" + body + fence + "\n\n";
}

std::string items(const std::vector<std::string>& all) {
    std::string out;
    for (const std::string& one : all) out += "- " + line(one) + "\n";
    return out + "\n";
}

class PageMarkdown {
public:
    PageMarkdown(const Page& page, const Words& words, std::vector<PageFile>& files)
        : page_(page), words_(words), files_(files) {}

    std::string text() {
        std::string out;
        for (const std::string& one : page_.front) out += line(one) + "\n\n";
        out += "# " + line(page_.title) + "\n\n";
        paragraph(out, "report.purpose", page_.purpose);
        paragraph(out, "report.task", page_.task);
        if (!page_.sources.empty()) paragraph(out, "report.sources", source_titles(page_, words_));
        part(out, "report.problems", page_.problems);
        for (const record::shown::Section& section : page_.sections) {
            if (!section.heading.empty()) out += "## " + line(section.heading) + "\n\n";
            for (const record::shown::Block& b : section.blocks)
                out += std::visit([&](const auto& one) { return block(one); }, b);
        }
        part(out, "report.conclusions", page_.conclusions);
        part(out, "report.recommendations", page_.recommendations);
        if (!page_.questions.empty()) out += "## " + words_("report.questions") + "\n\n";
        for (const record::shown::Question& q : page_.questions)
            out +=
                "<details><summary>" + html_line(q.question) + "</summary>\n\n" + line(q.answer) + "\n\n</details>\n\n";
        part(out, "report.corrections", page_.corrections);
        if (!page_.repeat.empty()) {
            std::string commands;
            for (const std::string& c : page_.repeat) commands += c + "\n";
            out += "## " + words_("report.repeat") + "\n\n" + fenced(commands, "sh");
        }
        while (out.ends_with("\n\n")) out.pop_back();
        return out;
    }

private:
    void paragraph(std::string& out, const char* key, const std::string& text) const {
        if (!text.empty()) out += "**" + words_(key) + ".** " + line(text) + "\n\n";
    }
    void part(std::string& out, const char* key, const std::vector<std::string>& all) const {
        if (!all.empty()) out += "## " + words_(key) + "\n\n" + items(all);
    }
    static std::string caption(const std::string& text) { return text.empty() ? "" : "*" + line(text) + "*\n\n"; }

    std::string figure(const Svg& svg, const std::string& id, const std::string& title, const std::string& text) {
        const std::string path = "figures/" + block_name(page_, id) + ".svg";
        files_.push_back({path, svg_file(svg, title, text)});
        return fmt::format("![{}]({})\n\n", line(title), path) + caption(text);
    }

    std::string block(const record::shown::Paragraph& p) const {
        using Kind = record::shown::Paragraph::Kind;
        if (p.kind == Kind::text) return line(p.text) + "\n\n";
        return fmt::format("> **{}.** {}\n\n", words_(p.kind == Kind::note ? "report.note" : "report.warning"),
                           line(p.text));
    }

    std::string block(const record::shown::Table& table) const {
        std::string out = "### " + line(table.title) + "\n\n", names = "|", rules = "|";
        std::vector<ColumnText> columns;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const record::shown::Column& column = table.columns[c];
            columns.emplace_back(table, c, words_);
            names += " " + line(column.name, true) +
                     (columns[c].unit().empty() ? "" : ", " + plain_text(columns[c].unit())) +
                     (column.basis ? " (" + basis_name(*column.basis, words_) + ")" : "") + " |";
            rules += columns[c].numeric() ? " ---: |" : " --- |";
        }
        out += names + "\n" + rules + "\n";
        for (const auto& row : table.rows) {
            out += "|";
            for (std::size_t c = 0; c < columns.size() && c < row.size(); ++c)
                out += " " + line(columns[c].cell(row[c]), true) + " |";
            out += "\n";
        }
        return out + "\n" + caption(table.caption);
    }

    std::string block(const record::shown::Plot& p) {
        return figure(draw(p, words_, true), p.id, p.title, plot_caption(p, words_));
    }
    std::string block(const record::shown::CellMap& m) {
        return figure(draw(m, words_, true), m.id, m.title, m.caption);
    }
    std::string block(const record::shown::Timeline& t) {
        return figure(draw(t, words_, true), t.id, t.title, t.caption);
    }

    std::string block(const record::shown::Listing& listing) const {
        const char* language = listing.language == "ptx"      ? ""
                               : listing.language == "opencl" ? "c"
                               : listing.language == "cuda"   ? "cuda"
                                                              : "cpp";
        std::string out = "### " + line(listing.title) + "\n\n";
        if (!listing.file.empty()) out += "`" + safe(listing.file) + "`\n\n";
        out += fenced(listing.text, language);
        const ListingCounts counts = listing_counts(listing, words_);
        if (counts.columns.empty()) return out;
        std::string names = "| " + words_("report.line") + " |", rules = "| ---: |";
        for (const record::Count c : counts.columns)
            names += " " + line(count_name(c, words_), true) + " |", rules += " ---: |";
        if (!counts.stood.empty()) names += " " + line(words_("prediction.stood_here"), true) + " |", rules += " --- |";
        out += names + " " + words_("report.source") + " |\n" + rules + " --- |\n";
        for (std::size_t l = 0; l < counts.lines.size(); ++l) {
            if (!counts.counted[l]) continue;
            out += fmt::format("| {} |", listing.first_line + l);
            for (const std::uint64_t v : counts.values[l])
                out += v == 0 ? " |" : " " + words_.figure(grouped(v)) + " |";
            if (!counts.stood.empty()) out += counts.stood[l].empty() ? " |" : " " + counts.stood[l] + " |";
            std::string source = counts.lines[l];
            source.erase(0, std::min(source.find_first_not_of(" \t"), source.size()));
            out += " `` " + [&] {
                std::string text = safe(source);
                for (std::size_t bar = 0; (bar = text.find('|', bar)) != std::string::npos; bar += 2)
                    text.insert(bar, "\\");
                return text;
            }() + " `` |\n";
        }
        return out + "\n";
    }

    const Page& page_;
    const Words& words_;
    std::vector<PageFile>& files_;
};

}  // namespace

std::vector<PageFile> markdown(const record::Report& all, const Words& words) {
    const Report report = record::in_language(all, words);
    std::vector<PageFile> files(1);
    std::string index = "# " + line(report.title) + "\n\n";
    if (!report.complete)
        index += "> **" + words("report.warning") + ".** " + line(words("report.incomplete")) + "\n\n";
    index += "## " + words("report.contents") + "\n\n";
    for (std::size_t i = 0; i < report.pages.size(); ++i) {
        const Page& page = report.pages[i];
        const std::string name = file_safe(page.id) + ".md";
        index += fmt::format("{}. [{}]({})", i + 1, line(page.title), name) +
                 (page.conclusions.empty() ? "" : ": " + line(page.conclusions.front())) + "\n";
        std::vector<PageFile> figures;
        std::string text = PageMarkdown(page, words, figures).text();
        files.push_back({name, std::move(text)});
        std::move(figures.begin(), figures.end(), std::back_inserter(files));
    }
    index += "\n## " + words("report.environment") + "\n\n";
    for (const auto& [name, value] : environment_lines(report.environment, words))
        index += "- " + line(name) + ": " + line(value) + "\n";
    files.front() = {"report.md", std::move(index)};
    return files;
}

std::vector<PageFile> svgs(const record::Report& all, const Words& words) {
    const Report report = record::in_language(all, words);
    std::vector<PageFile> files;
    for (const Page& page : report.pages)
        for (const record::shown::Section& section : page.sections)
            for (const record::shown::Block& block : section.blocks)
                std::visit(
                    [&](const auto& b) {
                        if constexpr (requires { draw(b, words, true); })
                            files.push_back(
                                {block_name(page, b.id) + ".svg", svg_file(draw(b, words, true), b.title, b.caption)});
                    },
                    block);
    return files;
}

Result<void> write_files(const std::string& folder, const std::vector<PageFile>& files) {
    if (auto made = make_folder(folder); !made) return made;
    for (const PageFile& file : files) {
        const std::string path = folder + "/" + file.path;
        const std::size_t slash = file.path.rfind('/');
        if (slash != std::string::npos)
            if (auto made = make_folder(folder + "/" + file.path.substr(0, slash)); !made) return made;
        if (auto written = write_file(path, file.text); !written) return written;
    }
    return {};
}

}  // namespace warpwright::report
