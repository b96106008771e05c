// The launches of a rung in ladder.toml: extents, arguments, tensor maps.
#include <fmt/format.h>

#include "ladder/ladder_parser.hpp"

namespace warpwright::ladder {

std::array<Expression, 3> LadderParser::extent(const toml::node* node, std::string_view key) {
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

std::vector<Expression> LadderParser::list(const toml::table& t, const char* key, std::size_t most) {
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

Argument LadderParser::tensor_map(const toml::table& t) {
    reader_.keys(t, {"tensor_map", "size", "box", "swizzle", "stride", "type"}, "a tensor map");
    Argument a;
    a.where = reader_.at(t);
    TensorMapArgument& m = a.map.emplace();
    m.buffer = required_text(t, "tensor_map");
    if (const toml::table* by_axis = t["type"].as_table())
        types_by_axis(*by_axis, m.type, m.types, true);
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

Argument LadderParser::argument(const toml::node& node) {
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
        if (a.even.empty() && a.first.empty()) reader_.fail(a.where, "the argument says nothing for the first pass");
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

Launch LadderParser::launch(const Layers& layers, const Location& where) {
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
    bool once = repeat && repeat->is_boolean() && !repeat->as_boolean()->get();  // false undoes what [defaults] says
    if (auto* t = once ? nullptr : reader_.table(repeat, "repeat")) {
        reader_.keys(*t, {"variable", "start", "next"}, "'repeat'");
        Repeat r;
        r.variable = required_text(*t, "variable");
        auto start = reader_.expression(t->get("start"), "start"), next = reader_.expression(t->get("next"), "next");
        if (!start || !next)
            reader_.fail(reader_.at(*t), "'repeat' needs 'start' and 'next'");
        else
            r.start = *start, r.next = *next;
        l.repeat = std::move(r);
    }
    return l;
}

}  // namespace warpwright::ladder
