// What follows from a ladder once it is read: the variants of a rung, the rungs and values that words choose, the
// variables of an expression.
#include "ladder/ladder.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>

#include "support/closest.hpp"

namespace warpwright::ladder {

const std::string& Argument::of_pass(unsigned pass, bool is_last) const {
    if (!text.empty()) return text;
    if (pass == 0 && !first.empty()) return first;
    if (is_last && !last.empty()) return last;
    const std::string& regular = pass % 2 == 0 ? even : odd;
    if (!regular.empty()) return regular;
    return first.empty() ? last : first;
}

const Buffer* Ladder::buffer(std::string_view wanted) const {
    for (const Buffer& b : buffers)
        if (b.name == wanted) return &b;
    return nullptr;
}

namespace {

AxisValue axis_value(const std::string& text) {
    std::int64_t number = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size()) return {text, static_cast<double>(number)};
    return {text, std::nullopt};
}

Result<std::vector<AxisValue>> chosen_values(const Axis& axis, const std::vector<std::string>& words) {
    std::vector<AxisValue> out;
    for (const std::string& word : words) {
        AxisValue value = axis_value(word);
        if (!takes(axis, word)) {
            std::string hint = "values:";
            for (const AxisValue& v : axis.values) hint += " " + v.text;
            return Error{ErrorKind::usage, "the axis '" + axis.name + "' has no value '" + word + "'", Location{},
                         hint};
        }
        out.push_back(std::move(value));
    }
    return out;
}

}  // namespace

bool takes(const Axis& axis, const std::string& word) {
    const AxisValue value = axis_value(word);
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) return true;
    return value.number &&
           std::all_of(axis.values.begin(), axis.values.end(), [](const AxisValue& v) { return v.number.has_value(); });
}

Result<std::vector<Variant>> variants(const Ladder& ladder, const Rung& rung,
                                      const std::map<std::string, std::vector<std::string>>& chosen) {
    std::vector<Variant> out{{}};
    auto extend = [&](const Axis& axis) -> Result<void> {
        std::vector<AxisValue> values = axis.values;
        if (auto it = chosen.find(axis.name); it != chosen.end()) {
            auto narrowed = chosen_values(axis, it->second);
            if (!narrowed) return std::move(narrowed).error();
            values = std::move(*narrowed);
        }
        std::vector<Variant> longer;
        for (const Variant& v : out)
            for (const AxisValue& value : values) {
                longer.push_back(v);
                longer.back().emplace_back(axis.name, value);
            }
        out = std::move(longer);
        return {};
    };
    for (const Axis& axis : ladder.axes)
        if (auto ok = extend(axis); !ok) return std::move(ok).error();
    for (const Axis& axis : rung.axes)
        if (auto ok = extend(axis); !ok) return std::move(ok).error();
    return out;
}

namespace {

/// The regular expression of a word "/.../"; absent where it is none.
Result<std::optional<std::regex>> expression_of(const std::string& word) try {
    if (word.size() < 3 || word.front() != '/' || word.back() != '/') return std::optional<std::regex>{};
    return std::optional<std::regex>(std::regex(word.substr(1, word.size() - 2)));
} catch (const std::regex_error&) {
    return Error{ErrorKind::usage, word + " is not a regular expression", Location{}, "/tiled|naive/ is one"};
}

}  // namespace

Result<std::vector<const Rung*>> select_rungs(const Ladder& ladder, const std::vector<std::string>& words) {
    std::vector<const Rung*> out;
    std::vector<bool> taken(ladder.rungs.size(), words.empty());
    for (const std::string& word : words) {
        bool any = false;
        const AxisValue as_number = axis_value(word);
        auto expression = expression_of(word);
        if (!expression) return std::move(expression).error();
        const auto meant = [&](const Rung& r) {
            if (*expression) return std::regex_search(r.name, **expression);
            if (as_number.number) return r.number == *as_number.number;
            return fnmatch(word.c_str(), r.name.c_str(), 0) == 0;
        };
        for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
            if (meant(ladder.rungs[i])) taken[i] = any = true;
        if (any) continue;
        std::vector<std::string> names;
        for (const Rung& r : ladder.rungs) names.push_back(r.name);
        std::string hint = did_you_mean(word, names);
        hint += hint.empty() ? "rungs:" : " rungs:";
        for (const std::string& name : names) hint += " " + name;
        return Error{ErrorKind::usage, "no rung of the ladder '" + ladder.name + "' is called '" + word + "'",
                     Location{}, hint};
    }
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (taken[i]) out.push_back(&ladder.rungs[i]);
    return out;
}

std::string word_of(const std::string& text, const Variant& variant) {
    for (const auto& [name, value] : variant)
        if (name == text) return value.text;
    return text;
}

Result<Variables> variables_of(const Ladder& ladder, const Rung& rung, const std::vector<std::int64_t>& size,
                               const Variant& variant) {
    Variables out;
    if (size.size() != ladder.size_names.size())
        return Error{ErrorKind::usage,
                     "the ladder '" + ladder.name + "' has " + std::to_string(ladder.size_names.size()) + " sizes",
                     Location{}, ""};
    for (std::size_t i = 0; i < size.size(); ++i) out[ladder.size_names[i]] = static_cast<double>(size[i]);
    for (const auto& [name, value] : variant) {
        if (value.number) out[name] = *value.number;
        for (const std::vector<Axis>* axes : {&ladder.axes, &rung.axes})
            for (const Axis& axis : *axes)
                if (axis.name == name)
                    for (const AxisValue& word : axis.values)
                        if (!word.number) out[name + "_" + word.text] = word.text == value.text;
        if (auto element = values::parse_element(value.text)) {
            out["sizeof_" + name] = values::element_size(*element);
            out["unit_" + name] = values::unit_roundoff(*element);
        }
    }
    for (const auto& [name, expression] : rung.let) {
        auto value = expression.real(out);
        if (!value) return std::move(value).error();
        out[name] = *value;
    }
    return out;
}

}  // namespace warpwright::ladder
