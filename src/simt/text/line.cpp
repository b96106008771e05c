// Blanks separate words, and a comment begins with a semicolon. The comment "glue" alone has a meaning: it marks an
// instruction that is not counted.
#include "simt/text/line.hpp"

namespace warpwright::simt::text {

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> out;
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        std::string_view rest = text.substr(at, end - at);
        at = end + 1;
        Line line;
        line.number = ++number;
        if (const auto comment = rest.find(';'); comment != std::string_view::npos) {
            const auto said = rest.substr(comment + 1);
            line.glue = said == "glue" || said.starts_with("glue ");
            rest = rest.substr(0, comment);
        }
        while (!rest.empty()) {
            const auto space = std::min(rest.find(' '), rest.size());
            Word word{rest.substr(0, space)};
            rest = rest.substr(std::min(space + 1, rest.size()));
            if (word.text.ends_with(',')) word.text.remove_suffix(1), word.comma = true;
            if (!word.text.empty()) line.words.push_back(word);
        }
        if (!line.words.empty()) out.push_back(std::move(line));
    }
    return out;
}

std::optional<std::uint32_t> numbered(std::string_view word, std::string_view prefix) {
    const auto digits = behind(word, prefix);
    return digits ? number_from<std::uint32_t>(*digits) : std::nullopt;
}

std::optional<std::string_view> behind(std::string_view word, std::string_view prefix) {
    if (!word.starts_with(prefix)) return std::nullopt;
    return word.substr(prefix.size());
}

std::optional<std::int64_t> offset_from(std::string_view text) {
    if (text.empty()) return 0;
    if (text[0] == '-') return number_from<std::int64_t>(text);
    return text[0] == '+' && text.substr(1, 1) != "-" ? number_from<std::int64_t>(text.substr(1)) : std::nullopt;
}

std::optional<Operand> operand_from(std::string_view text) {
    Operand o;
    if (text == "undef") return o;
    if (const bool not_it = text.starts_with('!'); not_it || text.starts_with('v')) {
        const auto value = numbered(text.substr(not_it ? 1 : 0), "v");
        if (!value) return std::nullopt;
        o = Operand::of(*value);
        o.negated = not_it;
        return o;
    }
    for (const char letter : {'f', 'd'})
        if (text.size() > 2 && text[0] == '0' && text[1] == letter) {
            const auto bits = number_from<std::uint64_t>(text.substr(2), 16);
            if (!bits) return std::nullopt;
            o.kind = Operand::Kind::real;
            o.f32_bits = letter == 'f';
            o.bits = *bits;
            return o;
        }
    const auto number = number_from<std::int64_t>(text);
    if (!number) return std::nullopt;
    return Operand::integer(static_cast<std::uint64_t>(*number));
}

}  // namespace warpwright::simt::text
