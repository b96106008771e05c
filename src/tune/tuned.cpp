// Reads, writes, finds and replaces entries of tuned values. An entry that no longer fits its ladder is an error that
// names it, never a value applied to another axis.
#include "tune/tuned.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <set>

#include "support/toml_text.hpp"

namespace warpwright::tune {

namespace {

constexpr const char* kWayOn =
    "`warpwright tune` writes this file anew where it is removed; lab --no-tuned leaves it out";

constexpr int kSchema = 1;

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\', out += c;
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string table_text(const Choices& choices) {
    std::string out;
    for (const auto& [name, value] : choices) out += (out.empty() ? "" : ", ") + quoted(name) + " = " + quoted(value);
    return "{ " + out + (out.empty() ? "}" : " }");
}

/// Keeps the first problem, with its line.
class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {}
    const std::optional<Error>& error() const { return error_; }
    void fail(const toml::source_region& at, std::string what) {
        if (!error_)
            error_ = Error{
                ErrorKind::input, std::move(what),
                Location{file_, static_cast<unsigned>(at.begin.line), static_cast<unsigned>(at.begin.column)}, kWayOn};
    }
    Location at(const toml::node& node) const {
        return Location{file_, static_cast<unsigned>(node.source().begin.line),
                        static_cast<unsigned>(node.source().begin.column)};
    }

    std::string text(const toml::table& table, const char* key, bool needed) {
        const toml::node* node = get(table, key, needed);
        if (!node) return {};
        if (auto value = node->value_exact<std::string>()) return *value;
        fail(node->source(), fmt::format("'{}' must be a string", key));
        return {};
    }
    std::uint64_t number(const toml::table& table, const char* key) {
        const toml::node* node = get(table, key, false);
        if (!node) return 0;
        const auto value = node->value_exact<std::int64_t>();
        if (value && *value >= 0) return static_cast<std::uint64_t>(*value);
        fail(node->source(), fmt::format("'{}' must be a number from 0 on", key));
        return 0;
    }
    double seconds(const toml::table& table, const char* key) {
        const toml::node* node = get(table, key, true);
        if (!node) return 0;
        const auto value = node->value<double>();
        if (value && *value > 0) return *value;
        fail(node->source(), fmt::format("'{}' must be a number above 0", key));
        return 0;
    }
    lab::Size size(const toml::table& table) {
        lab::Size out;
        const toml::node* node = get(table, "size", true);
        const toml::array* list = node ? node->as_array() : nullptr;
        if (node && !list) fail(node->source(), "'size' must be a list of numbers");
        for (std::size_t i = 0; list && i < list->size(); ++i) {
            if (auto value = (*list)[i].value_exact<std::int64_t>())
                out.push_back(*value);
            else
                fail((*list)[i].source(), "'size' must be a list of numbers");
        }
        return out;
    }
    Choices choices(const toml::table& table, const char* key, bool needed) {
        Choices out;
        const toml::node* node = get(table, key, needed);
        if (!node) return out;
        const toml::table* of = node->as_table();
        if (!of) return fail(node->source(), fmt::format("'{}' must be a table of axes and values", key)), out;
        for (const auto& [name, value] : *of) {
            if (auto word = value.value_exact<std::string>())
                out.emplace_back(name.str(), *word);
            else if (auto whole = value.value_exact<std::int64_t>())
                out.emplace_back(name.str(), std::to_string(*whole));
            else
                fail(value.source(), fmt::format("the value of '{}' must be a string or a whole number", name.str()));
        }
        return out;
    }

private:
    const toml::node* get(const toml::table& table, const char* key, bool needed) {
        const toml::node* node = table.get(key);
        if (!node && needed) fail(table.source(), fmt::format("'{}' is missing", key));
        return node;
    }
    std::string file_;
    std::optional<Error> error_;
};

bool same(const Choices& a, const Choices& b) {
    return a.size() == b.size() &&
           std::all_of(a.begin(), a.end(), [&](const auto& x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

}  // namespace

std::string choices_text(const Choices& choices) {
    std::string out;
    for (const auto& [name, value] : choices) out += (out.empty() ? "" : " ") + name + "=" + value;
    return out;
}

bool Entry::same_place(const Entry& o) const {
    return ladder == o.ladder && rung == o.rung && size == o.size && same(problem, o.problem) && device == o.device &&
           model == o.model;
}

void set_device(Entry& entry, const record::Environment& environment) {
    entry.device = environment.device_name.empty() ? environment.device : environment.device_name;
    entry.model = environment.device_name.empty() ? environment.model : "";
}

std::string default_tuned_file(const std::string& database) {
    if (database.empty()) return {};
    return (std::filesystem::path(database).parent_path() / "tuned.toml").string();
}

Result<std::vector<Entry>> parse_tuned(const std::string& text, const std::string& file) {
    auto table = read_toml(text, file);
    if (!table) {
        auto error = std::move(table).error();
        error.hint = kWayOn;
        return error;
    }
    const toml::table& root = *table;
    Reader reader(file);
    const auto schema = root["schema"].value<std::int64_t>();
    if (!schema || *schema != kSchema)
        reader.fail(root.source(), fmt::format("is no file of tuned values: 'schema = {}' is missing", kSchema));
    std::vector<Entry> out;
    const toml::node* list = root.get("best");
    const toml::array* entries = list ? list->as_array() : nullptr;
    if (list && !entries) reader.fail(list->source(), "'best' must be a list of tables ([[best]])");
    for (std::size_t i = 0; entries && i < entries->size(); ++i) {
        const toml::node& node = (*entries)[i];
        const toml::table* t = node.as_table();
        if (!t) {
            reader.fail(node.source(), "'best' must be a list of tables ([[best]])");
            break;
        }
        Entry e;
        e.where = reader.at(node);
        e.ladder = reader.text(*t, "ladder", true);
        e.rung = reader.text(*t, "rung", true);
        e.size = reader.size(*t);
        e.problem = reader.choices(*t, "problem", false);
        e.axes = reader.choices(*t, "axes", true);
        e.device = reader.text(*t, "device", true);
        e.model = reader.text(*t, "model", false);
        e.seconds = reader.seconds(*t, "seconds");
        const std::string basis = reader.text(*t, "basis", true);
        if (basis != "measured" && basis != "predicted")
            reader.fail(t->source(), "'basis' must be \"measured\" or \"predicted\"");
        e.measured = basis == "measured";
        e.search = reader.text(*t, "search", false);
        e.tried = reader.number(*t, "tried");
        e.combinations = reader.number(*t, "combinations");
        e.date = reader.text(*t, "date", false);
        e.version = reader.text(*t, "version", false);
        out.push_back(std::move(e));
    }
    if (reader.error()) return *reader.error();
    return out;
}

std::string tuned_text(const std::vector<Entry>& entries) {
    std::string out = fmt::format(
        "# Values of axes that `warpwright tune` found best; `warpwright lab` takes them (--no-tuned: it does not). An "
        "entry is for\n"
        "# one rung, problem, size and device, and the next search of the same takes its place.\n"
        "schema = {}\n",
        kSchema);
    for (const Entry& e : entries) {
        out += fmt::format("\n[[best]]\nladder = {}\nrung = {}\nsize = [{}]\n", quoted(e.ladder), quoted(e.rung),
                           fmt::join(e.size, ", "));
        if (!e.problem.empty()) out += "problem = " + table_text(e.problem) + "\n";
        out += fmt::format("axes = {}\ndevice = {}\n", table_text(e.axes), quoted(e.device));
        if (!e.model.empty()) out += fmt::format("model = {}\n", quoted(e.model));
        out += fmt::format(
            "seconds = {:e}\nbasis = \"{}\"\nsearch = {}\ntried = {}\ncombinations = {}\ndate = {}\nversion = {}\n",
            e.seconds, e.measured ? "measured" : "predicted", quoted(e.search), e.tried, e.combinations, quoted(e.date),
            quoted(e.version));
    }
    return out;
}

void put(std::vector<Entry>& entries, Entry entry) {
    for (Entry& e : entries)
        if (e.same_place(entry)) {
            e = std::move(entry);
            return;
        }
    entries.push_back(std::move(entry));
}

const Entry* find(const std::vector<Entry>& entries, const Entry& place) {
    const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.same_place(place); });
    return it == entries.end() ? nullptr : &*it;
}

namespace {

Error unusable(const Entry& e, const std::string& what) {
    return Error{
        ErrorKind::input,
        fmt::format("the tuned values of the rung '{}' of '{}' cannot be taken: {}", e.rung, e.ladder, what), e.where,
        fmt::format("warpwright tune {} --rung {} finds new ones; lab --no-tuned leaves them out", e.ladder, e.rung)};
}

Result<ladder::Variant> variant_of(const Entry& e, const ladder::Ladder& ladder, const ladder::Rung& rung) {
    lab::Axes fixed;
    for (const auto& [name, value] : e.problem) fixed[name] = {value};
    for (const auto& [name, value] : e.axes) {
        const auto axis =
            std::find_if(rung.axes.begin(), rung.axes.end(), [&](const ladder::Axis& a) { return a.name == name; });
        if (axis == rung.axes.end()) return unusable(e, fmt::format("it has no axis '{}'", name));
        if (!ladder::takes(*axis, value))
            return unusable(e, fmt::format("its axis '{}' has no value '{}'", name, value));
        fixed[name] = {value};
    }
    for (const ladder::Axis& axis : rung.axes)
        if (!fixed.contains(axis.name)) return unusable(e, fmt::format("there is none for its axis '{}'", axis.name));
    auto variants = ladder::variants(ladder, rung, fixed);
    if (!variants) return unusable(e, variants.error().what);
    return std::move(variants->front());
}

}  // namespace

Result<std::vector<Used>> apply(const std::vector<Entry>& entries, const record::Environment& environment,
                                const lab::Axes& chosen, lab::Plan& plan) {
    std::vector<Used> used;
    std::vector<lab::Step> steps;
    const ladder::Ladder& ladder = *plan.ladder;
    std::set<std::pair<std::size_t, const ladder::Rung*>> tuned;  // groups that stand already
    for (lab::Step& step : plan.steps) {
        const ladder::Rung& rung = *step.rung;
        if (tuned.contains({step.problem, &rung})) continue;
        Entry place;
        place.ladder = ladder.name, place.rung = rung.name, place.size = step.size;
        for (std::size_t i = 0; i < ladder.axes.size() && i < step.variant.size(); ++i)
            place.problem.emplace_back(step.variant[i].first, step.variant[i].second.text);
        set_device(place, environment);
        const Entry* entry = rung.axes.empty() ? nullptr : find(entries, place);
        if (!entry) {
            steps.push_back(std::move(step));
            continue;
        }
        const bool overridden = std::any_of(rung.axes.begin(), rung.axes.end(),
                                            [&](const ladder::Axis& a) { return chosen.contains(a.name); });
        if (overridden) {
            const bool told =
                std::any_of(used.begin(), used.end(), [&](const Used& u) { return u.entry.same_place(*entry); });
            if (!told) used.push_back({*entry, true});
            steps.push_back(std::move(step));
            continue;
        }
        auto variant = variant_of(*entry, ladder, rung);
        if (!variant) return std::move(variant).error();
        tuned.insert({step.problem, &rung});
        step.variant = std::move(*variant);
        step.refused.reset();
        steps.push_back(std::move(step));
        used.push_back({*entry, false});
    }
    plan.steps = std::move(steps);
    return used;
}

void note(record::RecordSet& set, const std::vector<Used>& used, const std::string& file) {
    for (record::Record& r : set.records) {
        for (const Used& u : used) {
            if (u.overridden || r.experiment != u.entry.ladder || r.rung != u.entry.rung) continue;
            const auto has = [&](const Choices& choices) {
                return std::all_of(choices.begin(), choices.end(), [&](const auto& c) {
                    return std::any_of(r.axes.begin(), r.axes.end(), [&](const record::Axis& a) {
                        return a.name == c.first && a.text() == c.second;
                    });
                });
            };
            bool fits = has(u.entry.problem) && has(u.entry.axes) && r.axes.size() >= u.entry.size.size();
            for (std::size_t i = 0; fits && i < u.entry.size.size(); ++i)
                fits = r.axes[i].text() == std::to_string(u.entry.size[i]);
            if (!fits) continue;
            r.notes.push_back(fmt::format("{} is tuned ({}, {}): {}", choices_text(u.entry.axes), u.entry.search,
                                          u.entry.measured ? "measured" : "predicted", file));
        }
    }
}

}  // namespace warpwright::tune
