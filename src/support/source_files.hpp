// Source lines that are shown beside a location. A kernel may choose the file's name (.file in PTX, #line, the text of
// an assertion), so the caller decides which files may be shown.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright {

class SourceFiles {
public:
    /// Whether lines of a file may be shown.
    using MayShow = std::function<bool(const std::string& file)>;

    /// `may_show`: empty allows any file, for programs whose host code is trusted.
    explicit SourceFiles(MayShow may_show = {}) : may_show_(std::move(may_show)) {}

    /// A line, counted from 1. Nothing if the file may not be shown, cannot be read by the rules of `read_file`, or
    /// has no such line.
    std::optional<std::string> line(const std::string& file, unsigned line);
    /// All lines of a file; none if it may not be shown or cannot be read.
    const std::vector<std::string>& lines(const std::string& file);

private:
    MayShow may_show_;
    std::map<std::string, std::vector<std::string>> files_;
};

/// Only the file that the user has named, by any path. A PTX text shows no other file's lines.
SourceFiles::MayShow only_file(std::string file);
/// Only files in a folder and below.
SourceFiles::MayShow only_below(std::string folder);

/// Text on one line of a terminal: control characters, line ends too, as \xNN.
std::string printable(const std::string& text);
/// The same for text of several lines: line ends and tabs stay.
std::string printable_lines(const std::string& text);

/// printable_lines() of a text that comes in pieces, which may part a character.
class PrintableStream {
public:
    std::string next(std::string_view piece);
    /// What was held back, at the end.
    std::string rest();

private:
    std::string held_;
};

}  // namespace warpwright
