// What the user chose of a page: sizes, rungs, values of axes, files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/sweep/choices.hpp"

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

}  // namespace warpwright::lab
