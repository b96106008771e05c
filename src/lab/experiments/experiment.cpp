// The table is made from the list of experiments that the build generates, so that a new experiment needs no entry
// here.
#include "lab/experiments/experiment.hpp"

#include <array>

namespace warpwright::lab {

namespace pages {
#define X(name) Result<record::Page> name(const Context&, const Choices&);
#include "lab/experiments/experiments.inc"
#undef X
}  // namespace pages

std::span<const Experiment> experiments() {
    static const std::vector<Experiment> all = {
#define X(name) {#name, pages::name},
#include "lab/experiments/experiments.inc"
#undef X
    };
    return all;
}

const Experiment* find_experiment(std::string_view name) {
    for (const Experiment& e : experiments())
        if (e.name == name) return &e;
    return nullptr;
}

}  // namespace warpwright::lab
