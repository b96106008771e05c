// Writes a model as TOML in the order of the table of figures, each figure with its source. `device --measure` makes
// such files; read_model reads them.
#include <fmt/format.h>

#include "arch/figures.hpp"

namespace warpwright::arch {

namespace {

/// A TOML basic string.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + '"';
}

}  // namespace

std::string write_model(const ModelText& text) {
    std::string out;
    for (std::size_t from = 0; from < text.comment.size();) {
        const std::size_t to = std::min(text.comment.find('\n', from), text.comment.size());
        std::string line = text.comment.substr(from, to - from);
        for (char& c : line)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
        out += "# " + line + '\n';
        from = to + 1;
    }
    out += "schema = 1\n";
    if (!text.inherit.empty()) out += "inherit = " + in_quotes(text.inherit) + '\n';
    if (!text.title.empty()) out += "title = " + in_quotes(text.title) + '\n';
    std::string table;
    for (const FigureSpec& spec : figure_specs())
        for (const Figure& f : text.figures) {
            if (f.table != spec.table || f.key != spec.key) continue;
            if (f.table != table) out += "\n[" + f.table + "]\n";
            table = f.table;
            out += fmt::format("{} = {{ value = {}, ", f.key, f.value);
            if (f.spread) out += fmt::format("spread = {:.6f}, ", *f.spread);
            out += "source = " + in_quotes(f.source) + " }\n";
        }
    return out;
}

}  // namespace warpwright::arch
