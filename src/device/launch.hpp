// Kernels and their launches: what a module has, what a launch asks for and what it returns.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/counts.hpp"
#include "record/record.hpp"
#include "record/touched.hpp"
#include "support/result.hpp"

namespace warpwright::machine {
struct LaunchTrace;
}
namespace warpwright::device {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

/// An address in device memory, as kernels see it.
using Address = std::uint64_t;

/// The language of a program for Device::load.
enum class Language : std::uint8_t { ptx, opencl };

/// The limits of a launch, from the device model. Units: threads, blocks, bytes.
struct Limits {
    std::uint32_t threads_per_block = 1024;
    Dim3 block{1024, 1024, 64};
    Dim3 grid{2147483647u, 65535, 65535};
    std::uint64_t shared_per_block = 48 * 1024;         ///< static + dynamic without opt-in
    std::uint64_t shared_per_block_optin = 227 * 1024;  ///< with opt-in
    std::uint32_t registers_per_thread = 255;
    std::uint32_t warp = 32;
    std::uint32_t multiprocessors = 132;  ///< the value of %nsmid, by which cooperative launches are sized
    int compute_capability = 90;          ///< major * 10 + minor; 0 on OpenCL devices
    Language language = Language::ptx;    ///< OpenCL devices accept only OpenCL C
};

/// One parameter of a kernel, as its declaration gives it.
struct Parameter {
    std::string name;
    std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
    std::uint32_t size = 0;    ///< bytes
    std::uint32_t align = 0;   ///< bytes
    std::string type;          ///< PTX type: "u64", "f32", "b8" (structs and arrays)
};

/// The properties of a kernel before it runs.
struct KernelInfo {
    std::string name;  ///< mangled
    std::vector<Parameter> parameters;
    std::uint64_t static_shared = 0;  ///< bytes
    std::uint64_t local = 0;          ///< bytes per thread
    std::uint64_t constant = 0;       ///< bytes of the constant variables of its module
    std::uint32_t registers = 0;      ///< 32-bit registers per thread
    std::string registers_source = std::string(record::kEstimated);
    Dim3 required_block{0, 0, 0};    ///< .reqntid; 0 = free
    std::uint32_t max_threads = 0;   ///< .maxntid product; 0 = free
    Dim3 required_cluster{0, 0, 0};  ///< .reqnctapercluster; 0 = free
    bool explicit_cluster = false;   ///< .explicitcluster: the launch must name a cluster
    std::uint32_t max_cluster = 0;   ///< .maxclusterrank; 0 = free
    std::uint32_t static_instructions = 0;
    /// PTX instructions a warp executes once per distinct memory access; for reports.
    bool has_line_information = false;
};

struct LaunchConfig {
    Dim3 grid, block;
    std::uint64_t dynamic_shared = 0;  ///< bytes
    bool cooperative = false;
    /// Blocks of a cluster; all 0: the kernel's .reqnctapercluster, else none. Divides the grid.
    Dim3 cluster{0, 0, 0};
    /// Blocks may start while the previous launch in the queue ends: the kernel itself waits (griddepcontrol.wait)
    /// before it accesses memory. Only for kernels that do so; the emulated device starts launches one after the other
    /// anyway.
    bool programmatic = false;
};

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
    /// For the model of time: keep the course of at most so many of the blocks that one of `trace_multiprocessors` gets
    /// (emulated device). Needs counters.
    std::uint32_t trace_blocks = 0, trace_multiprocessors = 0;
    std::uint64_t graph = 0;  ///< what a kernel reads as %current_graph_exec (emulated device)
};

struct LaunchResult {
    std::optional<record::KernelCounts> counts;  ///< absent with counters off or on a device that has none
    record::Touched touched;                     ///< with counts: the memory to which they belong
    double host_seconds = 0;                     ///< wall time of the emulation, compilation left out
    double compile_seconds = 0;            ///< time spent making host code for this launch (0 when cached in memory)
    std::optional<double> device_seconds;  ///< measured on a real device; absent on the emulated one
    std::string output;                    ///< what the kernel printed
    std::shared_ptr<const machine::LaunchTrace> trace = {};  ///< where one was asked for
};

class Module {
public:
    virtual ~Module() = default;
    /// Kernels (.entry) in order of appearance.
    virtual const std::vector<KernelInfo>& kernels() const = 0;
    /// One of them, with all its properties (see EmulatedOptions::lazy). Valid as long as the module.
    virtual Result<const KernelInfo*> kernel(const std::string& name);
    /// Address and size of a module-scope .global or .const variable.
    virtual Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const = 0;
};

/// A launch that is ready to run.
struct Step {
    std::shared_ptr<Module> module;
    std::string kernel;
    LaunchConfig config;
    std::vector<std::byte> parameters;
};

}  // namespace warpwright::device
