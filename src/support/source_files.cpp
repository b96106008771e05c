// Reads source files once, shows only those that the caller allows, and makes control characters in names visible.
#include "support/source_files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "support/read_file.hpp"

namespace warpwright {

namespace {

/// The lines of a file; none of one that cannot be read.
std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> lines;
    const auto read = read_file(file, file_limit::source);
    if (!read) return lines;
    const std::string& text = *read;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

}  // namespace

std::optional<std::string> SourceFiles::line(const std::string& file, unsigned line) {
    if (file.empty() || line == 0) return std::nullopt;
    const auto& all = lines(file);
    if (line > all.size()) return std::nullopt;
    return all[line - 1];
}

const std::vector<std::string>& SourceFiles::lines(const std::string& file) {
    auto [at, fresh] = files_.try_emplace(file);
    if (fresh && !file.empty() && (!may_show_ || may_show_(file))) at->second = lines_of(file);
    return at->second;
}

SourceFiles::MayShow only_file(std::string file) {
    return [file = std::move(file)](const std::string& asked) {
        std::error_code ec;
        return asked == file || (std::filesystem::equivalent(asked, file, ec) && !ec);
    };
}

SourceFiles::MayShow only_below(std::string folder) {
    std::error_code ec;
    auto root = std::filesystem::canonical(folder, ec);
    if (ec) return [](const std::string&) { return false; };
    return [root = std::move(root)](const std::string& asked) {
        std::error_code failed;
        const auto path = std::filesystem::canonical(asked, failed);
        if (failed) return false;
        return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
    };
}

namespace {

/// The first byte of the second set of control characters in UTF-8: 0xc2 0x80 to 0xc2 0x9f.
constexpr unsigned char kSecondSet = 0xc2;

std::string printable(const std::string& text, bool lines) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool second =
            c == kSecondSet && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
        // A carriage return stays only before the end of its line: elsewhere it writes over what is there.
        const bool line_end = c == '\n' || c == '\t' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
        if ((c >= 0x20 && c != 0x7f && !second) || (lines && line_end)) {
            out += text[i];
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", second ? static_cast<unsigned char>(text[++i]) : c);
        out += escaped;
    }
    return out;
}

}  // namespace

std::string printable(const std::string& text) { return printable(text, false); }
std::string printable_lines(const std::string& text) { return printable(text, true); }

std::string PrintableStream::next(std::string_view piece) {
    std::string text = std::move(held_) + std::string(piece);
    held_.clear();
    // The next piece decides about the last character.
    if (!text.empty() && (text.back() == '\r' || static_cast<unsigned char>(text.back()) == kSecondSet)) {
        held_ = text.back();
        text.pop_back();
    }
    return printable_lines(text);
}

std::string PrintableStream::rest() { return printable_lines(std::exchange(held_, {})); }

}  // namespace warpwright
