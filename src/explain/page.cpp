// Puts the costs, pictures and better forms of one or several indices on a page, and says in sentences what the figures
// mean.
#include "explain/page.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "counters/rules.hpp"
#include "explain/pictures.hpp"

namespace warpwright::explain {

namespace {

using record::Basis;
using record::Scalar;

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// Locates an error of a single expression; if there are several, by its number.
Error named(Error e, std::size_t which, std::size_t all, const std::string& text) {
    if (e.where.file == "expression")
        e.where.file = all > 1 ? fmt::format("expression {}, '{}'", which + 1, text) : "'" + text + "'";
    return e;
}

class Writer {
public:
    Writer(const Question& q) : q_(q) {}

    Result<record::Page> write() {
        if (q_.expressions.empty()) return Error{ErrorKind::usage, "there is no expression", Location{}, ""};
        if (auto ok = check(q_.setting); !ok) return std::move(ok).error();
        for (std::size_t i = 0; i < q_.expressions.size(); ++i) {
            const std::string& text = q_.expressions[i];
            auto parsed = IndexExpression::parse(text, q_.dims);
            if (!parsed) return named(std::move(parsed).error(), i, q_.expressions.size(), text);
            auto cost = cost_of(*parsed, q_.setting);
            if (!cost) return named(std::move(cost).error(), i, q_.expressions.size(), text);
            expressions_.push_back(std::move(*parsed));
            costs_.push_back(*cost);
        }
        if (auto ok = of_one_array(); !ok) return std::move(ok).error();
        auto fixes = propose(expressions_, q_.setting);
        if (!fixes) return std::move(fixes).error();
        fixes_ = std::move(*fixes);

        page_.id = "explain";
        page_.title = message(key("title"), {{"expression", q_.expressions.front()}});
        page_.purpose = message(key("purpose"));
        page_.task = message(key("task"), {{"block", block()},
                                           {"model", q_.setting.model.title},
                                           {"type", q_.type},
                                           {"bytes", std::int64_t{q_.setting.bytes}}});
        before();
        if (auto drawn = pictures(); !drawn) return std::move(drawn).error();
        better();
        conclude();
        return std::move(page_);
    }

private:
    Result<void> of_one_array() const {
        const std::string& array = expressions_.front().array();
        for (const IndexExpression& e : expressions_) {
            if (e.array() == array) continue;
            // An index alone names no array, so it cannot be said to be of the same one.
            if (array.empty() || e.array().empty())
                return Error{ErrorKind::usage,
                             fmt::format("'{}' names no array, and '{}' does",
                                         array.empty() ? expressions_.front().text() : e.text(),
                                         array.empty() ? e.text() : expressions_.front().text()),
                             Location{}, "write all of them as indices of one array: a[...]"};
            return Error{ErrorKind::usage, fmt::format("'{}' and '{}' are different arrays", array, e.array()),
                         Location{}, "explain one array at a time"};
        }
        return {};
    }
    std::string key(const char* name) const {
        return fmt::format("explain.{}.{}", q_.setting.shared ? "shared" : "global", name);
    }
    std::string block() const {
        const auto& b = q_.setting.block;
        return b[2] > 1 ? fmt::format("{}x{}x{}", b[0], b[1], b[2]) : fmt::format("{}x{}", b[0], b[1]);
    }

    record::Table table(const char* id, const char* title) const {
        record::Table t;
        t.id = id;
        t.title = message(title);
        t.columns = {{message("explain.column.access")},
                     {message("explain.column.requests"), "", Basis::computed},
                     {message(key("column")), "", Basis::computed},
                     {message("explain.column.worst"), "", Basis::computed},
                     {message("explain.column.ideal"), "", Basis::computed}};
        if (q_.setting.shared)
            t.columns.push_back({message("explain.column.conflicts"), "", Basis::computed});
        else
            t.columns.push_back({message("explain.column.share"), "%", Basis::computed});
        return t;
    }
    std::vector<Scalar> row(const std::string& name, const Cost& c) const {
        std::vector<Scalar> out{name, whole(c.requests), whole(c.passes), std::int64_t{c.worst}, whole(c.ideal)};
        if (q_.setting.shared)
            out.emplace_back(whole(c.conflicts));
        else
            out.emplace_back(c.moved ? 100.0 * static_cast<double>(c.wanted) / static_cast<double>(c.moved) : 100.0);
        return out;
    }

    void before() {
        record::Section s{message("explain.section.cost"), {}};
        record::Table t = table("cost", "explain.table.cost");
        for (std::size_t i = 0; i < expressions_.size(); ++i) t.rows.push_back(row(expressions_[i].text(), costs_[i]));
        std::string open;
        for (const IndexExpression& e : expressions_)
            if (auto b = Binding::bind(e, q_.setting))
                for (const std::string& name : b->open())
                    if (open.find(name) == std::string::npos) open += (open.empty() ? "" : ", ") + name;
        if (!open.empty())
            t.caption = message("explain.open", {{"names", open}, {"n", std::int64_t{costs_.front().tried}}});
        s.blocks.emplace_back(std::move(t));
        page_.sections.push_back(std::move(s));
    }

    Result<void> draw(record::Section& s, const IndexExpression& e, const Cost& cost, const Setting& setting,
                      const std::string& id) {
        auto binding = Binding::bind(e, setting);
        if (!binding) return std::move(binding).error();
        const unsigned warp = q_.warp.value_or(cost.worst_warp);
        if (warp >= binding->warps())
            return Error{ErrorKind::usage, fmt::format("there is no warp {}", warp), Location{},
                         fmt::format("the block has {}", binding->warps())};
        auto request = binding->request(warp, 0, q_.warp ? 0 : cost.worst_value);
        if (!request) return std::move(request).error();
        const Text title = message("explain.picture", {{"expression", e.text()}, {"warp", std::int64_t{warp}}});
        s.blocks.emplace_back(setting.shared ? bank_picture(*request, setting, id, title)
                                             : segment_picture(*request, setting, id, title));
        return {};
    }

    Result<void> pictures() {
        record::Section s{message(key("pictures")), {}};
        for (std::size_t i = 0; i < expressions_.size(); ++i)
            if (auto ok = draw(s, expressions_[i], costs_[i], q_.setting, fmt::format("access-{}", i + 1)); !ok)
                return ok;
        page_.sections.push_back(std::move(s));
        return {};
    }

    Text describe(const Fix& f) const {
        static const std::map<Fix::Kind, const char*> names = {{Fix::Kind::padding, "padding"},
                                                               {Fix::Kind::swizzle, "swizzle"},
                                                               {Fix::Kind::exchange, "exchange"},
                                                               {Fix::Kind::align, "align"},
                                                               {Fix::Kind::fields, "fields"}};
        Text text =
            message(fmt::format("explain.fix.{}", names.at(f.kind)), {{"n", f.by}, {"bytes", std::int64_t{f.by}}});
        if (f.kind == Fix::Kind::padding && !f.expressions.front().dims().empty())
            text +=
                ": " + f.expressions.front().array() + fmt::format("[...][{}]", f.expressions.front().dims().back());
        return text;
    }

    void better() {
        if (fixes_.empty()) return;
        record::Section s{message("explain.section.better"), {}};
        record::Table t = table("better", "explain.table.better");
        t.columns.insert(t.columns.begin(), {message("explain.column.change")});
        for (const Fix& f : fixes_)
            for (std::size_t i = 0; i < f.expressions.size(); ++i) {
                std::vector<Scalar> r = row(f.expressions[i].text(), f.costs[i]);
                r.insert(r.begin(), i == 0 ? describe(f) : Text());
                t.rows.push_back(std::move(r));
            }
        t.caption = message("explain.verified");
        s.blocks.emplace_back(std::move(t));
        const Fix& f = fixes_.front();
        Setting setting = q_.setting;
        if (f.kind == Fix::Kind::align || f.kind == Fix::Kind::fields) setting.base += static_cast<std::uint64_t>(f.by);
        for (std::size_t i = 0; i < f.expressions.size(); ++i)
            if (costs_[i].passes > f.costs[i].passes)
                if (auto ok = draw(s, f.expressions[i], f.costs[i], setting, fmt::format("better-{}", i + 1)); !ok)
                    page_.problems.push_back(ok.error().text());
        page_.sections.push_back(std::move(s));
    }

    void conclude() {
        const Cost total = sum(costs_);
        const double each =
            static_cast<double>(total.passes) / static_cast<double>(std::max<std::uint64_t>(1, total.requests));
        const double times =
            static_cast<double>(total.passes) / static_cast<double>(std::max<std::uint64_t>(1, total.ideal));
        const Values figures = {{"passes", whole(total.passes)},
                                {"ideal", whole(total.ideal)},
                                {"each", each},
                                {"worst", std::int64_t{total.worst}},
                                {"times", times},
                                {"moved", whole(total.moved)},
                                {"wanted", whole(total.wanted)},
                                {"model", q_.setting.model.name}};
        page_.conclusions.push_back(
            message(key(total.passes > total.ideal ? "conclusion.worse" : "conclusion.ideal"), figures));
        if (q_.setting.shared && total.passes == total.requests && total.ideal == total.passes && broadcast())
            page_.conclusions.push_back(message("explain.shared.conclusion.broadcast"));
        if (counters::has_wide_banks(q_.setting.model) && q_.setting.shared)
            page_.conclusions.push_back(message(q_.setting.wide_banks ? "explain.mode.wide" : "explain.mode.narrow"));
        if (total.passes <= total.ideal) return;
        if (fixes_.empty()) {
            page_.recommendations.push_back(message("explain.recommend.none"));
            return;
        }
        const Fix& f = fixes_.front();
        std::string all;
        for (const IndexExpression& e : f.expressions) all += (all.empty() ? "`" : ", `") + e.text() + "`";
        page_.recommendations.push_back(
            message(f.total.passes <= f.total.ideal ? "explain.recommend.removes" : "explain.recommend.lessens",
                    {{"change", describe(f)},
                     {"expressions", all},
                     {"before", whole(total.passes)},
                     {"after", whole(f.total.passes)}}));
    }

    /// All lanes of a warp use the same element.
    bool broadcast() const {
        for (const IndexExpression& e : expressions_) {
            auto b = Binding::bind(e, q_.setting);
            auto r = b ? b->request(0) : Result<Request>(b.error());
            if (!r) return false;
            for (unsigned i = 0; i < r->lanes; ++i)
                if ((r->mask >> i & 1) && r->address[i] != r->address[0]) return false;
        }
        return true;
    }

    const Question& q_;
    record::Page page_;
    std::vector<IndexExpression> expressions_;
    std::vector<Cost> costs_;
    std::vector<Fix> fixes_;
};

}  // namespace

unsigned type_bytes(const std::string& type) {
    static const std::map<std::string, unsigned> base = {
        {"char", 1},  {"uchar", 1},   {"int8_t", 1},   {"uint8_t", 1}, {"i8", 1},     {"u8", 1},  {"bool", 1},
        {"short", 2}, {"ushort", 2},  {"half", 2},     {"f16", 2},     {"bf16", 2},   {"i16", 2}, {"u16", 2},
        {"int", 4},   {"uint", 4},    {"unsigned", 4}, {"float", 4},   {"f32", 4},    {"i32", 4}, {"u32", 4},
        {"int32", 4}, {"float32", 4}, {"long", 8},     {"ulong", 8},   {"double", 8}, {"f64", 8}, {"i64", 8},
        {"u64", 8},   {"int64", 8},   {"float64", 8}};
    if (const auto it = base.find(type); it != base.end()) return it->second;
    if (type.size() < 2 || (type.back() != '2' && type.back() != '4')) return 0;
    const auto it = base.find(type.substr(0, type.size() - 1));
    return it == base.end() ? 0 : it->second * static_cast<unsigned>(type.back() - '0');
}

Result<record::Page> explain(const Question& question) { return Writer(question).write(); }

}  // namespace warpwright::explain
