// Launches: the range and its groups become a grid and blocks, and the arguments a block of parameters.
#include <limits>

#include "cudart/state/runtime.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/build.hpp"
#include "opencl/state/commands.hpp"
#include "opencl/state/work_group.hpp"

namespace warpwright::opencl::impl {
namespace {

/// What the program asks for, complete.
struct Asked {
    cl_uint dimensions = 1;
    Range global, offset{0, 0, 0}, group;
    bool shifted() const { return offset.x || offset.y || offset.z; }
    bool empty() const { return !global.x || !global.y || !global.z; }
};

Range range_of(const std::size_t* list, cl_uint dimensions, std::size_t other) {
    return {list[0], dimensions > 1 ? list[1] : other, dimensions > 2 ? list[2] : other};
}

constexpr std::size_t kMostNumber = std::numeric_limits<std::uint32_t>::max();

bool beyond(const Range& offset, const Range& global) {
    const auto over = [](std::size_t a, std::size_t b) { return a > kMostNumber || b > kMostNumber - a; };
    return over(offset.x, global.x) || over(offset.y, global.y) || over(offset.z, global.z);
}

cl_int check_group(const Kernel& kernel, const Asked& a) {
    const auto& limits = cudart::Runtime::get().device()->limits();
    const Range& g = a.group;
    if (!g.x || !g.y || !g.z) return CL_INVALID_WORK_GROUP_SIZE;
    if (g.x > limits.block.x || g.y > limits.block.y || g.z > limits.block.z) return CL_INVALID_WORK_ITEM_SIZE;
    const auto& required = kernel.info().required_block;
    if (required.x && (g.x != required.x || g.y != required.y || g.z != required.z)) return CL_INVALID_WORK_GROUP_SIZE;
    if (g.x * g.y * g.z > most_threads(kernel)) return CL_INVALID_WORK_GROUP_SIZE;
    // Groups of unequal size are not supported (CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT).
    if (a.global.x % g.x || a.global.y % g.y || a.global.z % g.z) return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

cl_int read_range(Asked& a, const Kernel& kernel, cl_uint dimensions, const size_t* offset, const size_t* global,
                  const size_t* local) {
    if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
    a.dimensions = dimensions;
    if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
    a.global = range_of(global, dimensions, 1);
    if (a.empty()) return CL_SUCCESS;
    if (offset) a.offset = range_of(offset, dimensions, 0);
    if (a.shifted() && beyond(a.offset, a.global)) return CL_INVALID_GLOBAL_OFFSET;
    const auto& required = kernel.info().required_block;
    if (local)
        a.group = range_of(local, dimensions, 1);
    else if (required.x)
        a.group = {required.x, required.y, required.z};
    else
        a.group = chosen_group(a.global, most_threads(kernel));
    return check_group(kernel, a);
}

/// The arguments as the kernel's parameters: buffers as addresses, local memory as its place in the group's.
struct Packed {
    std::vector<std::uint64_t> numbers;
    std::vector<Kernel::Argument> arguments;
    std::vector<std::shared_ptr<Memory>> memory;  ///< kept until the launch is over
    std::vector<void*> pointers;
    std::uint64_t shared = 0;  ///< bytes that the launch adds
};
cl_int pack(Packed& p, Kernel& kernel) {
    constexpr std::uint64_t kUnit = 16;
    {
        const std::lock_guard lock(kernel.mutex);
        p.arguments = kernel.arguments;
    }
    p.numbers.resize(p.arguments.size());
    for (std::size_t k = 0; k < p.arguments.size(); ++k) {
        auto& argument = p.arguments[k];
        if (!argument.set) return CL_INVALID_KERNEL_ARGS;
        void* value = &p.numbers[k];
        if (kernel.spaces[k] == Space::local) {
            p.numbers[k] = kernel.info().static_shared + p.shared;
            p.shared += (argument.local + kUnit - 1) / kUnit * kUnit;
        } else if (!argument.bytes.empty()) {
            value = argument.bytes.data();
        } else if (argument.points) {
            auto memory = argument.memory.lock();
            if (!memory) return CL_INVALID_KERNEL_ARGS;  // it was released since
            p.numbers[k] = reinterpret_cast<std::uint64_t>(memory->at);
            p.memory.push_back(std::move(memory));
        }
        p.pointers.push_back(value);
    }
    return CL_SUCCESS;
}

/// The kernel that adds the launch's offset.
cudart::Kernel* shifted_kernel(Kernel& kernel) {
    auto* code = shifted_code(*kernel.program);
    if (!code) return nullptr;
    const std::lock_guard lock(kernel.mutex);
    if (!kernel.shifted) kernel.shifted = cudart::Registry::get().library_kernel(*code, kernel.name);
    return kernel.shifted;
}

cl_int code_of(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidConfiguration:
            return CL_INVALID_WORK_GROUP_SIZE;
        case cudaErrorMemoryAllocation:
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        default:
            return CL_OUT_OF_RESOURCES;
    }
}

}  // namespace

cl_int clEnqueueNDRangeKernel(cl_command_queue queue_handle, cl_kernel handle, cl_uint dimensions, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint count, const cl_event* list,
                              cl_event* event) {
    const auto queue = find(queue_handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    if (kernel->program->context != queue->context) return CL_INVALID_CONTEXT;
    Packed packed;
    if (const cl_int bad = pack(packed, *kernel); bad != CL_SUCCESS) return bad;
    Asked a;
    if (const cl_int bad = read_range(a, *kernel, dimensions, offset, global, local); bad != CL_SUCCESS) return bad;
    if (a.empty()) return enqueue(*queue, {CL_COMMAND_NDRANGE_KERNEL, nullptr}, {count, list}, event);
    auto* code = a.shifted() ? shifted_kernel(*kernel) : kernel->code;
    if (!code) return CL_INVALID_GLOBAL_OFFSET;
    const auto groups = [](std::size_t all, std::size_t of) {
        return static_cast<unsigned>(std::min(all / of, kMostNumber));
    };
    const dim3 grid(groups(a.global.x, a.group.x), groups(a.global.y, a.group.y), groups(a.global.z, a.group.z));
    const dim3 block(static_cast<unsigned>(a.group.x), static_cast<unsigned>(a.group.y),
                     static_cast<unsigned>(a.group.z));
    auto launch = std::make_shared<cudart::Launch>();
    if (const auto bad = cudart::prepare(*launch, code, grid, block, packed.shared, packed.pointers.data());
        bad != cudaSuccess)
        return code_of(bad);
    launch->config.offset = {static_cast<std::uint32_t>(a.offset.x), static_cast<std::uint32_t>(a.offset.y),
                             static_cast<std::uint32_t>(a.offset.z)};
    launch->config.dimensions = dimensions;
    Command command{CL_COMMAND_NDRANGE_KERNEL, [launch = std::move(launch), kernel, kept = std::move(packed.memory)] {
                        return cudart::run(*launch);
                    }};
    command.call = timeline::Timeline::Call::takes_time;
    return enqueue(*queue, std::move(command), {count, list}, event);
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event* list, cl_event* event) {
    constexpr std::size_t kOne = 1;
    return impl::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kOne, &kOne, count, list, event);
}

}  // namespace warpwright::opencl::impl
