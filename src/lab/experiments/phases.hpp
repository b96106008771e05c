// A program as a list of phases with the time of each: what the experiment apod starts from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "record/page.hpp"

namespace warpwright::lab {

struct Phase {
    std::string name;
    double seconds = 0;
    double parallel = 1;  ///< of its work, what can run in parallel: 0 to 1
    std::string kind;     ///< "matrix product", "fft", ...: what it does, in words; empty: its name tells
    bool copy = false;    ///< between host and device
    std::optional<record::Counts> counts;
    std::optional<double> occupancy;  ///< 0 to 1
    std::string binds;                ///< resource of its bound
};

struct Program {
    std::string title;
    record::Basis basis = record::Basis::measured;
    std::vector<Phase> phases;
};

/// Understands a profile (`warpwright run --json`), records (`lab --json`, `launch --json`), and phases by hand:
/// {"program": "name", "phases": [{"name": "sort", "seconds": 2.5, "parallel": 0.9, "kind": "sort"}]}.
/// ErrorKind::input, with the place, for what it does not understand or what has no time at all.
Result<Program> read_program(const std::string& text, const std::string& file, const arch::DeviceModel& model);

/// The program that the course's text profiles with nvprof.
Program program_of_text();

/// By Amdahl: how many times as fast a program becomes when `share` of its time becomes `times` as fast.
double amdahl(double share, double times);

/// Which library of NVIDIA's does such work: "cuBLAS"; empty where none does.
std::string library_for(const Phase& phase);

}  // namespace warpwright::lab
