// Converts ladder.toml to a Ladder: the ladder's own tables, its problem, axes and buffers.
#include <algorithm>
#include <filesystem>

#include "ladder/check_names.hpp"
#include "ladder/ladder_parser.hpp"
#include "ladder/rung_files.hpp"

namespace warpwright::ladder {

namespace fs = std::filesystem;

Result<Ladder> LadderParser::run(const toml::table& root) {
    ladder_.file = file_;
    ladder_.folder = fs::path(file_).parent_path().string();
    reader_.keys(
        root,
        {"schema", "name", "title", "about", "problem", "axes", "buffer", "reference", "tolerance", "defaults", "rung"},
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

std::string LadderParser::required_text(const toml::table& table, std::string_view key) {
    auto value = reader_.text(table.get(key), key);
    if (!value && !reader_.error()) reader_.fail(reader_.at(table), "'" + std::string(key) + "' is missing");
    return value.value_or("");
}

void LadderParser::problem() {
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

void LadderParser::usual() {
    const toml::node* node = root_->at_path("problem.usual").node();
    const toml::table* table = node ? reader_.table(node, "usual") : nullptr;
    for (auto&& [key, words] : table ? *table : toml::table{}) {
        const auto axis = std::ranges::find(ladder_.axes, key.str(), &Axis::name);
        if (axis == ladder_.axes.end())
            return reader_.fail(reader_.at(words), "'" + std::string(key.str()) + "' is not an axis of the ladder");
        for (const std::string& word : reader_.texts(&words, axis->name.c_str())) {
            if (std::none_of(axis->values.begin(), axis->values.end(),
                             [&](const AxisValue& v) { return v.text == word; }))
                reader_.fail(reader_.at(words), "the axis '" + axis->name + "' has no value '" + word + "'");
            ladder_.usual[axis->name].push_back(word);
        }
    }
}

std::vector<Axis> LadderParser::axes(const toml::table& table) {
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

void LadderParser::types_by_axis(const toml::table& t, std::string& type, std::map<std::string, std::string>& types,
                                 bool tf32) {
    for (const auto& [key, node] : t) {
        const std::string word(key.str());
        const auto text = reader_.text(&node, word).value_or("");
        if (word == "axis")
            type = text;
        else if (values::parse_element(text) || (tf32 && text == "tf32"))
            types[word] = text;
        else
            reader_.fail(reader_.at(node), "'" + text + "' is not an element type");
    }
    check_words(type, types, reader_.at(t));
}

void LadderParser::check_words(const std::string& name, const std::map<std::string, std::string>& by_word,
                               const Location& where) {
    const auto axis = std::ranges::find(ladder_.axes, name, &Axis::name);
    if (axis == ladder_.axes.end()) return reader_.fail(where, "'axis' must name an axis of the ladder");
    for (const auto& [word, text] : by_word)
        if (std::ranges::find(axis->values, word, &AxisValue::text) == axis->values.end())
            reader_.fail(where, "the axis '" + name + "' has no '" + word + "'");
}

void LadderParser::buffer(const toml::table& t) {
    reader_.keys(t, {"name", "type", "count", "contents", "role"}, "[[buffer]]");
    Buffer b;
    b.where = reader_.at(t);
    b.name = required_text(t, "name");
    if (const toml::table* by_axis = t["type"].as_table())
        types_by_axis(*by_axis, b.type, b.types);
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

void LadderParser::check_type(const std::string& text, const Location& where, const std::vector<Axis>& axes) {
    for (const std::vector<Axis>* all : {&std::as_const(ladder_.axes), &axes})
        for (const Axis& a : *all)
            if (a.name == text) return;
    if (!values::parse_element(text) && text != "tf32")
        reader_.fail(where, "'" + text + "' is neither an element type nor an axis");
}

Result<Ladder> parse_ladder(const std::string& text, const std::string& file, const std::vector<RungFile>& rungs) {
    auto root = read_toml(text, file);
    if (!root) return std::move(root).error();
    if (auto ok = insert_rungs(*root, rungs); !ok) return std::move(ok).error();
    return LadderParser(file).run(*root);
}

}  // namespace warpwright::ladder
