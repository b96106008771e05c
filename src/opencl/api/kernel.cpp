// Kernels and their arguments, which are checked against the parameters of the compiled kernel.
#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/registry/opencl_code.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/build.hpp"
#include "opencl/state/work_group.hpp"

namespace warpwright::opencl::impl {
namespace {

std::shared_ptr<Kernel> make_kernel(const std::shared_ptr<Program>& program, const std::string& name) {
    auto& registry = cudart::Registry::get();
    auto* code = registry.library_kernel(*program->code, name);
    if (!code || registry.ready(*code) != cudaSuccess) return nullptr;
    auto kernel = std::make_shared<Kernel>();
    ++program->attached;
    kernel->program = program;
    kernel->name = name;
    kernel->code = code;
    kernel->spaces = spaces_of(program->ptx, name);
    kernel->spaces.resize(kernel->info().parameters.size(), Space::value);
    kernel->arguments.resize(kernel->info().parameters.size());
    return kernel;
}

}  // namespace

cl_kernel clCreateKernel(cl_program handle, const char* name, cl_int* code) {
    const auto program = find(handle);
    if (!program) return given<cl_kernel>(code, CL_INVALID_PROGRAM);
    if (!name) return given<cl_kernel>(code, CL_INVALID_VALUE);
    const std::lock_guard lock(program->mutex);
    if (!program->code) return given<cl_kernel>(code, CL_INVALID_PROGRAM_EXECUTABLE);
    if (std::find(program->kernels.begin(), program->kernels.end(), name) == program->kernels.end())
        return given<cl_kernel>(code, CL_INVALID_KERNEL_NAME);
    auto kernel = make_kernel(program, name);
    if (!kernel) return given<cl_kernel>(code, CL_INVALID_KERNEL_DEFINITION);
    return given(code, CL_SUCCESS, Handles<Kernel>::get().add(std::move(kernel)));
}

cl_int clCreateKernelsInProgram(cl_program handle, cl_uint count, cl_kernel* list, cl_uint* found) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    const std::lock_guard lock(program->mutex);
    if (!program->code) return CL_INVALID_PROGRAM_EXECUTABLE;
    const auto all = static_cast<cl_uint>(program->kernels.size());
    if (found) *found = all;
    if (!list) return CL_SUCCESS;
    if (count < all) return CL_INVALID_VALUE;
    for (cl_uint k = 0; k < all; ++k) {
        auto kernel = make_kernel(program, program->kernels[k]);
        if (!kernel) return CL_INVALID_KERNEL_DEFINITION;
        list[k] = Handles<Kernel>::get().add(std::move(kernel));
    }
    return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel handle, cl_int* code) {
    const auto from = find(handle);
    if (!from) return given<cl_kernel>(code, CL_INVALID_KERNEL);
    auto kernel = make_kernel(from->program, from->name);
    if (!kernel) return given<cl_kernel>(code, CL_OUT_OF_RESOURCES);
    const std::lock_guard lock(from->mutex);
    kernel->arguments = from->arguments;
    return given(code, CL_SUCCESS, Handles<Kernel>::get().add(std::move(kernel)));
}

cl_int clRetainKernel(cl_kernel kernel) {
    return Handles<Kernel>::get().retain(kernel) ? CL_SUCCESS : CL_INVALID_KERNEL;
}
cl_int clReleaseKernel(cl_kernel kernel) {
    return Handles<Kernel>::get().release(kernel) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

cl_int clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void* value) {
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
    Kernel::Argument argument;
    argument.set = true;
    switch (kernel->spaces[index]) {
        case Space::local:
            if (value) return CL_INVALID_ARG_VALUE;
            if (size == 0) return CL_INVALID_ARG_SIZE;
            argument.local = size;
            break;
        case Space::global:
        case Space::constant:
            if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
            if (const auto memory = value ? *static_cast<const cl_mem*>(value) : nullptr) {
                const auto found = find(memory);
                if (!found || found->context != kernel->program->context) return CL_INVALID_MEM_OBJECT;
                argument.memory = found;
                argument.points = true;
            }
            break;
        case Space::value:
            if (!value) return CL_INVALID_ARG_VALUE;
            if (size != kernel->info().parameters[index].size) return CL_INVALID_ARG_SIZE;
            argument.bytes.assign(static_cast<const std::byte*>(value), static_cast<const std::byte*>(value) + size);
            break;
    }
    const std::lock_guard lock(kernel->mutex);
    kernel->arguments[index] = std::move(argument);
    return CL_SUCCESS;
}

cl_int clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void* value) {
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
    const Space space = kernel->spaces[index];
    if (space != Space::global && space != Space::constant) return CL_INVALID_ARG_VALUE;
    if (value && !cudart::MemoryTable::get().find(value)) return CL_INVALID_ARG_VALUE;
    Kernel::Argument argument;
    argument.set = true;
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    argument.bytes.assign(bytes, bytes + sizeof value);
    const std::lock_guard lock(kernel->mutex);
    kernel->arguments[index] = std::move(argument);
    return CL_SUCCESS;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_uint what, size_t size, const void* value) {
    if (!find(kernel)) return CL_INVALID_KERNEL;
    if (!value || size == 0) return CL_INVALID_VALUE;
    // Kernels reach all shared virtual memory anyway.
    if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS) return CL_SUCCESS;
    return what == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
}

cl_int clGetKernelInfo(cl_kernel handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_KERNEL_FUNCTION_NAME:
            return asked.text(kernel->name);
        case CL_KERNEL_NUM_ARGS:
            return asked.number(static_cast<cl_uint>(kernel->arguments.size()));
        case CL_KERNEL_REFERENCE_COUNT:
            return asked.number(Handles<Kernel>::get().references(handle));
        case CL_KERNEL_CONTEXT:
            return asked.number(kernel->program->context->handle);
        case CL_KERNEL_PROGRAM:
            return asked.number(kernel->program->handle);
        case CL_KERNEL_ATTRIBUTES: {
            const auto& b = kernel->info().required_block;
            return asked.text(b.x ? "reqd_work_group_size(" + std::to_string(b.x) + "," + std::to_string(b.y) + "," +
                                        std::to_string(b.z) + ")"
                                  : "");
        }
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
    const auto declared =
        cudart::opencl_parameters(kernel->name, kernel->arguments.size(), kernel->program->source)[index];
    if (declared.name.empty()) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    const Asked asked{size, value, needed};
    const auto has = [&](const char* word) { return declared.type.find(word) != std::string::npos; };
    switch (what) {
        case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
            constexpr cl_uint kSpaces[] = {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                           CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL};
            return asked.number(kSpaces[static_cast<unsigned>(kernel->spaces[index])]);
        }
        case CL_KERNEL_ARG_ACCESS_QUALIFIER:
            return asked.number(cl_uint{CL_KERNEL_ARG_ACCESS_NONE});
        case CL_KERNEL_ARG_TYPE_NAME: {
            // Without qualifiers, as the specification has it: "float*".
            std::string type;
            std::string_view left = declared.type;
            while (!left.empty()) {
                const auto end = std::min(left.find(' '), left.size());
                const std::string_view word = left.substr(0, end);
                const bool qualifier = word == "const" || word == "restrict" || word == "volatile" ||
                                       word.starts_with("__global") || word.starts_with("__local") ||
                                       word.starts_with("__constant") || word == "global" || word == "local" ||
                                       word == "constant" || word == "__restrict";
                if (!qualifier && !word.empty())
                    type += (type.empty() || word[0] == '*' ? "" : " ") + std::string(word);
                left.remove_prefix(std::min(end + 1, left.size()));
            }
            return asked.text(type);
        }
        case CL_KERNEL_ARG_TYPE_QUALIFIER: {
            const bool pointer = kernel->spaces[index] != Space::value;
            cl_bitfield flags = CL_KERNEL_ARG_TYPE_NONE;
            if (pointer && (has("const ") || kernel->spaces[index] == Space::constant))
                flags |= CL_KERNEL_ARG_TYPE_CONST;
            if (pointer && has("restrict")) flags |= CL_KERNEL_ARG_TYPE_RESTRICT;
            if (pointer && has("volatile")) flags |= CL_KERNEL_ARG_TYPE_VOLATILE;
            return asked.number(flags);
        }
        case CL_KERNEL_ARG_NAME:
            return asked.text(declared.name);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device, cl_uint what, size_t size, void* value,
                                size_t* needed) {
    const auto kernel = find(handle);
    if (!kernel) return CL_INVALID_KERNEL;
    if (device ? !kernel->program->context->has(device) : kernel->program->context->devices.size() != 1)
        return CL_INVALID_DEVICE;
    const Asked asked{size, value, needed};
    const auto& info = kernel->info();
    switch (what) {
        case CL_KERNEL_WORK_GROUP_SIZE:
            return asked.number(most_threads(*kernel));
        case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
            const std::size_t group[3] = {info.required_block.x, info.required_block.y, info.required_block.z};
            return asked.bytes(group, sizeof group);
        }
        case CL_KERNEL_LOCAL_MEM_SIZE: {
            const std::lock_guard lock(kernel->mutex);
            cl_ulong bytes = info.static_shared;
            for (const auto& argument : kernel->arguments) bytes += argument.local;
            return asked.number(bytes);
        }
        case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
            return asked.number(std::size_t{warp_size()});
        case CL_KERNEL_PRIVATE_MEM_SIZE:
            return asked.number(cl_ulong{info.local});
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id, cl_uint, size_t, const void*, size_t, void*, size_t*) {
    return find(kernel) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}
cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_uint what, size_t in_size, const void* in,
                                  size_t size, void* value, size_t* needed) {
    return impl::clGetKernelSubGroupInfo(kernel, device, what, in_size, in, size, value, needed);
}

}  // namespace warpwright::opencl::impl
