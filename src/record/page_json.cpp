// Each type lists its members once, in members(); the writer and the reader both use them.
#include "record/page_json.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "record/metrics.hpp"
#include "record/page_texts.hpp"
#include "text/words.hpp"

namespace warpwright::record {
namespace {

using Json = nlohmann::ordered_json;

/// Caught where reading ends; never leaves this file.
struct Wrong {
    std::string path, what;
};

template <class E>
std::span<const std::pair<E, const char*>> names();
template <>
std::span<const std::pair<Basis, const char*>> names() {
    static constexpr std::pair<Basis, const char*> all[] = {{Basis::counted, "counted"},
                                                            {Basis::measured, "measured"},
                                                            {Basis::predicted, "predicted"},
                                                            {Basis::computed, "computed"},
                                                            {Basis::quoted, "quoted"}};
    return all;
}
template <>
std::span<const std::pair<PlotKind, const char*>> names() {
    static constexpr std::pair<PlotKind, const char*> all[] = {
        {PlotKind::line, "line"}, {PlotKind::bar, "bar"}, {PlotKind::scatter, "scatter"}};
    return all;
}
template <>
std::span<const std::pair<ParagraphKind, const char*>> names() {
    static constexpr std::pair<ParagraphKind, const char*> all[] = {
        {ParagraphKind::text, "text"}, {ParagraphKind::note, "note"}, {ParagraphKind::warning, "warning"}};
    return all;
}
template <>
std::span<const std::pair<Count, const char*>> names() {
    static constexpr std::pair<Count, const char*> all[] = {
#define WARPWRIGHT_COUNT(key, ...) {Count::key, #key},
#define WARPWRIGHT_SYNONYM(key, count, meaning) {Count::count, #key},
#include "record/metrics.inc"
    };
    return all;
}

template <class A>
void members(A& a, shown::Column& c) {
    a("name", c.name), a("unit", c.unit), a("basis", c.basis), a("digits", c.digits, 3), a("heat", c.heat);
    a("hottest", c.hottest);
}
template <class A>
void members(A& a, shown::Table& t) {
    a("id", t.id), a("title", t.title), a("columns", t.columns), a("rows", t.rows), a("caption", t.caption);
}
template <class A>
void members(A& a, shown::Series& s) {
    a("name", s.name), a("basis", s.basis), a("x", s.x), a("y", s.y), a("spread", s.spread);
}
template <class A>
void members(A& a, shown::Plot& p) {
    a("id", p.id), a("title", p.title), a("shape", p.kind), a("x_label", p.x_label), a("y_label", p.y_label);
    a("x_unit", p.x_unit), a("y_unit", p.y_unit);
    a("x_log", p.x_log), a("y_log", p.y_log), a("categories", p.categories), a("series", p.series),
        a("caption", p.caption);
}
template <class A>
void members(A& a, shown::Cell& c) {
    a("text", c.text), a("tone", c.tone, -1), a("heat", c.heat), a("hover", c.hover);
}
template <class A>
void members(A& a, shown::Legend& l) {
    a("tone", l.tone), a("text", l.text);
}
template <class A>
void members(A& a, shown::CellMap& m) {
    a("id", m.id), a("title", m.title), a("column_names", m.column_names), a("row_names", m.row_names);
    a("rows", m.rows), a("legend", m.legend), a("caption", m.caption), a("png", m.png);
}
template <class A>
void members(A& a, shown::Span& s) {
    a("begin", s.begin), a("end", s.end), a("label", s.label), a("tone", s.tone);
}
template <class A>
void members(A& a, shown::Lane& l) {
    a("name", l.name), a("spans", l.spans);
}
template <class A>
void members(A& a, shown::Timeline& t) {
    a("id", t.id), a("title", t.title), a("unit", t.unit), a("basis", t.basis), a("lanes", t.lanes);
    a("legend", t.legend), a("caption", t.caption);
}
template <class A>
void members(A& a, LineCounts& l) {
    a("file", l.file), a("line", l.line), a("counts", l.counts);
}
template <class A>
void members(A& a, PredictedLine& l) {
    a("file", l.file), a("line", l.line), a("stalls", l.stalls);
}
template <class A>
void members(A& a, shown::Listing& l) {
    a("id", l.id), a("title", l.title), a("language", l.language), a("file", l.file), a("text", l.text);
    a("first_line", l.first_line), a("shown", l.shown), a("lines", l.lines);
    a("stalls", l.stalls), a("stood", l.stood);
}
template <class A>
void members(A& a, shown::Paragraph& p) {
    a("role", p.kind), a("text", p.text);
}
template <class A>
void members(A& a, shown::Section& s) {
    a("heading", s.heading), a("blocks", s.blocks);
}
template <class A>
void members(A& a, shown::Question& q) {
    a("question", q.question), a("answer", q.answer);
}
template <class A>
void members(A& a, shown::Page& p) {
    a("id", p.id), a("title", p.title), a("front", p.front), a("purpose", p.purpose), a("task", p.task);
    a("sources", p.sources);
    a("sections", p.sections), a("conclusions", p.conclusions), a("recommendations", p.recommendations);
    a("questions", p.questions), a("corrections", p.corrections), a("repeat", p.repeat), a("problems", p.problems),
        a("records", p.records);
}

const char* kind_of(const shown::Block& block) {
    static constexpr const char* kinds[] = {"paragraph", "table", "plot", "cells", "timeline", "listing"};
    return kinds[block.index()];
}

class Writer {
public:
    Json out = Json::object();

    template <class T>
    void operator()(const char* key, const T& value) {
        Json node = write(value);
        const bool nothing = node.is_null() ||
                             ((node.is_string() || node.is_array() || node.is_object()) && node.empty()) ||
                             node == Json(false);
        if (!nothing) out[key] = std::move(node);
    }
    void operator()(const char* key, int value, int usual) {
        if (value != usual) out[key] = value;
    }

private:
    static Json write(const std::string& v) { return v; }
    static Json write(bool v) { return v; }
    static Json write(int v) { return v; }
    static Json write(unsigned v) { return v; }
    static Json write(double v) { return std::isfinite(v) ? Json(v) : Json(); }
    static Json write(const shown::Scalar& v) {
        if (const auto* whole = std::get_if<std::int64_t>(&v)) return *whole;
        if (const auto* real = std::get_if<double>(&v)) return write(*real);
        if (const auto* text = std::get_if<std::string>(&v)) return *text;
        return {};
    }
    template <class E>
        requires std::is_enum_v<E>
    static Json write(E v) {
        for (const auto& [value, name] : names<E>())
            if (value == v) return name;
        return {};
    }
    template <class T>
    static Json write(const std::optional<T>& v) {
        return v ? write(*v) : Json();
    }
    /// Most of a line's counts are zero.
    static Json write(const Counts& counts) {
        Json out = Json::object();
        for (const CountName& name : count_names())
            if (counts[name.count] != 0) out[std::string(name.key)] = counts[name.count];
        return out;
    }
    static Json write(const std::map<std::string, double>& all) {
        Json out = Json::object();
        for (const auto& [name, value] : all) out[name] = value;
        return out;
    }
    static Json write(const std::vector<Record>& records) {
        return records.empty() ? Json() : Json::parse(to_json(RecordSet{{}, records}))["records"];
    }
    static Json write(const shown::Block& block) {
        Json node = {{"kind", kind_of(block)}};
        node.update(std::visit([](const auto& b) { return write(b); }, block));
        return node;
    }
    template <class T>
    static Json write(const std::vector<T>& all) {
        Json out = Json::array();
        for (const T& one : all) out.push_back(write(one));
        return out;
    }
    template <class T>
        requires requires(Writer& w, T& t) { members(w, t); }
    static Json write(const T& value) {
        Writer inner;
        members(inner, const_cast<T&>(value));  // a Writer only reads
        return std::move(inner.out);
    }
};

class Reader {
public:
    Reader(const Json& node, std::string path) : node_(node), path_(std::move(path)) {
        if (!node.is_object()) throw Wrong{path_, "must be an object"};
    }

    template <class T>
    void operator()(const char* key, T& value) {
        const auto it = node_.find(key);
        if (it != node_.end() && !it->is_null()) read(*it, fmt::format("{}.{}", path_, key), value);
    }
    void operator()(const char* key, int& value, int usual) {
        value = usual;
        (*this)(key, value);
    }

private:
    static void read(const Json& n, const std::string& path, std::string& v) {
        if (!n.is_string()) throw Wrong{path, "must be a string"};
        v = n.get<std::string>();
    }
    static void read(const Json& n, const std::string& path, bool& v) {
        if (!n.is_boolean()) throw Wrong{path, "must be true or false"};
        v = n.get<bool>();
    }
    template <class T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    static void read(const Json& n, const std::string& path, T& v) {
        const bool fits = n.is_number_unsigned()
                              ? n.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<T>::max())
                              : n.is_number_integer() && std::is_signed_v<T> &&
                                    n.get<std::int64_t>() >= std::int64_t(std::numeric_limits<T>::min());
        if (!fits) throw Wrong{path, "must be a whole number in range"};
        v = n.get<T>();
    }
    static void read(const Json& n, const std::string& path, double& v) {
        if (n.is_null()) return void(v = std::numeric_limits<double>::quiet_NaN());
        if (!n.is_number()) throw Wrong{path, "must be a number"};
        v = n.get<double>();
    }
    static void read(const Json& n, const std::string& path, shown::Scalar& v) {
        if (n.is_null())
            v = std::monostate{};
        else if (n.is_number_integer())
            read(n, path, v.emplace<std::int64_t>());
        else if (n.is_number())
            v = n.get<double>();
        else
            read(n, path, v.emplace<std::string>());
    }
    template <class E>
        requires std::is_enum_v<E>
    static void read(const Json& n, const std::string& path, E& v) {
        std::string text;
        read(n, path, text);
        for (const auto& [value, name] : names<E>())
            if (text == name) return void(v = value);
        throw Wrong{path, "has no meaning '" + text + "'"};
    }
    template <class T>
    static void read(const Json& n, const std::string& path, std::optional<T>& v) {
        read(n, path, v.emplace());
    }
    static void read(const Json& n, const std::string& path, Counts& counts) {
        Reader inner(n, path);
        for (unsigned i = 0; i < kCounts; ++i) inner(std::string(count_key(Count(i))).c_str(), counts.values[i]);
    }
    static void read(const Json& n, const std::string& path, std::map<std::string, double>& all) {
        if (!n.is_object()) throw Wrong{path, "must be an object"};
        for (const auto& [name, value] : n.items()) read(value, fmt::format("{}.{}", path, name), all[name]);
    }
    static void read(const Json& n, const std::string& path, std::vector<Record>& records) {
        const Json set = {{"schema", kSchema}, {"records", n}};
        auto read = from_json(set.dump(), "");
        if (!read) throw Wrong{path, read.error().what};
        records = std::move(read->records);
    }
    static void read(const Json& n, const std::string& path, shown::Block& block) {
        std::string kind;
        Reader(n, path)("kind", kind);
        for (shown::Block empty :
             {shown::Block(shown::Paragraph{}), shown::Block(shown::Table{}), shown::Block(shown::Plot{}),
              shown::Block(shown::CellMap{}), shown::Block(shown::Timeline{}), shown::Block(shown::Listing{})})
            if (kind == kind_of(empty)) {
                block = std::move(empty);
                return std::visit([&](auto& b) { read(n, path, b); }, block);
            }
        throw Wrong{path + ".kind", "has no meaning '" + kind + "'"};
    }
    template <class T>
    static void read(const Json& n, const std::string& path, std::vector<T>& all) {
        if (!n.is_array()) throw Wrong{path, "must be a list"};
        all.resize(n.size());
        for (std::size_t i = 0; i < n.size(); ++i) read(n[i], fmt::format("{}[{}]", path, i), all[i]);
    }
    template <class T>
        requires requires(Reader& r, T& t) { members(r, t); }
    static void read(const Json& n, const std::string& path, T& value) {
        Reader inner(n, path);
        members(inner, value);
    }

    const Json& node_;
    std::string path_;
};

/// Conditions on which printers rely, whatever a file says.
void check(const shown::Page& page, const std::string& path) {
    for (std::size_t s = 0; s < page.sections.size(); ++s)
        for (std::size_t b = 0; b < page.sections[s].blocks.size(); ++b) {
            const std::string at = fmt::format("{}.sections[{}].blocks[{}]", path, s, b);
            const shown::Block& block = page.sections[s].blocks[b];
            if (const auto* table = std::get_if<shown::Table>(&block))
                for (const auto& row : table->rows)
                    if (row.size() != table->columns.size())
                        throw Wrong{at + ".rows", "must be as wide as the columns"};
            if (const auto* plot = std::get_if<shown::Plot>(&block))
                for (const shown::Series& one : plot->series)
                    if (one.x.size() != one.y.size() || (!one.spread.empty() && one.spread.size() != one.y.size()))
                        throw Wrong{at + ".series", "must have as many x as y, and as many spreads or none"};
        }
}

using Translations = std::map<std::string, std::map<std::string, std::string>>;

std::vector<std::string> texts_of(const shown::Report& report) {
    std::vector<std::string> out;
    mapped<std::string>(report, [&](const std::string& text) -> std::string { return out.emplace_back(text); });
    return out;
}

/// Words of that language; where there are no texts of it, those that show what a file has in it.
Words words_of(const Words& words, const std::string& language) {
    const std::vector<std::string> known = words.all_languages();
    const bool has = std::find(known.begin(), known.end(), language) != known.end();
    return has ? words.in(language) : Words::of(language, words.texts());
}

/// Each text of the report in the other languages, by its wording in the report's own.
Translations translations_of(const Report& report, const shown::Report& own, const Words& words) {
    Translations out;
    std::vector<std::string> languages = languages_of(report);  // of a file, which has these and no others
    if (languages.size() < 2) languages = words.all_languages();
    const std::vector<std::string> own_texts = texts_of(own);
    for (const std::string& language : languages) {
        if (language == report.language) continue;
        std::map<std::string, std::string>& texts = out[language];
        std::set<std::string> names;  // the same in both languages, such as a rung's "sequential"
        const std::vector<std::string> others = texts_of(in_language(report, words_of(words, language)));
        for (std::size_t i = 0; i < others.size(); ++i)
            if (own_texts[i] != others[i])
                texts[own_texts[i]] = others[i];
            else
                names.insert(own_texts[i]);
        // The file has each text once: a word that is a name elsewhere stays as it is rather than the name being
        // translated.
        for (const std::string& name : names) texts.erase(name);
    }
    return out;
}

/// The report with the wordings of other languages that the file has.
Report with_translations(const Json& node, const shown::Report& report) {
    Translations all;
    if (!node.is_object()) throw Wrong{"report.translations", "must be an object"};
    for (const auto& [language, texts] : node.items()) {
        if (!texts.is_object()) throw Wrong{"report.translations." + language, "must be an object"};
        for (const auto& [own, other] : texts.items()) {
            if (!other.is_string()) throw Wrong{"report.translations." + language, "must hold strings"};
            all[language][own] = other.get<std::string>();
        }
    }
    return mapped<Text>(report, [&](const std::string& text) {
        std::vector<std::pair<std::string, std::string>> wordings{{report.language, text}};
        for (const auto& [language, texts] : all) {
            const auto it = texts.find(text);
            wordings.emplace_back(language, it == texts.end() ? text : it->second);
        }
        return of_wordings(std::move(wordings));
    });
}

}  // namespace

std::string to_json(const Report& all_languages, const Words& words) {
    const shown::Report report = in_language(all_languages, words_of(words, all_languages.language));
    const Translations translations = translations_of(all_languages, report, words);
    Json pages = Json::array();
    for (const shown::Page& page : report.pages) {
        Writer writer;
        members(writer, const_cast<shown::Page&>(page));
        pages.push_back(std::move(writer.out));
    }
    const Json environment = Json::parse(to_json(RecordSet{report.environment, {}}))["environment"];
    Json root = {{"schema", kSchema},
                 {"environment", environment},
                 {"report",
                  {{"language", report.language},
                   {"title", report.title},
                   {"complete", report.complete},
                   {"pages", std::move(pages)}}}};
    if (!translations.empty()) root["report"]["translations"] = translations;
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Report> report_from_json(const std::string& text, const std::string& file) {
    Error error{ErrorKind::input, "", Location{file, 0, 0}, ""};
    try {
        const Json root = Json::parse(text);
        if (!root.is_object() || !root.contains("report"))
            throw Wrong{"report", "is missing: this is not a report of the laboratory"};
        const Json set = {{"schema", root.value("schema", Json())},
                          {"environment", root.value("environment", Json::object())},
                          {"records", Json::array()}};
        auto environment = from_json(set.dump(), file);
        if (!environment) return std::move(environment).error();
        shown::Report out;
        out.environment = std::move(environment->environment);
        Reader reader(root["report"], "report");
        reader("language", out.language), reader("title", out.title), reader("complete", out.complete);
        const Json pages = root["report"].value("pages", Json::array());
        if (!pages.is_array()) throw Wrong{"report.pages", "must be a list"};
        for (std::size_t i = 0; i < pages.size(); ++i) {
            const std::string path = fmt::format("report.pages[{}]", i);
            Reader page(pages[i], path);
            members(page, out.pages.emplace_back());
            check(out.pages.back(), path);
        }
        return with_translations(root["report"].value("translations", Json::object()), out);
    } catch (const Json::parse_error& e) {
        error.what = "not JSON";
        const std::size_t end = std::min(e.byte > 0 ? e.byte - 1 : 0, text.size());
        error.where.line = 1 + unsigned(std::count(text.begin(), text.begin() + std::ptrdiff_t(end), '\n'));
        const std::size_t start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
        error.where.column = unsigned(start == std::string::npos ? end + 1 : end - start);
    } catch (const Json::exception& e) {
        error.what = e.what();
    } catch (const Wrong& wrong) {
        error.what = fmt::format("'{}' {}", wrong.path, wrong.what);
    }
    return error;
}

bool is_report_json(const std::string& text) {
    const Json root = Json::parse(text, nullptr, false);
    return root.is_object() && root.contains("report");
}

}  // namespace warpwright::record
