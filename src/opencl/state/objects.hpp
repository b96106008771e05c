// What a program's handles stand for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cudart/registry/registry.hpp"
#include "cudart/work/stream/stream.hpp"
#include "opencl/state/dispatch.hpp"

namespace warpwright::opencl {

struct Platform {
    cl_platform_id handle = nullptr;
};

struct Device {
    cl_device_id handle = nullptr;
    unsigned index = 0;
};

/// Functions that are called when an object is gone, the last one given first.
struct Destructors {
    void add(std::function<void()> function) {
        const std::lock_guard lock(mutex);
        all.push_back(std::move(function));
    }
    ~Destructors() {
        for (auto f = all.rbegin(); f != all.rend(); ++f) (*f)();
    }
    std::mutex mutex;
    std::vector<std::function<void()>> all;
};

struct Context {
    cl_context handle = nullptr;
    std::vector<cl_device_id> devices;
    std::vector<std::intptr_t> properties;  ///< with the 0 at the end, as given
    Destructors destructors;
    bool has(cl_device_id device) const;
};

/// Device memory, or a part of one (a sub-buffer).
struct Memory {
    ~Memory();
    cl_mem handle = nullptr;
    std::shared_ptr<Context> context;
    cl_bitfield flags = 0;
    std::size_t size = 0;
    std::byte* at = nullptr;        ///< in device memory
    void* host = nullptr;           ///< the program's (CL_MEM_USE_HOST_PTR)
    std::shared_ptr<Memory> whole;  ///< of which it is a part
    std::size_t origin = 0;         ///< bytes into that
    bool svm = false;               ///< `host` is of clSVMAlloc, and the memory itself
    std::vector<cl_properties> properties;
    Destructors destructors;

    std::mutex mutex;
    std::vector<std::byte> mapping;  ///< what programs map, where they gave no memory for it
    struct Mapped {
        std::size_t offset = 0, size = 0;
        cl_bitfield flags = 0;
    };
    std::multimap<void*, Mapped> mapped;
    bool covers(std::size_t offset, std::size_t bytes) const { return offset <= size && bytes <= size - offset; }
};

/// Samplers belong to images.
struct Sampler {
    cl_sampler handle = nullptr;
};

struct Program {
    cl_program handle = nullptr;
    std::shared_ptr<Context> context;
    std::string source, name;  ///< name: that of its source in messages
    std::mutex mutex;
    std::string options, log, ptx;
    bool of_bytes = false;  ///< made of a binary
    cl_int status = CL_BUILD_NONE;
    cl_uint binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    std::vector<std::pair<std::string, std::string>> headers;  ///< of clCompileProgram
    cudart::Binary* code = nullptr;                            ///< once built
    cudart::Binary* shifted = nullptr;  ///< the same for launches with an offset, once there is one
    std::vector<std::string> kernels;
    std::atomic<unsigned> attached{0};  ///< kernels that live
    Destructors destructors;
};

/// What a kernel's parameter is.
enum class Space { value, global, constant, local };

struct Kernel {
    ~Kernel() { --program->attached; }
    cl_kernel handle = nullptr;
    std::shared_ptr<Program> program;
    std::string name;
    cudart::Kernel* code = nullptr;
    cudart::Kernel* shifted = nullptr;  ///< as of the program
    std::vector<Space> spaces;
    struct Argument {
        bool set = false;
        std::vector<std::byte> bytes;  ///< of a value, or the address of shared virtual memory
        std::weak_ptr<Memory> memory;  ///< of a pointer: a kernel holds no reference to its arguments
        bool points = false;           ///< it is not the null pointer
        std::size_t local = 0;         ///< bytes
    };
    std::mutex mutex;
    std::vector<Argument> arguments;
    const device::KernelInfo& info() const { return *code->info; }
};

struct Queue {
    ~Queue();
    cl_command_queue handle = nullptr;
    std::shared_ptr<Context> context;
    cl_device_id device = nullptr;
    cl_bitfield flags = 0;
    std::vector<cl_properties> properties;
    bool ordered() const { return !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }
    bool profiles() const { return flags & CL_QUEUE_PROFILING_ENABLE; }

    /// The streams in which its commands run: one where they run in order.
    struct Lane {
        cudaStream_t handle = nullptr;
        std::shared_ptr<cudart::Stream> stream;
    };
    std::mutex mutex;
    std::vector<Lane> lanes;
    std::size_t next = 0;
    std::vector<cudart::Ticket> barrier;  ///< what every later command waits for
    Lane clock;                           ///< for the moments at which the host queues commands
};

struct Event {
    ~Event();
    cl_event handle = nullptr;
    std::shared_ptr<Context> context;
    cl_command_queue queue = nullptr;
    cl_uint type = 0;
    bool profiles = false;
    cudart::Ticket ticket;           ///< the command's place
    timeline::Mark queued;           ///< when the host queued it
    std::atomic<double> seconds{0};  ///< its own part on the modelled clock, once done
    std::atomic<cl_int> error{0};    ///< why it was not done
    std::atomic<bool> begun{false};
    bool held = false;  ///< it waits for an event that the program sets, or for one that does

    // Of the program's own events: a stream waits until the program sets the status.
    bool user = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<cl_int> status;
    Queue::Lane lane;
    bool over();
};

Platform& platform();
/// All devices, made at the first call.
const std::vector<cl_device_id>& devices();

}  // namespace warpwright::opencl
