// Text in lines of a width.
#include <algorithm>

#include "report/format.hpp"
#include "report/unicode.hpp"

namespace warpwright::report {

namespace {

/// Marks that do not begin a line.
bool closes(char32_t point) {
    for (const char32_t mark : {0x3001u, 0x3002u, 0xff0cu, 0xff1au, 0xff1bu, 0xff09u, 0xff01u, 0xff1fu, 0x300du,
                                0x300fu, 0x3011u, 0x201du, 0x2019u, 0x29u, 0x2cu, 0x2eu})
        if (point == mark) return true;
    return false;
}

/// Bytes of a word's first part that no line break may divide: the whole word, but for scripts without blanks, where a
/// line may break beside any wide character.
std::size_t unbroken(std::string_view word) {
    for (std::size_t i = 0; i < word.size();) {
        const Decoded d = decode(word.substr(i));
        i += d.length;
        if (i >= word.size()) break;
        const Decoded next = decode(word.substr(i));
        if ((point_width(d.point) == 2 || point_width(next.point) == 2) && !closes(next.point)) return i;
    }
    return word.size();
}

/// Whether `word` is the unit of a figure that stands before it: "%", "µs,".
bool is_unit(std::string_view word) {
    constexpr std::string_view kUnits[] = {"%", "s", "ms", "µs", "us", "ns", "B", "KiB", "MiB", "GiB", "MB", "GB"};
    while (!word.empty() && std::string_view(",.;:)").find(word.back()) != std::string_view::npos)
        word.remove_suffix(1);
    return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

/// Where the word that begins at `from` ends; a figure and its unit are one.
std::size_t end_of_word(std::string_view text, std::size_t from) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    if (end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') return end;
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    return is_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    bool blank = false;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ') {
            ++i;
            blank = true;
            continue;
        }
        const std::size_t end = end_of_word(text, i);
        const std::string_view word = text.substr(i, unbroken(text.substr(i, end - i)));
        const std::size_t between = blank && !line.empty() ? 1 : 0;
        if (!line.empty() && display_width(line) + between + display_width(word) > width) {
            lines.push_back(std::move(line));
            line.clear();
        } else if (between) {
            line += ' ';
        }
        line += word;
        blank = false;
        i += word.size();
    }
    if (!line.empty()) lines.push_back(std::move(line));
    return lines;
}

std::vector<std::string> pieces(const std::string& text, std::size_t width) {
    if (width == 0 || display_width(text) <= width) return {text};
    std::vector<std::string> out;
    for (std::string line : wrap(text, width)) {
        while (display_width(line) > width) {
            std::size_t end = 0;
            for (std::size_t next = end; next < line.size();) {
                do ++next;
                while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xc0) == 0x80);
                if (display_width(std::string_view(line).substr(0, next)) > width && end > 0) break;
                end = next;
            }
            out.push_back(line.substr(0, end));
            line.erase(0, end);
        }
        if (!line.empty()) out.push_back(std::move(line));
    }
    return out;
}

namespace {

/// A character of a line with the escape sequences before it, which take no room.
struct Glyph {
    std::string_view bytes;
    std::size_t width = 0;
    bool blank = false;
    bool may_begin = false;  ///< a line, without a blank before it
};

/// Bytes of the escape sequence that the text begins with; 0 where there is none.
std::size_t escape_length(std::string_view text) {
    if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
    const std::size_t end = text.find_first_of("mKHJ", 2);
    return end == std::string_view::npos ? text.size() : end + 1;
}

std::vector<Glyph> glyphs_of(std::string_view line) {
    std::vector<Glyph> out;
    bool wide = false;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t begin = at;
        while (const std::size_t escape = escape_length(line.substr(at))) at += escape;
        if (at == line.size()) {
            // Colours that end with the line belong to its last character.
            if (!out.empty()) begin -= out.back().bytes.size(), out.pop_back();
            out.push_back({line.substr(begin), 0, false, false});
            break;
        }
        const Decoded d = decode(line.substr(at));
        const std::size_t width = point_width(d.point);
        const bool breaks = (wide || width == 2) && !closes(d.point);
        at += d.length;
        out.push_back({line.substr(begin, at - begin), width, d.point == U' ', breaks});
        wide = width == 2;
    }
    return out;
}

/// Where what goes on below a line stands.
std::size_t hang_of(const std::vector<Glyph>& line, std::size_t width) {
    std::size_t at = 0, indent = 0, hang = 0, blanks = 0;
    bool text = false;
    const std::size_t room = std::max<std::size_t>(24, width / 3);
    for (const Glyph& g : line) {
        if (!g.blank) {
            if (!text) indent = at;
            if (text && blanks >= 2 && at + room <= width) hang = at;
            text = true;
            blanks = 0;
        } else {
            ++blanks;
        }
        at += g.width;
        if (at >= width) break;
    }
    // A line that begins far in is a column of its own.
    constexpr std::size_t kFar = 12;
    return hang > 0 ? hang : std::min(indent >= kFar ? indent : indent + 2, width / 2);
}

/// Whether the word behind the blank at `at` is the unit of a figure that stands before it.
bool before_unit(const std::vector<Glyph>& line, std::size_t at) {
    const char last = line[at - 1].bytes.back();
    if (last < '0' || last > '9') return false;
    std::string word;
    for (std::size_t i = at + 1; i < line.size() && !line[i].blank; ++i) word += line[i].bytes;
    return is_unit(word);
}

/// Where the line that begins at `from`, with `used` columns before it, ends: at a blank, or where a line may break.
std::size_t end_of_line(const std::vector<Glyph>& line, std::size_t from, std::size_t used, std::size_t hang,
                        std::size_t width) {
    std::size_t best = 0;
    for (std::size_t i = from; i < line.size(); ++i) {
        if (i > from && used > hang &&
            (line[i].may_begin || (line[i].blank && !line[i - 1].blank && !before_unit(line, i))))
            best = i;
        if (used + line[i].width > width && !line[i].blank) return best > from ? best : std::max(i, from + 1);
        used += line[i].width;
    }
    return line.size();
}

std::string fold_line(std::string_view text, std::size_t width) {
    const std::vector<Glyph> line = glyphs_of(text);
    std::size_t all = 0;
    for (const Glyph& g : line) all += g.width;
    if (all <= width) return std::string(text);
    const std::size_t hang = hang_of(line, width);
    std::string out;
    for (std::size_t from = 0; from < line.size();) {
        const std::size_t before = from == 0 ? 0 : hang;
        const std::size_t end = end_of_line(line, from, before, hang, width);
        if (from > 0) out += '\n' + std::string(before, ' ');
        for (std::size_t i = from; i < end; ++i) out += line[i].bytes;
        if (from > 0 || end < line.size()) out.erase(out.find_last_not_of(' ') + 1);
        from = end;
        while (from < line.size() && line[from].blank) ++from;
    }
    return out;
}

}  // namespace

std::string fold(std::string_view text, std::size_t width) {
    if (width == 0) return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += fold_line(text.substr(at, end - at), width);
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace warpwright::report
