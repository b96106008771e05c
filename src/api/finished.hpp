// The finished kernels: the `best` rungs of the ladders, prepared once for a kind of problem and then run on a
// program's own buffers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ladder/run.hpp"
#include "warpwright/kernels.hpp"

namespace warpwright::api {

/// A problem of a ladder: its name, its size, and the values of the ladder's axes.
struct Request {
    std::string ladder;  ///< "matmul"
    std::vector<std::int64_t> size;
    Type type = Type::f32;                  ///< for the axis that gives the first input's type
    std::string layout;                     ///< for the axis of layouts; empty: as the ladder has it
    std::string op;                         ///< for the axis of operations
    bool deterministic = false;             ///< only rungs whose name contains the word
    std::map<std::string, Buffer> buffers;  ///< inputs in the reference's order "0", "1", and "output"
};

class Finished {
public:
    explicit Finished(device::Device& device, ladder::CompileFunction compile)
        : device_(device), compile_(std::move(compile)) {}

    Result<Launch> run(const Request& request);

private:
    /// A problem on certain buffers, ready to run again: scratch memory keeps what the kernels left there, which the
    /// ladders allow for.
    struct Plan {
        std::string rung;
        std::vector<device::Step> steps;
        ladder::DeviceBuffers buffers;
    };
    Result<const ladder::Ladder*> find(const std::string& name);
    Result<Plan> make(const Request& request);

    device::Device& device_;
    ladder::CompileFunction compile_;
    std::map<std::string, std::unique_ptr<ladder::Ladder>> ladders_;
    std::map<std::string, std::unique_ptr<ladder::Session>> sessions_;  ///< by ladder; they keep loaded modules
    std::map<std::string, Plan> plans_;
};

}  // namespace warpwright::api
