// Converts ladder.toml to a Ladder, with one function per table; the reader keeps the first problem with its place.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "ladder/check_names.hpp"
#include "ladder/ladder.hpp"
#include "ladder/rung_files.hpp"
#include "ladder/toml_reader.hpp"

namespace warpwright::ladder {
namespace {

namespace fs = std::filesystem;

/// A rung's keys, then those of [defaults].
struct Layers {
    std::vector<const toml::table*> tables;
    const toml::node* operator[](std::string_view key) const {
        for (const toml::table* t : tables)
            if (t)
                if (const toml::node* node = t->get(key)) return node;
        return nullptr;
    }
};

#define WARPWRIGHT_LAUNCH_KEYS \
    "entry", "grid", "block", "cluster", "shared", "arguments", "repeat", "cooperative", "programmatic", "ahead"

class Parser {
public:
    explicit Parser(std::string file) : file_(std::move(file)), reader_(file_) {}

    Result<Ladder> run(const toml::table& root) {
        ladder_.file = file_;
        ladder_.folder = fs::path(file_).parent_path().string();
        reader_.keys(root,
                     {"schema", "name", "title", "about", "problem", "axes", "buffer", "reference", "tolerance",
                      "defaults", "rung"},
                     "a ladder");
        auto schema = root.get("schema");
        if (!schema || !schema->is_integer() || schema->as_integer()->get() != 1)
            reader_.fail(schema ? reader_.at(*schema) : Location{file_, 1, 0}, "'schema' must be 1", "add: schema = 1");
        ladder_.name = required_text(root, "name");
        ladder_.title = reader_.text(root.get("title"), "title").value_or(ladder_.name);
        ladder_.about = reader_.text(root.get("about"), "about").value_or("");
        defaults_ = reader_.table(root.get("defaults"), "defaults");
        if (defaults_)
            reader_.keys(*defaults_, {"defines", "let", "flops", "bytes", "tolerance", "unit", WARPWRIGHT_LAUNCH_KEYS},
                         "[defaults]");
        root_ = &root;
        problem();
        if (auto* t = reader_.table(root.get("axes"), "axes")) ladder_.axes = axes(*t);
        usual();
        for (auto* t : reader_.tables(root.get("buffer"), "buffer")) buffer(*t);
        for (auto* t : reader_.tables(root.get("rung"), "rung")) {
            rung(*t);
            if (reader_.error()) break;
        }
        if (ladder_.rungs.empty()) reader_.fail(Location{file_, 1, 0}, "the ladder has no [[rung]]");
        if (auto* t = reader_.table(root.get("reference"), "reference")) reference(*t);
        if (!reader_.error())
            if (auto wrong = check_names(ladder_)) reader_.fail(std::move(*wrong));
        if (reader_.error()) return *reader_.error();
        return std::move(ladder_);
    }

private:
    std::string required_text(const toml::table& table, std::string_view key) {
        auto value = reader_.text(table.get(key), key);
        if (!value && !reader_.error()) reader_.fail(reader_.at(table), "'" + std::string(key) + "' is missing");
        return value.value_or("");
    }

    void problem() {
        auto* t = reader_.table(root_->get("problem"), "problem");
        if (!t) return reader_.fail(Location{file_, 1, 0}, "the table [problem] is missing");
        reader_.keys(*t, {"sizes", "default", "require", "usual"}, "[problem]");
        ladder_.size_names = reader_.texts(t->get("sizes"), "sizes");
        if (ladder_.size_names.empty()) reader_.fail(reader_.at(*t), "'sizes' must name at least one size");
        ladder_.require = reader_.expression(t->get("require"), "require");
        auto* list = t->get("default") ? t->get("default")->as_array() : nullptr;
        if (!list) return reader_.fail(reader_.at(*t), "'default' must be a list of sizes");
        for (const toml::node& item : *list) {
            std::vector<std::int64_t> size;
            if (auto* i = item.as_integer())
                size.assign(ladder_.size_names.size(), i->get());
            else if (auto* tuple = item.as_array())
                for (const toml::node& v : *tuple)
                    if (auto* i = v.as_integer()) size.push_back(i->get());
            const bool negative = std::any_of(size.begin(), size.end(), [](auto v) { return v < 0; });
            if (size.size() != ladder_.size_names.size() || negative)
                return reader_.fail(reader_.at(item),
                                    "a default size is a whole number, or a list of one for each of 'sizes'");
            ladder_.default_sizes.push_back(std::move(size));
        }
    }

    /// `usual = { T = ["f32"] }`: the values of the ladder's axes that run by default.
    void usual() {
        const toml::node* node = root_->at_path("problem.usual").node();
        const toml::table* table = node ? reader_.table(node, "usual") : nullptr;
        for (auto&& [key, words] : table ? *table : toml::table{}) {
            const auto axis = std::ranges::find(ladder_.axes, key.str(), &Axis::name);
            if (axis == ladder_.axes.end())
                return reader_.fail(reader_.at(words), "'" + std::string(key.str()) + "' is no axis of the ladder");
            for (const std::string& word : reader_.texts(&words, axis->name.c_str())) {
                if (std::none_of(axis->values.begin(), axis->values.end(),
                                 [&](const AxisValue& v) { return v.text == word; }))
                    reader_.fail(reader_.at(words), "the axis '" + axis->name + "' has no value '" + word + "'");
                ladder_.usual[axis->name].push_back(word);
            }
        }
    }

    std::vector<Axis> axes(const toml::table& table) {
        std::vector<Axis> out;
        for (auto&& [key, node] : table) {
            Axis axis{std::string(key.str()), {}, reader_.at(key.source())};
            auto* list = node.as_array();
            if (!list || list->empty()) {
                reader_.fail(reader_.at(node), "the axis '" + axis.name + "' must be a list of values");
                continue;
            }
            for (const toml::node& v : *list) {
                if (auto* i = v.as_integer())
                    axis.values.push_back({std::to_string(i->get()), double(i->get())});
                else if (auto* s = v.as_string())
                    axis.values.push_back({s->get(), std::nullopt});
                else
                    reader_.fail(reader_.at(v), "a value of an axis is a whole number or a string");
            }
            out.push_back(std::move(axis));
        }
        // toml++ keeps tables sorted by name; the file's order is what the user sees.
        std::sort(out.begin(), out.end(), [](const Axis& a, const Axis& b) {
            return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
        });
        return out;
    }

    /// `type = { axis = "T", e4m3 = "bf16" }`: the word of an axis chooses; other words represent
    /// themselves.
    template <class Typed>
    void types_by_axis(const toml::table& t, Typed& b, bool tf32 = false) {
        for (const auto& [key, node] : t) {
            const std::string word(key.str());
            const auto text = reader_.text(&node, word).value_or("");
            if (word == "axis")
                b.type = text;
            else if (values::parse_element(text) || (tf32 && text == "tf32"))
                b.types[word] = text;
            else
                reader_.fail(reader_.at(node), "'" + text + "' is no element type");
        }
        check_words(b.type, b.types, reader_.at(t));
    }

    /// For a table by the words of an axis: checks that the axis exists and has the words.
    void check_words(const std::string& name, const std::map<std::string, std::string>& by_word,
                     const Location& where) {
        const auto axis = std::ranges::find(ladder_.axes, name, &Axis::name);
        if (axis == ladder_.axes.end()) return reader_.fail(where, "'axis' must name an axis of the ladder");
        for (const auto& [word, text] : by_word)
            if (std::ranges::find(axis->values, word, &AxisValue::text) == axis->values.end())
                reader_.fail(where, "the axis '" + name + "' has no '" + word + "'");
    }

    void buffer(const toml::table& t) {
        reader_.keys(t, {"name", "type", "count", "contents", "role"}, "[[buffer]]");
        Buffer b;
        b.where = reader_.at(t);
        b.name = required_text(t, "name");
        if (const toml::table* by_axis = t["type"].as_table())
            types_by_axis(*by_axis, b);
        else
            b.type = required_text(t, "type");
        if (auto e = reader_.expression(t.get("count"), "count"))
            b.count = *e;
        else
            reader_.fail(b.where, "'count' is missing");
        std::string role = reader_.text(t.get("role"), "role").value_or("input");
        if (role == "output")
            b.role = Role::output;
        else if (role == "scratch")
            b.role = Role::scratch;
        else if (role != "input")
            reader_.fail(reader_.at(*t.get("role")), "'role' is input, output or scratch");
        if (auto text = reader_.text(t.get("contents"), "contents")) {
            auto c = values::parse_contents(*text, reader_.at(*t.get("contents")));
            if (!c) return reader_.fail(c.error());
            b.contents = *c;
            if (b.contents.kind == values::Contents::Kind::file && fs::path(b.contents.path).is_relative())
                b.contents.path = (fs::path(ladder_.folder) / b.contents.path).string();
            b.filled = true;
        } else if (b.role == Role::input) {
            b.contents.kind = values::Contents::Kind::random;
            b.filled = true;
        }
        const bool axis = std::ranges::find(ladder_.axes, b.type, &Axis::name) != ladder_.axes.end();
        if (const toml::node* type = t.get("type"); type && !b.type.empty() && !axis && !values::parse_element(b.type))
            reader_.fail(reader_.at(*type), "'" + b.type + "' is neither an element type nor an axis");
        if (ladder_.buffer(b.name)) reader_.fail(b.where, "there are two buffers called '" + b.name + "'");
        ladder_.buffers.push_back(std::move(b));
    }

    std::array<Expression, 3> extent(const toml::node* node, std::string_view key) {
        std::array<Expression, 3> out;
        for (auto& e : out) e = *Expression::parse("1");
        if (!node) return out;
        if (auto* list = node->as_array()) {
            if (list->empty() || list->size() > 3)
                reader_.fail(reader_.at(*node), "'" + std::string(key) + "' has one to three entries");
            for (std::size_t i = 0; i < list->size() && i < 3; ++i)
                if (auto e = reader_.expression(list->get(i), key)) out[i] = *e;
        } else if (auto e = reader_.expression(node, key)) {
            out[0] = *e;
        }
        return out;
    }

    std::vector<Expression> list(const toml::table& t, const char* key, std::size_t most) {
        std::vector<Expression> out;
        const toml::node* node = t.get(key);
        if (!node) return out;
        auto* array = node->as_array();
        if (!array || array->size() > most) {
            reader_.fail(reader_.at(*node), fmt::format("'{}' is a list of at most {} expressions", key, most));
            return out;
        }
        for (const toml::node& n : *array)
            if (auto e = reader_.expression(&n, key)) out.push_back(*e);
        return out;
    }

    /// An element type, tf32, or an axis of the ladder or the rung.
    void check_type(const std::string& text, const Location& where, const std::vector<Axis>& axes) {
        for (const std::vector<Axis>* all : {&std::as_const(ladder_.axes), &axes})
            for (const Axis& a : *all)
                if (a.name == text) return;
        if (!values::parse_element(text) && text != "tf32")
            reader_.fail(where, "'" + text + "' is neither an element type nor an axis");
    }

    Argument tensor_map(const toml::table& t) {
        reader_.keys(t, {"tensor_map", "size", "box", "swizzle", "stride", "type"}, "a tensor map");
        Argument a;
        a.where = reader_.at(t);
        TensorMapArgument& m = a.map.emplace();
        m.buffer = required_text(t, "tensor_map");
        if (const toml::table* by_axis = t["type"].as_table())
            types_by_axis(*by_axis, m, true);
        else
            m.type = reader_.text(t.get("type"), "type").value_or("");
        m.size = list(t, "size", 5);
        m.box = list(t, "box", 5);
        m.stride = list(t, "stride", 4);
        if (auto e = reader_.expression(t.get("swizzle"), "swizzle")) m.swizzle = *e;
        if (!ladder_.buffer(m.buffer)) reader_.fail(a.where, "there is no buffer '" + m.buffer + "'");
        if (m.size.empty() || m.box.size() != m.size.size())
            reader_.fail(a.where, "a tensor map needs 'size' and 'box', an entry for each dimension");
        if (!m.stride.empty() && m.stride.size() + 1 != m.size.size())
            reader_.fail(a.where, "'stride' has an entry for each dimension but the first");
        if (!m.type.empty()) check_type(m.type, a.where, rung_axes_);
        return a;
    }

    Argument argument(const toml::node& node) {
        if (auto* t = node.as_table(); t && t->contains("tensor_map")) return tensor_map(*t);
        Argument a;
        a.where = reader_.at(node);
        if (auto* s = node.as_string())
            a.text = s->get();
        else if (auto* i = node.as_integer())
            a.text = std::to_string(i->get());
        else if (auto* f = node.as_floating_point())
            a.text = fmt::format("{:.17g}", f->get());
        else if (auto* t = node.as_table()) {
            reader_.keys(*t, {"first", "last", "even", "odd"}, "an argument");
            a.first = reader_.text(t->get("first"), "first").value_or("");
            a.last = reader_.text(t->get("last"), "last").value_or("");
            a.even = reader_.text(t->get("even"), "even").value_or("");
            a.odd = reader_.text(t->get("odd"), "odd").value_or("");
            if (a.even.empty() && a.first.empty())
                reader_.fail(a.where, "the argument says nothing for the first pass");
        } else {
            reader_.fail(
                a.where,
                "an argument is a buffer's name, an expression, a tensor map, or a table of first, last, even, odd");
        }
        for (const std::string* text : {&a.text, &a.first, &a.last, &a.even, &a.odd})
            if (!text->empty() && !ladder_.buffer(*text))
                if (auto e = Expression::parse(*text, a.where); !e) reader_.fail(e.error());
        return a;
    }

    Launch launch(const Layers& layers, const Location& where) {
        Launch l;
        l.where = where;
        auto entry = reader_.text(layers["entry"], "entry");
        if (!entry) reader_.fail(where, "'entry' (the kernel's name) is missing");
        l.entry = entry.value_or("");
        for (const char* key : {"grid", "block"})
            if (!layers[key]) reader_.fail(where, "'" + std::string(key) + "' is missing");
        l.grid = extent(layers["grid"], "grid");
        l.block = extent(layers["block"], "block");
        if (layers["cluster"]) l.cluster = extent(layers["cluster"], "cluster");
        if (auto e = reader_.expression(layers["shared"], "shared")) l.shared = *e;
        if (auto* node = layers["arguments"]) {
            if (auto* list = node->as_array())
                for (const toml::node& item : *list) l.arguments.push_back(argument(item));
            else
                reader_.fail(reader_.at(*node), "'arguments' must be a list");
        }
        l.cooperative = reader_.boolean(layers["cooperative"], "cooperative", false);
        l.programmatic = reader_.boolean(layers["programmatic"], "programmatic", false);
        l.ahead = reader_.boolean(layers["ahead"], "ahead", false);
        const toml::node* repeat = layers["repeat"];
        bool once =
            repeat && repeat->is_boolean() && !repeat->as_boolean()->get();  // false undoes what [defaults] says
        if (auto* t = once ? nullptr : reader_.table(repeat, "repeat")) {
            reader_.keys(*t, {"variable", "start", "next"}, "'repeat'");
            Repeat r;
            r.variable = required_text(*t, "variable");
            auto start = reader_.expression(t->get("start"), "start"),
                 next = reader_.expression(t->get("next"), "next");
            if (!start || !next)
                reader_.fail(reader_.at(*t), "'repeat' needs 'start' and 'next'");
            else
                r.start = *start, r.next = *next;
            l.repeat = std::move(r);
        }
        return l;
    }

    void rung(const toml::table& t) {
        reader_.keys(
            t, {"name", "title",   "why",     "source",       "cpu",       "library",         "compute_type",
                "unit", "compute", "require", "require_says", "best",      "defines",         "axes",
                "let",  "launch",  "flops",   "bytes",        "tolerance", "known_incorrect", WARPWRIGHT_LAUNCH_KEYS},
            "[[rung]]");
        Rung r;
        r.where = reader_.at(t);
        r.number = static_cast<unsigned>(ladder_.rungs.size()) + 1;
        r.name = required_text(t, "name");
        for (const Rung& other : ladder_.rungs)
            if (other.name == r.name) reader_.fail(r.where, "there are two rungs called '" + r.name + "'");
        r.title = reader_.text(t.get("title"), "title").value_or(r.name);
        r.why = squeeze(reader_.text(t.get("why"), "why").value_or(""));
        r.known_incorrect = reader_.boolean(t.get("known_incorrect"), "known_incorrect", false);
        if (auto* a = reader_.table(t.get("axes"), "axes")) r.axes = axes(*a);
        rung_axes_ = r.axes;
        conditions(t, r);
        for (const Axis& a : r.axes)
            for (const Axis& b : ladder_.axes)
                if (a.name == b.name) reader_.fail(a.where, "'" + a.name + "' is an axis of the whole ladder already");
        Layers layers{{&t, defaults_}};
        if (auto e = reader_.expression(layers["flops"], "flops")) r.flops = *e;
        if (auto e = reader_.expression(layers["bytes"], "bytes")) r.bytes = *e;
        if (auto* table = reader_.table(layers["tolerance"], "tolerance"))
            r.tolerance = tolerance(*table);
        else if (auto* whole = reader_.table(root_->get("tolerance"), "tolerance"))
            r.tolerance = tolerance(*whole);
        for (const toml::table* table :
             {t.get_as<toml::table>("let"), defaults_ ? defaults_->get_as<toml::table>("let") : nullptr})
            if (table) lets(*table, r);
        for (const toml::table* table :
             {t.get_as<toml::table>("defines"), defaults_ ? defaults_->get_as<toml::table>("defines") : nullptr})
            if (table) defines(*table, r);
        auto cpu = reader_.text(t.get("cpu"), "cpu");
        auto source = reader_.text(t.get("source"), "source");
        auto library = reader_.text(t.get("library"), "library");
        if (cpu.has_value() + source.has_value() + library.has_value() != 1) {
            reader_.fail(r.where, "the rung '" + r.name + "' needs one of 'source', 'cpu' and 'library'");
        } else if (library) {
            r.library = *library;
            if (r.library != "cublas" && r.library != "cublaslt" && r.library != "cusparselt" && r.library != "memcpy")
                reader_.fail(reader_.at(*t.get("library")), "'library' is cublas, cublaslt, cusparselt or memcpy");
        } else if (cpu) {
            r.cpu = *cpu;
            if (r.cpu != "serial" && r.cpu != "openmp" && r.cpu != "blas")
                reader_.fail(reader_.at(*t.get("cpu")), "'cpu' is serial, openmp or blas");
        } else {
            fs::path path = fs::path(ladder_.folder) / *source;
            std::error_code ignored;
            if (!fs::is_regular_file(path, ignored))
                reader_.fail(reader_.at(*t.get("source")), "there is no file '" + path.string() + "'");
            r.source = fs::absolute(path, ignored).lexically_normal().string();
            auto list = reader_.tables(t.get("launch"), "launch");
            for (auto* l : list) {
                reader_.keys(*l, {WARPWRIGHT_LAUNCH_KEYS}, "[[rung.launch]]");
                r.launches.push_back(launch(Layers{{l, &t, defaults_}}, reader_.at(*l)));
            }
            if (list.empty()) r.launches.push_back(launch(layers, r.where));
        }
        ladder_.rungs.push_back(std::move(r));
    }

    /// The devices and sizes for which a rung runs.
    void conditions(const toml::table& t, Rung& r) {
        if (const toml::node* node = t.get("compute")) {
            auto* i = node->as_integer();
            if (!i || i->get() < 10 || i->get() > 999)
                reader_.fail(reader_.at(*node), "'compute' is a compute capability as a whole number: 90 for 9.0");
            else
                r.compute = static_cast<int>(i->get());
        }
        r.require = reader_.expression(t.get("require"), "require");
        r.require_says = reader_.text(t.get("require_says"), "require_says").value_or("");
        if (!r.require_says.empty() && !r.require)
            reader_.fail(reader_.at(*t.get("require_says")), "'require_says' goes with 'require'");
        r.best = reader_.boolean(t.get("best"), "best", false);
        r.compute_type = reader_.text(t.get("compute_type"), "compute_type").value_or("");
        if (!r.compute_type.empty() && !t.contains("library"))
            reader_.fail(reader_.at(*t.get("compute_type")), "'compute_type' goes with 'library'");
        if (!r.compute_type.empty() && r.compute_type != "f32_fast")
            check_type(r.compute_type, reader_.at(*t.get("compute_type")), r.axes);
        const bool own = t.contains("unit") || !defaults_ || t.contains("cpu") || t.contains("library");
        const toml::node* unit = own ? t.get("unit") : defaults_->get("unit");
        if (const toml::table* by_axis = unit ? unit->as_table() : nullptr) return units_by_axis(*by_axis, r);
        r.unit = reader_.text(unit, "unit").value_or("");
        if (!r.unit.empty()) check_unit(r.unit, reader_.at(*unit), r.axes);
    }

    /// `unit = { axis = "T", f32 = "tf32" }`: for that word of the axis; the others have the unit of their type.
    void units_by_axis(const toml::table& t, Rung& r) {
        for (const auto& [key, node] : t) {
            const std::string word(key.str()), value = reader_.text(&node, word.c_str()).value_or("");
            if (word != "axis") check_unit(value, reader_.at(node), {});
            (word == "axis" ? r.unit : r.unit_by[word]) = value;
        }
        check_words(r.unit, r.unit_by, reader_.at(t));
    }

    /// A word for a unit, or an axis of them.
    void check_unit(const std::string& text, const Location& where, const std::vector<Axis>& axes) {
        const auto known = [](const std::string& word) {
            return std::ranges::find(unit_words(), word) != unit_words().end();
        };
        const auto fail = [&](const std::string& word) {
            std::string all;
            for (const std::string& w : unit_words()) all += (all.empty() ? "units: " : ", ") + w;
            reader_.fail(where, "there is no unit '" + word + "'", all);
        };
        for (const std::vector<Axis>* list : {&std::as_const(ladder_.axes), &axes})
            for (const Axis& a : *list) {
                if (a.name != text) continue;
                for (const AxisValue& v : a.values)
                    if (!known(v.text)) fail(v.text);
                return;
            }
        if (!known(text)) fail(text);
    }

    Tolerance tolerance(const toml::table& t) {
        reader_.keys(t, {"relative", "to", "rounding"}, "'tolerance'");
        Tolerance out;
        if (auto e = reader_.expression(t.get("relative"), "relative")) out.relative = *e;
        if (auto e = reader_.expression(t.get("rounding"), "rounding")) out.rounding = *e;
        std::string to = reader_.text(t.get("to"), "to").value_or("magnitude");
        if (to == "value")
            out.scale = ToleranceScale::value;
        else if (to == "norm")
            out.scale = ToleranceScale::norm;
        else if (to != "magnitude")
            reader_.fail(reader_.at(*t.get("to")), "'to' is magnitude, value or norm");
        return out;
    }

    void lets(const toml::table& t, Rung& r) {
        std::vector<std::pair<std::string, Expression>> found;
        for (auto&& [key, node] : t)
            if (auto e = reader_.expression(&node, key.str())) found.emplace_back(key.str(), *e);
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second.where().line, a.second.where().column) <
                   std::pair(b.second.where().line, b.second.where().column);
        });
        for (auto& f : found) {
            bool known = false;
            for (auto& have : r.let) known = known || have.first == f.first;
            if (!known) r.let.push_back(std::move(f));
        }
    }

    void defines(const toml::table& t, Rung& r) {
        for (auto&& [key, node] : t) {
            auto e = reader_.expression(&node, key.str());
            if (e) r.defines.emplace(key.str(), e->text());
        }
    }

    void reference(const toml::table& t) {
        reader_.keys(t, {"builtin", "elementwise", "rung", "inputs", "output", "sizes", "layout", "sparse", "op"},
                     "[reference]");
        Reference& r = ladder_.reference;
        r.where = reader_.at(t);
        r.inputs = reader_.texts(t.get("inputs"), "inputs");
        r.output = required_text(t, "output");
        if (auto* list = t.get_as<toml::array>("sizes"))
            for (const toml::node& n : *list)
                if (auto e = reader_.expression(&n, "sizes")) r.sizes.push_back(*e);
        std::size_t inputs = 0, sizes = 0;
        if (t.contains("builtin") + t.contains("elementwise") + t.contains("rung") != 1)
            return reader_.fail(r.where, "[reference] needs one of 'builtin', 'elementwise' and 'rung'");
        if (auto name = reader_.text(t.get("builtin"), "builtin")) {
            if (*name == "matmul")
                r.kind = Reference::Kind::matmul, inputs = 2, sizes = 3;
            else if (*name == "reduce" || *name == "sum")
                r.kind = Reference::Kind::reduce, inputs = 1, sizes = 1;
            else if (*name == "transpose")
                r.kind = Reference::Kind::transpose, inputs = 1, sizes = 2;
            else if (*name == "copy")
                r.kind = Reference::Kind::copy, inputs = 1, sizes = r.sizes.size();
            else
                return reader_.fail(reader_.at(*t.get("builtin")),
                                    "'builtin' is matmul, reduce, sum, transpose or copy");
            if (r.inputs.size() != inputs || r.sizes.size() != sizes)
                reader_.fail(r.where, "the reference '" + *name + "' needs " + std::to_string(inputs) + " inputs and " +
                                          std::to_string(sizes) + " sizes");
            only_for(t, "layout", *name, "matmul");
            only_for(t, "sparse", *name, "matmul");
            only_for(t, "op", *name, "reduce");
            r.layout = choice(t, "layout", r.layout, {"NN", "NT", "TN", "TT"});
            r.op = choice(t, "op", r.op, {"sum", "min", "max"});
            if (auto text = reader_.text(t.get("sparse"), "sparse")) {
                r.sparse = true;
                if (*text != "2:4") reader_.fail(reader_.at(*t.get("sparse")), "'sparse' is 2:4");
            }
        } else if (auto e = reader_.expression(t.get("elementwise"), "elementwise")) {
            r.kind = Reference::Kind::elementwise;
            r.expression = *e;
        } else if (auto name = reader_.text(t.get("rung"), "rung")) {
            r.kind = Reference::Kind::rung;
            r.rung = *name;
            bool found = false;
            for (const Rung& rung : ladder_.rungs) found = found || rung.name == r.rung;
            if (!found) reader_.fail(reader_.at(*t.get("rung")), "there is no rung '" + r.rung + "'");
        }
        for (const std::string& name : r.inputs)
            if (!ladder_.buffer(name)) reader_.fail(r.where, "there is no buffer '" + name + "'");
        const Buffer* out = ladder_.buffer(r.output);
        if (!out || out->role != Role::output) reader_.fail(r.where, "'" + r.output + "' is not an output buffer");
    }

    void only_for(const toml::table& t, const char* key, const std::string& is, const char* wanted) {
        if (t.contains(key) && is != wanted)
            reader_.fail(reader_.at(*t.get(key)), fmt::format("'{}' goes with the reference {}", key, wanted));
    }

    /// One of the words, or an axis of the ladder that has only such words.
    std::string choice(const toml::table& t, const char* key, const std::string& otherwise,
                       std::initializer_list<std::string_view> words) {
        auto text = reader_.text(t.get(key), key);
        if (!text) return otherwise;
        auto fits = [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); };
        bool fine = fits(*text);
        for (const Axis& a : ladder_.axes)
            if (a.name == *text)
                fine = std::all_of(a.values.begin(), a.values.end(), [&](const AxisValue& v) { return fits(v.text); });
        if (!fine)
            reader_.fail(reader_.at(*t.get(key)), fmt::format("'{}' is {}, or an axis of the ladder with such words",
                                                              key, fmt::join(words, ", ")));
        return *text;
    }

    static std::string squeeze(const std::string& text) {
        std::istringstream in(text);
        std::string out, word;
        while (in >> word) out += (out.empty() ? "" : " ") + word;
        return out;
    }

    std::string file_;
    TomlReader reader_;
    Ladder ladder_;
    const toml::table* root_ = nullptr;
    const toml::table* defaults_ = nullptr;
    std::vector<Axis> rung_axes_;  ///< of the rung that is being read
};

}  // namespace

Result<Ladder> parse_ladder(const std::string& text, const std::string& file, const std::vector<RungFile>& rungs) {
    try {
        toml::table root = toml::parse(text, file);
        if (auto ok = insert_rungs(root, rungs); !ok) return std::move(ok).error();
        return Parser(file).run(root);
    } catch (const toml::parse_error& e) {
        Location where{file, static_cast<unsigned>(e.source().begin.line),
                       static_cast<unsigned>(e.source().begin.column)};
        return Error{ErrorKind::input, std::string(e.description()), where, ""};
    }
}

}  // namespace warpwright::ladder
