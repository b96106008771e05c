// Warpwright's public API: open a GPU, emulated or real, load a kernel from CUDA C++ or PTX, launch it, read exact
// counts.
//
//     auto gpu = warpwright::Device::open();                                  // Result<Device>
//     auto program = gpu->compile("saxpy.cu");                                // Result<Program>
//     auto x = gpu->upload(std::span<const float>(host)), y = ...;            // Result<Buffer>
//     auto ran = gpu->launch(*program, "saxpy", {n / 256}, {256}, {2.0f, *x, *y, n});
//     if (!ran) std::puts(ran.error().text().c_str());
//     ran->counts->total[warpwright::record::Count::global_load_sectors];
//
// Nothing here throws for bad input: every call that can fail returns a Result (support/result.hpp). A Device and
// what came from it belong to one host thread at a time; launches themselves use all cores.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "record/counts.hpp"
#include "record/extent.hpp"
#include "record/finding.hpp"
#include "record/touched.hpp"
#include "support/result.hpp"

namespace warpwright {

namespace api {
struct Request;
}

/// Extents of a grid (in blocks) or of a block (in threads).
using Extent = record::Extent;

struct DeviceOptions {
    /// "emulated"; "cuda" or "cuda:1": a real one; "auto": cuda:0 where there is one that works, else the emulated one.
    std::string device = "emulated";
    unsigned threads = 0;         ///< host threads that run blocks; 0 = all
    std::string cpu;              ///< CPU to make host code for, an LLVM name ("x86-64-v3"); empty = this one
    std::string cache_directory;  ///< host code kept between runs; empty = kept in memory only
    /// Of the emulated device: what looks at each launch, "all" or some of "memory,init,race,sync" (docs/check.md); see
    /// Device::findings. Empty: nothing does.
    std::string checkers = {};
    std::string model = {};  ///< device model whose limits the emulated device has ("h200"); empty: generous ones
};

/// The device model of whoever names none, where one is needed ("h200").
std::string default_model();

struct CompileOptions {
    std::vector<std::string> defines;  ///< "NAME" or "NAME=VALUE"
    std::vector<std::filesystem::path> include_folders;
};

struct LaunchOptions {
    std::uint64_t dynamic_shared = 0;      ///< bytes of dynamic shared memory per block
    bool counters = true;                  ///< count exactly (false: run faster, no counts)
    bool per_line = false;                 ///< counts for each source line too
    bool cooperative = false;              ///< a cooperative launch: grid-wide barriers
    std::chrono::milliseconds timeout{0};  ///< 0 = none; past it the launch is an ErrorKind::fault
    std::string* output = nullptr;         ///< gets what the kernel prints as well, also where it ends badly
};

/// What one launch did.
struct Launch {
    std::optional<record::KernelCounts> counts;  ///< absent with counters off
    record::Touched touched;                     ///< on the emulated device: the memory that its accesses fell into
    double host_seconds = 0;                     ///< wall time of the emulation, compilation left out
    double compile_seconds = 0;                  ///< time spent making host code; 0 when it was there
    std::string output;                          ///< what the kernel printed
    std::optional<double> device_seconds;        ///< by a real device's clock; absent on the emulated one
    std::string kernel;                          ///< which one ran (of several launches: the rung's name)
};

/// A piece of device memory; a kernel takes it as a pointer. Freed with its Device, or by Device::release.
struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// One argument of a kernel: a Buffer, or any value the kernel takes by value (its bytes are passed as they are).
class Argument {
public:
    Argument(const Buffer& buffer) : Argument(buffer.address) {}
    template <class T>
        requires(std::is_trivially_copyable_v<T> && !std::is_same_v<T, Buffer> && !std::is_pointer_v<T>)
    Argument(const T& value) : bytes_(sizeof(T)) {
        std::memcpy(bytes_.data(), &value, sizeof(T));
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Loaded kernels.
class Program {
public:
    /// Names (mangled, where the source is C++ without extern "C") in order of appearance.
    std::vector<std::string> kernels() const;

    struct State;

private:
    friend class Device;
    std::shared_ptr<State> state_;
};

/// A GPU to launch on.
class Device {
public:
    /// ErrorKind::no_device, saying what is missing, when there is none such.
    static Result<Device> open(const DeviceOptions& options = {});

    Device(Device&&) noexcept;
    Device& operator=(Device&&) noexcept;
    ~Device();

    /// "emulated", "cuda:0".
    std::string name() const;

    /// Compiles one CUDA C++ file: with the distribution's clang, for a real GPU with NVRTC where there is one.
    /// Messages of the compiler come back as the Error.
    Result<Program> compile(const std::filesystem::path& source, const CompileOptions& options = {});
    /// The same of a text; `name` is what messages call it ("kernel.cu").
    Result<Program> compile_text(std::string name, std::string text, const CompileOptions& options = {});
    /// Loads PTX text; `name` is what messages call it.
    Result<Program> load_ptx(std::string name, std::string text);

    Result<Buffer> allocate(std::uint64_t bytes);
    Result<void> release(const Buffer& buffer);
    /// Copies to the start of `to`; ErrorKind::usage when it does not fit.
    Result<void> write(const Buffer& to, std::span<const std::byte> from);
    Result<void> read(std::span<std::byte> to, const Buffer& from);

    /// Allocates and writes.
    template <class T>
    Result<Buffer> upload(std::span<const T> values) {
        auto buffer = allocate(values.size_bytes());
        if (!buffer) return buffer;
        if (auto written = write(*buffer, std::as_bytes(values)); !written) return written.error();
        return buffer;
    }
    /// The first `count` values of a buffer.
    template <class T>
    Result<std::vector<T>> download(const Buffer& buffer, std::size_t count) {
        std::vector<T> values(count);
        if (auto done = read(std::as_writable_bytes(std::span<T>(values)), buffer); !done) return done.error();
        return values;
    }

    /// Runs a kernel to its end. The kernel may be named as in the source where that is unambiguous. Number and
    /// sizes of the arguments are checked against the kernel's parameters (ErrorKind::usage).
    Result<Launch> launch(const Program& program, const std::string& kernel, Extent grid, Extent block,
                          const std::vector<Argument>& arguments, const LaunchOptions& options = {});

    /// What the checkers have found in all launches so far; with them on, a bad access no longer ends a launch.
    std::vector<record::Finding> findings() const;

    /// Behind the functions of warpwright/kernels.hpp and warpwright/profile.hpp.
    Result<Launch> run(const api::Request& request);
    struct State;
    State& state() { return *state_; }
    Program::State& state_of(const Program& program) { return *program.state_; }
    static const Program::State* state_if_any(const Program& program) { return program.state_.get(); }

private:
    explicit Device(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpwright
