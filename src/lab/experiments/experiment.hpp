// The experiments of the laboratory: each runs kernels (or evaluates rules), verifies them, and hands over a page of
// tables, plots, pictures and conclusions. The files data/text/en/experiments/*.toml list them; every ladder without an
// experiment of its own has a page as well (ladder_page.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/sweep/choices.hpp"
#include "lab/sweep/context.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

/// What the user chose; what is empty the experiment chooses.
struct Choices {
    Axes axes;
    std::vector<Size> sizes;
    std::vector<std::string> rungs;
    bool quick = false;  ///< of a whole report: small sizes with the same lesson, seconds instead of minutes
    std::optional<std::string> input, output;  ///< files, where an experiment reads or writes one
    unsigned devices = 0;  ///< how many emulated devices, where several matter; 0: the experiment's own
};

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
