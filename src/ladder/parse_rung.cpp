// A [[rung]] of ladder.toml: what it runs, for which devices and sizes, and how it is judged.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "ladder/ladder_parser.hpp"

namespace warpwright::ladder {

namespace fs = std::filesystem;

namespace {

std::string squeeze(const std::string& text) {
    std::istringstream in(text);
    std::string out, word;
    while (in >> word) out += (out.empty() ? "" : " ") + word;
    return out;
}

}  // namespace

void LadderParser::rung(const toml::table& t) {
    reader_.keys(t,
                 {"name", "title",   "why",     "source",       "cpu",       "library",         "compute_type",
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
    work(t, layers, r);
    ladder_.rungs.push_back(std::move(r));
}

void LadderParser::work(const toml::table& t, const Layers& layers, Rung& r) {
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
}

void LadderParser::conditions(const toml::table& t, Rung& r) {
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

void LadderParser::units_by_axis(const toml::table& t, Rung& r) {
    for (const auto& [key, node] : t) {
        const std::string word(key.str()), value = reader_.text(&node, word.c_str()).value_or("");
        if (word != "axis") check_unit(value, reader_.at(node), {});
        (word == "axis" ? r.unit : r.unit_by[word]) = value;
    }
    check_words(r.unit, r.unit_by, reader_.at(t));
}

void LadderParser::check_unit(const std::string& text, const Location& where, const std::vector<Axis>& axes) {
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

Tolerance LadderParser::tolerance(const toml::table& t) {
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

void LadderParser::lets(const toml::table& t, Rung& r) {
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

void LadderParser::defines(const toml::table& t, Rung& r) {
    for (auto&& [key, node] : t) {
        auto e = reader_.expression(&node, key.str());
        if (e) r.defines.emplace(key.str(), e->text());
    }
}

}  // namespace warpwright::ladder
