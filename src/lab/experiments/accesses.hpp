// How many elements a product reads from global memory: as counted, and as the texts' formulas have it.
#pragma once

#include <functional>
#include <optional>

#include "lab/page/ladder_page.hpp"

namespace warpwright::lab {

/// A formula for the elements that a rung reads at size N.
struct AccessFormula {
    std::string rung;
    std::string text;  ///< "2 N^3"
    std::function<double(double n, const record::Record& record)> elements;
};

/// Elements of 4 bytes that the kernel read from global memory, where it wrote N^2; absent without counts.
std::optional<double> elements_read(const record::Record& record, double n);

/// A row for each record that a formula is for, in all problems: counted, by the formula, their ratio.
record::Table access_table(const LadderRun& run, const std::vector<AccessFormula>& formulas, std::string id);

/// How many rows are exact and how many are there.
struct Agreement {
    int exact = 0, all = 0;
};
Agreement agreement_of(const LadderRun& run, const std::vector<AccessFormula>& formulas);

}  // namespace warpwright::lab
