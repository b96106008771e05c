// The experiments of the laboratory: each runs kernels (or evaluates rules), verifies them, and hands over a page of
// tables, plots, pictures and conclusions. The files data/text/en/experiments/*.toml list them; every ladder without an
// experiment of its own has a page as well (ladder_page.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/page/choices.hpp"
#include "lab/sweep/context.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

struct Experiment {
    std::string_view name;
    /// A page with what did not run or verify in `problems`; an error where there is nothing to show at all (and
    /// ErrorKind::usage for choices that it does not have).
    Result<record::Page> (*run)(const Context&, const Choices&);
};

/// In the order of the report.
std::span<const Experiment> experiments();

/// Null where there is none of that name.
const Experiment* find_experiment(std::string_view name);

}  // namespace warpwright::lab
