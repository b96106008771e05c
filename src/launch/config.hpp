// What a launch asks for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "record/extent.hpp"

namespace warpwright::machine {
struct LaunchTrace;
}
namespace warpwright::launch {

using record::Extent;

/// The most blocks of a cluster: on every device, and with the attribute that allows more.
inline constexpr std::uint32_t kMostPortableCluster = 8, kMostClusterBlocks = 16;

struct LaunchConfig {
    Extent grid = {}, block = {};
    std::uint64_t dynamic_shared = 0;  ///< bytes
    bool cooperative = false;
    /// Blocks of a cluster; all 0: the kernel's .reqnctapercluster, else none. Divides the grid.
    Extent cluster{0, 0, 0};
    /// Blocks may start while the previous launch in the queue ends: the kernel itself waits (griddepcontrol.wait)
    /// before it accesses memory. Only for kernels that do so; the emulated device starts launches one after the other
    /// anyway.
    bool programmatic = false;
    /// Bytes of dynamic shared memory for which the program opted in (cudaFuncSetAttribute), beyond which a block has
    /// no more than the default limit. Absent where the launch itself opts in to all that it needs.
    std::optional<std::uint64_t> opted_in_shared = std::nullopt;
    std::uint32_t most_cluster = kMostClusterBlocks;  ///< blocks that the kernel's attributes allow for a cluster
    /// What an OpenCL kernel reads as get_global_offset() (%envreg3 to %envreg5) and get_work_dim() (%envreg6; 0: by
    /// the launch's shape).
    Extent offset{0, 0, 0};
    std::uint32_t dimensions = 0;
};

/// What a launch is asked to keep of its course, for the model of time: that of at most `blocks` of the blocks that one
/// of so many multiprocessors gets. 0: nothing is kept.
struct TraceRequest {
    std::uint32_t multiprocessors = 0;
    std::uint32_t blocks = 0;
};

/// What stands in place of a launch's trace, where an equal launch had one and its time is known; null where none had.
/// `course`: a hash of all that the launch's course follows from (machine::LaunchTrace::course).
using KnownCourse = std::function<std::shared_ptr<const machine::LaunchTrace>(const std::string& course)>;

struct LaunchOptions {
    bool counters = true;
    bool per_line = false;
    /// 0 = no limit. Beyond it the launch ends with ErrorKind::fault, naming a source line that still runs.
    std::chrono::milliseconds timeout{0};
    /// 0 = no limit. Of making the launch's code (emulated device), which is asked after between the steps of that; one
    /// run of LLVM's code generator is one step. Beyond it the launch ends with ErrorKind::fault.
    std::chrono::milliseconds compile_timeout{0};
    std::atomic<bool>* begun = nullptr;  ///< set when that code is there (emulated device)
    std::string* output = nullptr;  ///< receives what the kernel prints as well, also after a fault (emulated device)
    TraceRequest trace = {};        ///< needs counters (emulated device)
    /// Asked before a traced launch whose course follows from what is known then; empty: its trace is wanted in any
    /// case.
    KnownCourse known_course = {};
    std::uint64_t graph = 0;  ///< what a kernel reads as %current_graph_exec (emulated device)
    /// Where the emulated device stands for several: on which of them it runs, and whose memory it may access, as bits
    /// of their numbers. All bits: it stands for one.
    unsigned device = 0;
    std::uint64_t reach = ~std::uint64_t{0};
    /// Whether it may access memory of another device; what goes over the link is then counted.
    bool linked() const { return reach != ~std::uint64_t{0} && (reach & ~(std::uint64_t{1} << device)) != 0; }
};

}  // namespace warpwright::launch
