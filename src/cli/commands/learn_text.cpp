// The answer to an attempt in lines: what holds, what was found, what is said of the line, its picture, and causes.
#include "cli/commands/learn_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "cli/commands/learn_access.hpp"
#include "report/finding_text.hpp"
#include "report/format.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

using learn::Point;

std::string number(double value, const std::string& metric) {
    if (metric == "predicted_time") return report::seconds(value);
    // From a thousand on its whole part says enough, and 8.6e+03 does not read well.
    constexpr double kWhole = 1000;
    return value >= kWhole || value == std::floor(value)
               ? report::grouped(static_cast<std::uint64_t>(std::round(value)))
               : fmt::format("{:.3g}", value);
}

std::string point_text(const Desk& desk, const Point& p) {
    const std::string mark = desk.console.unicode() ? (p.holds ? "✓" : "✗") : (p.holds ? "ok" : "NO");
    std::string text;
    switch (p.what) {
        case Point::What::compiles:
            text = desk.words("learn.point.compiles");
            break;
        case Point::What::no_findings:
            text = desk.words("learn.point.no_findings");
            break;
        case Point::What::right:
            text = desk.words("learn.point.right");
            break;
        case Point::What::readable:
            text = desk.words("learn.point.readable");
            break;
        case Point::What::answer:
            text = p.name + (p.value ? fmt::format(" = {:g}", *p.value) : "");
            break;
        case Point::What::requirement: {
            const char* key = p.compare == learn::Requirement::Compare::at_most    ? "learn.point.at_most"
                              : p.compare == learn::Requirement::Compare::at_least ? "learn.point.at_least"
                                                                                   : "learn.point.equal";
            text = desk.words(key, {{"metric", Text(p.name)},
                                    {"value", Figure{p.value ? number(*p.value, p.name) : "-"}},
                                    {"limit", Figure{number(p.limit.value_or(0), p.name)}}});
        }
    }
    return "  " + mark + " " + text + "\n";
}

/// The line of the learner's file at which an error is, with a mark below its column.
std::string marked_source(const Error& error, const std::string& file) {
    if (error.where.line == 0 || error.where.file != file) return "";
    const auto source = SourceFiles().line(file, error.where.line);
    if (!source) return "";
    const std::string number = fmt::format("{:>7}", error.where.line);
    std::string out = number + " | " + printable_lines(*source) + "\n";
    if (error.where.column == 0 || error.where.column > source->size() + 1) return out;
    out += std::string(number.size(), ' ') + " | ";
    // A tab stays one, so that the mark stands below its place.
    for (unsigned k = 0; k + 1 < error.where.column; ++k)
        if ((static_cast<unsigned char>((*source)[k]) & 0xc0) != 0x80) out += (*source)[k] == '\t' ? '\t' : ' ';
    return out + "^\n";
}

}  // namespace

std::string finding_line(const Desk& desk, const record::Finding& finding, const std::string& file) {
    const std::string where = finding.at.text();
    return (where.empty() ? file : where) + ": " + desk.words.render(report::finding_text(finding));
}

std::string error_line(const Desk& desk, const Error& error) {
    const std::string hint = desk.words.render(carried_text(error.hint));
    const auto known = known_text(error.what);
    if (!known) {
        Error own = error;  // the compiler's words
        own.hint = hint;
        return own.text();
    }
    const std::string where = error.where.text();
    return (where.empty() ? "" : where + ": ") + desk.words.render(*known) + (hint.empty() ? "" : " (" + hint + ")");
}

std::string said(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v) {
    if (v.say.empty()) return v.told ? desk.words.render(*v.told) : "";
    const auto& says = exercise.texts_in(desk.language).says;
    const auto it = says.find(v.say);
    if (it == says.end()) return "";
    return learn::said_of(desk.words, it->second, v.values).value_or(it->second);
}

std::vector<report::CauseLines> causes_of(const Desk& desk, const record::Predicted& predicted) {
    constexpr std::size_t kMost = 3;
    // An exercise's launch is small and given: what follows from that is no fault of the kernel's.
    auto causes = predicted.causes;
    std::erase_if(causes, [](const auto& one) {
        return one.cause == "launch_overhead" || one.cause == "small_grid" || one.cause == "small_blocks";
    });
    auto out = report::cause_lines(causes, desk.words);
    out.resize(std::min(out.size(), kMost));
    return out;
}

bool fixes_told(const Desk& desk, const learn::Exercise& exercise) {
    return desk.progress.of(exercise.name).hints >= learn::kHintsBeforeSolution;
}

std::string paragraphs(const Desk& desk, const std::string& text, const std::string& indent) {
    const std::size_t width =
        std::max<std::size_t>(desk.console.width() ? desk.console.width() : 100, 40) - indent.size();
    std::string out, paragraph;
    const auto fill = [&] {
        for (const std::string& line : report::wrap(paragraph, width))
            if (!paragraph.empty()) out += indent + line + "\n";
        paragraph.clear();
    };
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with("    ")) {
            fill();
            out += line.empty() ? "\n" : indent + line + "\n";
        } else {
            // Between two characters of a script without blanks none is put.
            const bool glued = paragraph.empty() || (static_cast<unsigned char>(paragraph.back()) >= 0x80 &&
                                                     static_cast<unsigned char>(line[0]) >= 0xe3);
            paragraph += (glued ? "" : " ") + line;
        }
    }
    fill();
    return out;
}

std::string answer_text(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v,
                        const std::string& file) {
    std::string out = desk.words(v.done ? "learn.done" : "learn.not_yet", {{"name", Text(exercise.name)}}) + "\n";
    for (const Point& p : v.points) out += point_text(desk, p);
    if (v.finding)
        out += "    " + printable(finding_line(desk, *v.finding, file)) + "\n";
    else if (v.error)
        out += "    " + printable_lines(error_line(desk, *v.error)) + "\n" + marked_source(*v.error, file);
    // What is done needs no advice.
    if (!v.done)
        for (const std::string& warning : v.warnings) out += "    " + printable(warning) + "\n";
    if (!v.output.empty())
        out += "  " + desk.words("learn.printed") + "\n" + printable_lines(v.output.substr(0, kMostOutput)) + "\n";
    out += paragraphs(desk, said(desk, exercise, v), "  ");
    out += access_text(desk, v, file);
    const bool fixes = fixes_told(desk, exercise);
    if (v.counted && v.counted->predicted && !v.done)
        for (const auto& one : causes_of(desk, *v.counted->predicted))
            out += paragraphs(desk, one.seen + (fixes && !one.fix.empty() ? ": " + one.fix : ""), "  ");
    if (v.done) {
        out +=
            "\n" + paragraphs(desk, exercise.texts_in(desk.language).why, "") + "\n" + desk.words("learn.next") + "\n";
    } else {
        out += "  " + desk.words("learn.hint", {{"name", Text(exercise.name)}}) + "\n";
    }
    return out;
}

}  // namespace warpwright::cli
