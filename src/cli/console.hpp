// The one place that prints: results to standard output, errors and progress to standard error.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cli {

class Console {
public:
    Console() : Console(stdout, stderr) {}
    /// Tests give files of their own.
    Console(std::FILE* out, std::FILE* error);

    /// Text for people: lines that the width has no room for go on below.
    void out(const std::string& text);
    /// Text for programs (JSON, CSV, a model's file): as it is.
    void data(const std::string& text);
    /// "warpwright: file:3: error: what (hint)" on one line, or what a narrower width makes of it; returns the exit
    /// code of the error's kind.
    int fail(const Error& error);
    /// The same of an error that may come at every point of a sweep: told once, then counted.
    int fail_once(const Error& error);
    /// How often each such error came again; forgets them.
    void tell_repeats();
    /// One line, for things that are no errors.
    void note(const std::string& text);

    /// Text for standard error: a report beside a program's own output.
    void error_text(const std::string& text);

    /// Shows `line` in place of the last progress line; only where standard error is a terminal.
    void progress(const std::string& line);
    void clear_progress();
    bool shows_progress() const { return error_terminal_; }

    /// Standard output is a terminal and NO_COLOR is not set.
    bool color() const { return color_; }
    bool unicode() const { return unicode_; }
    /// Columns of the terminal on standard output; of a pipe or file what COLUMNS says, or 0 for any width.
    std::size_t width() const;
    std::size_t error_width() const;
    /// As width(), of standard error.
    std::size_t error_text_width() const;

    /// False once writing to standard output has failed (a full disk, a closed pipe).
    bool flush();

    /// A thread, or a kernel on a device, cannot be stopped: the process must not wait for it at its end.
    void leave_at_once() { leaves_at_once_ = true; }
    bool leaves_at_once() const { return leaves_at_once_; }

private:
    std::FILE *out_, *error_;
    bool out_terminal_, error_terminal_, color_, unicode_, progress_shown_ = false, leaves_at_once_ = false;
    std::vector<std::pair<std::string, std::size_t>> told_;  ///< by fail_once, and how often again
};

int exit_code(ErrorKind kind);

}  // namespace warpwright::cli
