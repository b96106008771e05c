// The [reference] of ladder.toml: what the output is compared with.
#include <fmt/ranges.h>

#include <algorithm>

#include "ladder/ladder_parser.hpp"

namespace warpwright::ladder {

void LadderParser::reference(const toml::table& t) {
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
            return reader_.fail(reader_.at(*t.get("builtin")), "'builtin' is matmul, reduce, sum, transpose or copy");
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

void LadderParser::only_for(const toml::table& t, const char* key, const std::string& is, const char* wanted) {
    if (t.contains(key) && is != wanted)
        reader_.fail(reader_.at(*t.get(key)), fmt::format("'{}' goes with the reference {}", key, wanted));
}

std::string LadderParser::choice(const toml::table& t, const char* key, const std::string& otherwise,
                                 std::initializer_list<std::string_view> words) {
    auto text = reader_.text(t.get(key), key);
    if (!text) return otherwise;
    auto fits = [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    bool fine = fits(*text);
    for (const Axis& a : ladder_.axes)
        if (a.name == *text)
            fine = std::all_of(a.values.begin(), a.values.end(), [&](const AxisValue& v) { return fits(v.text); });
    if (!fine)
        reader_.fail(reader_.at(*t.get(key)),
                     fmt::format("'{}' is {}, or an axis of the ladder with such words", key, fmt::join(words, ", ")));
    return *text;
}

}  // namespace warpwright::ladder
