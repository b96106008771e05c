// The problems that bench_engine measures: their inputs, their launches (the same for CUDA C++ and OpenCL C), their
// plain C++ version, what they consist of, and the check of a result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace warpwright::bench {

using Bytes = std::vector<std::byte>;
using Extent3 = std::array<std::uint32_t, 3>;

/// An argument that is one of the problem's buffers.
struct BufferIndex {
    unsigned index = 0;
};
using Value = std::variant<BufferIndex, std::int32_t, float>;

/// One launch.
struct Step {
    std::string kernel;
    Extent3 grid{1, 1, 1}, block{1, 1, 1};  ///< blocks, threads
    std::vector<Value> arguments;
};

/// What a problem consists of, for the bound that holds it (bounds.hpp): what no implementation does without, given the
/// algorithm. 0: not counted.
struct Work {
    double operations = 0;      ///< of 32-bit lanes: a multiply-add is one
    double words = 0;           ///< 32-bit words that lanes load or store, each its own, in caches or shared memory
    double bytes = 0;           ///< that have to come from memory or go to it
    double gathers = 0;         ///< words loaded from random places of a table
    double shared_atomics = 0;  ///< by lanes
    double global_atomics = 0;  ///< by lanes, at random places of the table
    double table = 0;           ///< bytes
};

struct Problem {
    std::string name;
    std::string source;  ///< stem of the file in bench/kernels; empty when there is only `ptx`
    std::string ptx;     ///< the kernel itself, where it is made here
    std::string architecture = "sm_80";
    bool opencl = true;          ///< whether there is an OpenCL C version
    std::vector<Bytes> buffers;  ///< contents before each run; an output that must be written whole is poisoned
    unsigned output = 0;         ///< index of the buffer that holds the result
    std::vector<Step> steps;
    Work work;
    /// The same problem as plain C++ with OpenMP, on the same buffers.
    std::function<void(std::vector<Bytes>&)> plain;
    /// What is wrong with the result; empty when nothing is.
    std::function<std::string(std::span<const std::byte>)> check;
};

/// Names in the order of the table.
const std::vector<std::string>& problem_names();
/// The same problems as far as they grow, at sizes that take 0.1 s and more on one core: for many cores.
const std::vector<std::string>& larger_problem_names();

/// Makes one, of any size where its name has one; also knows "barriers:<blocks>x<rounds>", blocks of 256 threads, and
/// "straight:<n>", a kernel of n PTX instructions. Throws std::invalid_argument.
Problem make_problem(const std::string& name);

}  // namespace warpwright::bench
