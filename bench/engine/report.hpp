// What one run of bench_engine measured, and its printers: a table with the targets, and JSON.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "statistics.hpp"

namespace warpwright::bench {

/// One problem on one backend.
struct Cell {
    Summary warm;
    double processor = 0;            ///< seconds of all threads, the least of the warm runs
    double cold = 0;                 ///< seconds, first run of a fresh worker with empty caches
    double thread_instructions = 0;  ///< of one run
    std::string error;               ///< why there is no figure; empty when there is
};

/// Backend names as in backend.hpp.
struct Row {
    std::string problem;
    Bound bound;
    std::map<std::string, Cell> cells;
};

struct Series {
    unsigned cores = 1;
    std::vector<Row> rows;
};

/// A single figure beside the table, with the limit it is held to.
struct Figure {
    std::string name, unit;
    double value = 0;
    double limit = 0;       ///< value must not be above it; 0 = only shown
    bool at_least = false;  ///< the limit is a lower one
    std::string error;      ///< why it could not be measured

    bool held() const { return error.empty() && (limit == 0 || (at_least ? value >= limit : value <= limit)); }
};

struct Report {
    std::string machine;                  ///< CPU, cores, compiler
    std::string load_before, load_after;  ///< load averages: a figure from a busy machine is worth little
    std::vector<Series> series;
    std::vector<Figure> figures;  ///< targets (limit != 0) and plain figures
};

/// Adds the ratios that the project holds itself to, from the series.
void add_targets(Report& report);

void print_table(std::ostream& out, const Report& report);
std::string to_json(const Report& report);

}  // namespace warpwright::bench
