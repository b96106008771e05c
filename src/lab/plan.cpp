#include "lab/plan.hpp"

#include <algorithm>

namespace warpwright::lab {
namespace {

Result<void> check_axes(const ladder::Ladder& ladder, const Axes& chosen) {
    for (const auto& [name, values] : chosen) {
        std::string known;
        bool found = false;
        auto look = [&](const std::vector<ladder::Axis>& axes) {
            for (const ladder::Axis& axis : axes) {
                found = found || axis.name == name;
                if (known.find(axis.name) == std::string::npos) known += (known.empty() ? "" : ", ") + axis.name;
            }
        };
        look(ladder.axes);
        for (const ladder::Rung& rung : ladder.rungs) look(rung.axes);
        if (!found)
            return Error{ErrorKind::usage, "the ladder '" + ladder.name + "' has no axis '" + name + "'", Location{},
                         known.empty() ? "it has none" : "axes: " + known};
    }
    return {};
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
    const std::vector<Size>& sizes = chosen_sizes.empty() ? ladder.default_sizes : chosen_sizes;

    std::vector<Step> of_a_size;
    std::vector<std::string> problems;  // texts of the ladder's axes
    for (const ladder::Rung* rung : *rungs) {
        auto variants = ladder::variants(ladder, *rung, chosen);
        if (!variants) return std::move(variants).error();
        for (ladder::Variant& v : *variants) {
            std::string problem;
            for (std::size_t i = 0; i < ladder.axes.size(); ++i) problem += v[i].second.text + " ";
            auto it = std::find(problems.begin(), problems.end(), problem);
            const auto number = static_cast<std::size_t>(it - problems.begin());
            if (it == problems.end()) problems.push_back(problem);
            of_a_size.push_back({rung, std::move(v), {}, number});
        }
    }
    std::stable_sort(of_a_size.begin(), of_a_size.end(),
                     [](const Step& a, const Step& b) { return a.problem < b.problem; });
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i].size() != ladder.size_names.size())
            return Error{ErrorKind::usage,
                         "the ladder '" + ladder.name + "' has " + std::to_string(ladder.size_names.size()) + " sizes",
                         Location{}, ""};
        for (Step step : of_a_size) {
            step.size = sizes[i];
            step.problem += i * problems.size();
            plan.steps.push_back(std::move(step));
        }
    }
    return plan;
}

}  // namespace warpwright::lab
