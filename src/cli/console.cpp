// All output goes through functions that remove control characters, wrap lines to the width of the terminal and take
// the progress line away first. Only the escape sequences of the known colours pass, so that text from outside cannot
// control the terminal.
#include "cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "report/format.hpp"
#include "support/settings.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

bool utf8_locale() {
    for (const Setting name : {Setting::lc_all, Setting::lc_ctype, Setting::lang})
        if (const std::string v = settings::text(name); !v.empty()) {
            return v.find("UTF-8") != v.npos || v.find("utf8") != v.npos || v.find("UTF8") != v.npos ||
                   v.find("utf-8") != v.npos;
        }
    return false;
}

std::size_t terminal_width(std::FILE* file) {
    winsize size{};
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* error)
    : out_(out), error_(error), out_terminal_(isatty(fileno(out))), error_terminal_(isatty(fileno(error))) {
    const bool dumb = settings::text(Setting::term) == "dumb";
    color_ = out_terminal_ && settings::text(Setting::no_color).empty() && !dumb;
    // A pipe or file keeps to ASCII rules only where the locale says nothing of UTF-8.
    unicode_ = utf8_locale();
    error_terminal_ = error_terminal_ && !dumb;
}

namespace {

/// The length of a colour at the beginning of a text, of those that our printers use (report/terminal); 0: there is
/// none. What hides text is none of them.
std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    if (end == std::string_view::npos || text[end] != 'm') return 0;
    const std::string_view code = text.substr(2, end - 2);
    for (const char* known : {"0", "1", "2", "31", "32", "33", "1;31"})
        if (code == known) return end + 1;
    return code.starts_with("38;5;") ? end + 1 : 0;
}

/// The text without characters that control a terminal, whatever its source. `colours`: ours stay.
std::string for_terminal(const std::string& text, bool colours) {
    if (!colours || text.find('\x1b') == std::string::npos) return printable_lines(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t colour = colour_length(std::string_view(text).substr(at)); colour != 0) {
            out += text.substr(at, colour);
            at += colour;
            continue;
        }
        const std::size_t end = std::min(text.find('\x1b', at + 1), text.size());
        out += printable_lines(text.substr(at, end - at));
        at = end;
    }
    return out;
}

/// The same of text for people, with units in ASCII where the locale has no UTF-8: "12.3 µs" as "12.3 us".
std::string for_people(const std::string& text, bool colours, bool unicode) {
    constexpr std::string_view kMicro = "µs";
    std::string out = for_terminal(text, colours);
    if (!unicode)
        for (std::size_t at = 0; (at = out.find(kMicro, at)) != std::string::npos;)
            out.replace(at, kMicro.size(), "us");
    return out;
}

}  // namespace

void Console::out(const std::string& text) { data(report::fold(for_people(text, color_, unicode_), width())); }

void Console::data(const std::string& given) {
    clear_progress();
    const std::string text = for_terminal(given, color_);
    std::fwrite(text.data(), 1, text.size(), out_);
}

int Console::fail(const Error& error) {
    clear_progress();
    std::fflush(out_);
    std::string line = "warpwright: " + error.text();
    // Further lines are indented, as those of a compiler's further errors are: none looks like a message of its own.
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] == '\r' || (line[i] == '\n' && line.compare(i + 1, 2, "  ") != 0)) line[i] = ' ';
    line = report::fold(line, error_text_width()) + '\n';
    std::fwrite(line.data(), 1, line.size(), error_);
    return exit_code(error.kind);
}

int Console::fail_once(const Error& error) {
    const std::string text = error.text();
    for (auto& [said, again] : told_)
        if (said == text) {
            ++again;
            return exit_code(error.kind);
        }
    told_.emplace_back(text, 0);
    return fail(error);
}

void Console::tell_repeats() {
    for (const auto& [said, again] : told_)
        if (again > 0) note("the same " + std::to_string(again) + (again == 1 ? " time" : " times") + " more: " + said);
    told_.clear();
}

void Console::error_text(const std::string& text) {
    clear_progress();
    std::fputs(report::fold(for_people(text, false, unicode_), error_text_width()).c_str(), error_);
    std::fflush(error_);
}

void Console::note(const std::string& text) {
    clear_progress();
    std::fflush(out_);
    const std::string line =
        report::fold("warpwright: " + for_people(text, false, unicode_), error_text_width()) + '\n';
    std::fwrite(line.data(), 1, line.size(), error_);
}

void Console::progress(const std::string& line) {
    if (!error_terminal_) return;
    std::fflush(out_);
    std::string text = "\r" + printable(line) + "\x1b[K";
    std::fwrite(text.data(), 1, text.size(), error_);
    std::fflush(error_);
    progress_shown_ = true;
}

void Console::clear_progress() {
    if (!progress_shown_) return;
    std::fputs("\r\x1b[K", error_);
    std::fflush(error_);
    progress_shown_ = false;
}

namespace {

/// A pipe has no width of its own; whoever exports COLUMNS wants that one.
std::size_t asked_width() {
    constexpr std::size_t kLeast = 20, kMost = 10000;
    const std::string asked = settings::text(Setting::columns);
    std::size_t columns = 0;
    const auto [end, problem] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
    const bool fits = problem == std::errc{} && end == asked.data() + asked.size();
    return fits && columns >= kLeast && columns <= kMost ? columns : 0;
}

}  // namespace

std::size_t Console::width() const { return out_terminal_ ? terminal_width(out_) : asked_width(); }
std::size_t Console::error_text_width() const { return error_terminal_ ? terminal_width(error_) : asked_width(); }
std::size_t Console::error_width() const { return terminal_width(error_); }

bool Console::flush() { return std::fflush(out_) == 0 && !std::ferror(out_); }

int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
        case ErrorKind::input:
        case ErrorKind::limit:
            return 2;
        case ErrorKind::no_device:
            return 3;
        case ErrorKind::fault:
        case ErrorKind::internal:
            return 1;
    }
    return 1;
}

}  // namespace warpwright::cli
