// The steps of a problem stand together, so that its inputs and its reference are made once. A chosen value that a rung
// does not take is refused for that rung alone, as long as another rung takes it.
#include "lab/sweep/plan.hpp"

#include <algorithm>

#include "support/closest.hpp"

namespace warpwright::lab {
namespace {

Result<void> check_axes(const ladder::Ladder& ladder, const Axes& chosen) {
    for (const auto& [name, values] : chosen) {
        std::vector<std::string> known;
        const auto has = [&](const std::string& one) {
            return std::find(known.begin(), known.end(), one) != known.end();
        };
        const auto look = [&](const std::vector<ladder::Axis>& axes) {
            for (const ladder::Axis& axis : axes)
                if (!has(axis.name)) known.push_back(axis.name);
        };
        look(ladder.axes);
        for (const ladder::Rung& rung : ladder.rungs) look(rung.axes);
        std::string list;
        for (const std::string& one : known) list += (list.empty() ? "axes: " : ", ") + one;
        for (const std::string& size : ladder.size_names) known.push_back(size);
        if (has(name)) continue;
        const std::string guess = did_you_mean(name, known);
        return Error{ErrorKind::usage, "the ladder '" + ladder.name + "' has no axis '" + name + "'", Location{},
                     (guess.empty() ? "" : guess + " ") + (list.empty() ? "it has none" : list)};
    }
    return {};
}

/// The values of a size's dimension, where it was chosen as an axis.
Result<std::vector<Size>> with_axes(const ladder::Ladder& ladder, std::vector<Size> sizes, const Axes& chosen) {
    for (std::size_t d = 0; d < ladder.size_names.size(); ++d) {
        const auto it = chosen.find(ladder.size_names[d]);
        if (it == chosen.end()) continue;
        std::vector<Size> out;
        for (const Size& size : sizes)
            for (const std::string& text : it->second) {
                auto value = parse_whole(text, "size '" + it->first + "=" + text + "'");
                if (!value) return std::move(value).error();
                if (*value < 0)
                    return Error{ErrorKind::usage, "size '" + it->first + "=" + text + "': a size is not negative",
                                 Location{}, ""};
                Size changed = size;
                changed[d] = *value;
                if (std::find(out.begin(), out.end(), changed) == out.end()) out.push_back(std::move(changed));
            }
        sizes = std::move(out);
    }
    return sizes;
}

/// Takes from `chosen` the values that this rung's axes do not take, each with why; those that no chosen rung takes
/// stay.
std::vector<std::pair<std::string, std::string>> take_out(const ladder::Rung& rung,
                                                          const std::vector<const ladder::Rung*>& rungs, Axes& chosen) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const ladder::Axis& axis : rung.axes) {
        const auto it = chosen.find(axis.name);
        if (it == chosen.end()) continue;
        const auto elsewhere = [&](const std::string& word) {
            for (const ladder::Rung* other : rungs)
                for (const ladder::Axis& a : other->axes)
                    if (a.name == axis.name && ladder::takes(a, word)) return true;
            return false;
        };
        std::vector<std::string> kept;
        for (const std::string& word : it->second) {
            if (ladder::takes(axis, word) || !elsewhere(word))
                kept.push_back(word);
            else
                out.emplace_back(axis.name, word);
        }
        it->second = std::move(kept);
    }
    return out;
}

}  // namespace

Result<Plan> make_plan(ladder::Ladder given, const std::vector<std::string>& words, const Axes& axes,
                       const std::vector<Size>& chosen_sizes) {
    Plan plan;
    plan.ladder = std::make_shared<const ladder::Ladder>(std::move(given));
    const ladder::Ladder& ladder = *plan.ladder;
    auto rungs = ladder::select_rungs(ladder, words);
    if (!rungs) return std::move(rungs).error();
    if (auto ok = check_axes(ladder, axes); !ok) return ok.error();
    Axes chosen = axes;
    for (const auto& [name, values] : ladder.usual) chosen.emplace(name, values);  // where nothing was asked for
    const std::vector<Size>& base = chosen_sizes.empty() ? ladder.default_sizes : chosen_sizes;
    for (const Size& size : base)
        if (size.size() != ladder.size_names.size())
            return Error{ErrorKind::usage,
                         "the ladder '" + ladder.name + "' has " + std::to_string(ladder.size_names.size()) + " sizes",
                         Location{}, ""};
    auto sizes = with_axes(ladder, base, axes);
    if (!sizes) return std::move(sizes).error();

    std::vector<Step> of_a_size;
    std::vector<std::string> problems;  // texts of the ladder's axes
    const auto add = [&](const ladder::Rung* rung, ladder::Variant&& v, std::optional<Error> refused) {
        std::string problem;
        for (std::size_t i = 0; i < ladder.axes.size(); ++i) problem += v[i].second.text + " ";
        auto it = std::find(problems.begin(), problems.end(), problem);
        const auto number = static_cast<std::size_t>(it - problems.begin());
        if (it == problems.end()) problems.push_back(problem);
        of_a_size.push_back({rung, std::move(v), {}, std::move(refused), number});
    };
    for (const ladder::Rung* rung : *rungs) {
        Axes of_rung = chosen;
        const auto refused = take_out(*rung, *rungs, of_rung);
        auto variants = ladder::variants(ladder, *rung, of_rung);
        if (!variants) return std::move(variants).error();
        for (ladder::Variant& v : *variants) add(rung, std::move(v), std::nullopt);
        if (refused.empty()) continue;
        ladder::Rung plain = *rung;
        plain.axes.clear();
        auto problems_of_it = ladder::variants(ladder, plain, chosen);
        if (!problems_of_it) return std::move(problems_of_it).error();
        for (const auto& [name, word] : refused)
            for (ladder::Variant v : *problems_of_it) {
                v.emplace_back(name, ladder::AxisValue{word, std::nullopt});
                add(rung, std::move(v),
                    Error{ErrorKind::usage, "its axis '" + name + "' has no value '" + word + "'", Location{}, ""});
            }
    }
    std::stable_sort(of_a_size.begin(), of_a_size.end(),
                     [](const Step& a, const Step& b) { return a.problem < b.problem; });
    for (std::size_t i = 0; i < sizes->size(); ++i) {
        for (Step step : of_a_size) {
            step.size = (*sizes)[i];
            step.problem += i * problems.size();
            plan.steps.push_back(std::move(step));
        }
    }
    return plan;
}

}  // namespace warpwright::lab
