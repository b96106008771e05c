// The one Device interface: where a kernel runs. Implementations: emulated.*, cuda*.*, opencl*.*.
// Everything above this room (ladder, measure, profile, cli) knows only this header.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/counts.hpp"
#include "record/finding.hpp"
#include "record/touched.hpp"
#include "support/result.hpp"
#include "timeline/work.hpp"

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
    std::uint32_t registers = 0;      ///< 32-bit registers per thread; estimated if there is no machine code
    bool registers_estimated = true;
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

/// The contents of a tensor map: an array in device memory and the box of it that one copy moves
/// (cuTensorMapEncodeTiled).
struct TensorMap {
    enum class Swizzle : std::uint8_t {
        none,
        b32,
        b64,
        b128
    };  ///< bytes of a row in which 16-byte pieces are permuted
    Address address = 0;                ///< of element (0, 0, ...); 16-byte aligned
    std::string type = "f32";           ///< PTX type: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, tf32
    std::vector<std::uint64_t> size;    ///< elements by dimension, innermost first; 1 to 5 of them
    std::vector<std::uint64_t> stride;  ///< bytes by dimension from the second on; multiples of 16
    std::vector<std::uint32_t> box;     ///< elements by dimension, 1 to 256
    std::vector<std::uint32_t> step;    ///< every step-th element by dimension, 1 to 8; empty: all of them
    Swizzle swizzle = Swizzle::none;
    bool fill_nan = false;  ///< elements outside read as NaN instead of zero (floating-point types)
    unsigned fetch = 128;   ///< bytes that L2 fetches from memory at a time: 0 (its own choice), 64, 128, 256
};

/// A texture or surface object: an array in device memory, or the arrays of a mipmap, and how it is read.
struct Texture {
    enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };
    enum class Mode : std::uint8_t { wrap, clamp, mirror, border };
    struct Level {
        Address data = 0;
        std::uint64_t pitch = 0, slice = 0;              ///< bytes from row to row, plane to plane
        std::uint32_t width = 1, height = 1, depth = 1;  ///< elements; depth: of layers and faces too
    };
    static constexpr unsigned kMostLevels = 18;
    std::vector<Level> levels = std::vector<Level>(1);
    bool layered = false, cube = false;
    Kind kind = Kind::real;
    unsigned channels = 1, bits = 32;                                 ///< 1, 2 or 4 of 8, 16 or 32 bits
    bool packed = false;                                              ///< 10, 10, 10 and 2 bits instead
    std::array<Mode, 3> mode{Mode::clamp, Mode::clamp, Mode::clamp};  ///< outside the array
    bool linear = false, normalized_floats = false, normalized_coordinates = false;
    bool mip_linear = false, srgb = false, seamless = false;
    unsigned anisotropy = 1;
    float bias = 0, least_level = 0, most_level = 0;
    std::array<float, 4> border{};
    bool surface = false;
};

struct LaunchOptions {
    bool counters = true;
    bool per_line = false;
    /// 0 = no limit. Beyond it the launch ends with ErrorKind::fault, naming a source line that still runs.
    std::chrono::milliseconds timeout{0};
    std::string* output = nullptr;  ///< receives what the kernel prints as well, also after a fault (emulated device)
    /// For the model of time: keep the course of at most so many of the blocks that one of `trace_multiprocessors` gets
    /// (emulated device). Needs counters.
    std::uint32_t trace_blocks = 0, trace_multiprocessors = 0;
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

struct TimeRequest {
    std::uint32_t repeat = 1;  ///< times the steps run back to back within a sample
    std::uint32_t samples = 1;
    std::chrono::milliseconds timeout{0};  ///< of one sample; 0 = no limit
    bool ahead = false;  ///< run a sample unmeasured first, so that the device is busy when the first one starts
    bool flush = false;  ///< before each sample, unmeasured, fill the device's caches with other data
    bool graph = true;   ///< a sample's repeats are one graph if the device has graphs; else each is queued separately
};

/// Properties of a real device, for records. Empty and 0 if it does not report them, as on the emulated one.
struct DeviceFacts {
    std::string title;        ///< "NVIDIA H200"
    std::string driver;       ///< "CUDA 13.0, driver 580.65.06"
    std::uint64_t cache = 0;  ///< bytes of the last cache before memory
    double clock_mhz = 0;     ///< of the multiprocessors, the highest
    double memory_clock_mhz = 0;
    std::string unwatched;  ///< why state() returns nothing; empty if it does
};

/// The state of a device at a moment.
struct DeviceState {
    std::optional<double> clock_mhz, memory_clock_mhz, power_w, temperature_c;
    std::vector<std::string> throttle;  ///< what limits its clocks: "power cap", "heat", ...
};

/// The queue in which a vendor's library (such as cuBLAS) places work that runs in order with this device's: the
/// handles of the device's own interface.
struct NativeQueue {
    void* context = nullptr;  ///< CUcontext; current on the calling thread
    void* stream = nullptr;   ///< CUstream
};

/// Work of a vendor's library: queues it in the native queue and returns without waiting. It may be called often, also
/// while the stream is captured into a graph, so everything that allocates, frees or waits is done before.
struct ForeignWork {
    std::string name;  ///< its name in messages
    std::function<Result<void>()> enqueue;
};

using timeline::StreamKind;

/// Work prepared for repeated timing (Device::make_timed). It must be destroyed before its device.
class TimedWork {
public:
    virtual ~TimedWork() = default;
    /// Like Device::time, with this many samples; the rest of the request is the one with which it was made.
    virtual Result<std::vector<double>> time(std::uint32_t samples, bool ahead) = 0;
};

class Stream;  // stream.hpp
class Event;
class HostMemory;

class Device {
public:
    virtual ~Device() = default;

    virtual std::string name() const = 0;  ///< "emulated", "cuda:0"
    virtual const Limits& limits() const = 0;
    virtual DeviceFacts facts() const { return {}; }
    /// Queries the driver and changes nothing; may be called from another thread while kernels run.
    virtual std::optional<DeviceState> state() const { return std::nullopt; }

    /// Takes `bytes` of memory (0 gives a valid, empty allocation), 256-byte aligned, contents undefined
    /// (the emulated device fills them with 0xCD). ErrorKind::limit when there is none left.
    virtual Result<Address> allocate(std::uint64_t bytes) = 0;
    virtual Result<void> release(Address address) = 0;
    virtual Result<void> write(Address to, std::span<const std::byte> from) = 0;
    virtual Result<void> read(std::span<std::byte> to, Address from) = 0;
    virtual Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) = 0;
    /// Within device memory.
    virtual Result<void> copy(Address to, Address from, std::uint64_t bytes);

    /// The allocation that contains an address of device memory: its start and its bytes. Only the emulated device
    /// knows it.
    virtual std::optional<std::pair<Address, std::uint64_t>> allocation(Address) { return std::nullopt; }
    /// Host memory that kernels may access by the same address from now on (emulated device).
    virtual Result<void> adopt(void* memory, std::uint64_t bytes);
    virtual Result<void> disown(void* memory);

    /// Running kernels end soon, with an error; later ones do so at once. For a process that is about to end.
    virtual void cancel() {}

    // Asynchronous work (stream.hpp).
    virtual Result<std::unique_ptr<Stream>> make_stream();
    /// A stream of some kind; two default streams are the same. If streams are executed in order, all kinds are alike.
    virtual Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind);
    virtual Result<std::unique_ptr<Event>> make_event();
    /// True if events report modelled times, not measured ones (modelled_time.hpp).
    virtual bool models_time() const { return false; }
    /// Page-locked memory, from and to which copies run at full speed and concurrently with other work.
    virtual Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes);

    /// Loads PTX text, or OpenCL C if limits().language says so. `name` is its name in messages.
    virtual Result<std::shared_ptr<Module>> load(std::string name, std::string ptx) = 0;

    /// Runs a kernel to its end. `parameters` is the parameter block (KernelInfo::parameters give the layout).
    /// An empty grid dimension is ErrorKind::usage, as cudaLaunchKernel has it.
    virtual Result<LaunchResult> launch(Module& module, const std::string& kernel, const LaunchConfig& config,
                                        std::span<const std::byte> parameters, const LaunchOptions& options) = 0;

    /// The checkers' findings in all launches so far (EmulatedOptions::checkers); sorted. Empty if none are
    /// on.
    virtual std::vector<record::Finding> findings() const { return {}; }
    /// Removes all findings.
    virtual void clear_findings() {}
    /// Adds a finding that is not about a kernel: a leak, a runtime error that nobody looked at.
    virtual void add_finding(record::Finding) {}
    /// The host has written device memory directly (memory that both see): it counts as initialised.
    virtual void written(Address, std::uint64_t) {}
    /// The same if it copied from device memory directly: bytes that were never written there count as unwritten here.
    virtual void copied(Address /*to*/, Address /*from*/, std::uint64_t) {}

    /// The 128 bytes that a kernel takes as a tensor map (a __grid_constant__ parameter, or in device memory; 64-byte
    /// aligned). They are valid for this kind of device only.
    virtual Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& map);

    /// The handle that kernels take for the object (emulated device); release() destroys it.
    virtual Result<Address> make_texture(const Texture& texture);

    /// True if kernels take real time, which time() measures. The emulated device has counts instead.
    virtual bool has_clock() const { return false; }
    /// Runs the steps in order, repeatedly, and returns the seconds of each sample by the device's own clock, all its
    /// repeats together. Memory is as the steps leave it. ErrorKind::usage if there is no clock.
    virtual Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request);

    /// ErrorKind::usage on a device that no vendor's library supports, as the emulated one.
    virtual Result<NativeQueue> native_queue();
    /// Like time(), for a library's work: captured into a graph or, if it cannot be, queued again for each repeat. To
    /// run it once, for its results, take one sample of one repeat.
    virtual Result<std::vector<double>> time_work(const ForeignWork& work, const TimeRequest& request);

    /// The same two in parts, for works that are timed in turns: one-time preparation, such as capturing a graph, is
    /// done here. Its launches are ErrorKind::no_device once a fault has destroyed the device's memory.
    virtual Result<std::unique_ptr<TimedWork>> make_timed(std::vector<Step> steps, const TimeRequest& request);
    virtual Result<std::unique_ptr<TimedWork>> make_timed_work(ForeignWork work, const TimeRequest& request);
};

struct ModelledTime;  // modelled_time.hpp

struct EmulatedOptions {
    Limits limits;
    unsigned threads = 0;  ///< host threads; 0 = all
    std::string cpu;       ///< LLVM CPU name or feature preset ("native", "avx2", "x86-64", ...); empty = native
    std::uint64_t memory = std::uint64_t{64} << 30;  ///< address range reserved for device memory, bytes
    std::string cache_directory;                     ///< compiled host code; empty = no disk cache
    bool zeroed = false;                             ///< fresh memory reads as zeros instead of 0xCD
    /// Accesses by up to 512 bytes past an allocation's last 512 do not end a launch, as they do not on a GPU:
    /// Device::findings() reports each such line of a kernel once. Not used where launches are checked.
    bool tolerant = false;
    bool lazy = false;  ///< Module::kernels() then has only names and parameters
    /// A set of record::Checker: launches are checked, Device::findings() has the findings, and a bad access no longer
    /// ends a launch. 0: nothing is checked, at no cost. If this is 0, the environment's WARPWRIGHT_CHECKERS ("all",
    /// "memory,race") is used.
    std::uint32_t checkers = 0;
    /// Checked launches: how long all threads of one must wait for memory to change before that is a deadlock. 0 if a
    /// launch is alone with its memory; more if the host, or another launch, may change it meanwhile.
    std::chrono::milliseconds patience{0};
    /// With it, streams and events have a modelled clock; without it, events report no time.
    std::shared_ptr<const ModelledTime> time = nullptr;
};

/// The emulated GPU.
Result<std::unique_ptr<Device>> make_emulated(const EmulatedOptions& options);

}  // namespace warpwright::device
