// Programs: from source or from bytes, built, compiled and linked, and what is told of them.
#include <cstring>
#include <set>

#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/build.hpp"

namespace warpwright::opencl::impl {
namespace {

/// Names of sources in messages, in the order of their programs.
std::string next_name() {
    static std::atomic<unsigned> count{0};
    return "program" + std::to_string(++count) + ".cl";
}

/// Whether a list of devices, which may be left out, is of the context's.
cl_int check_devices(const Context& context, cl_uint count, const cl_device_id* list) {
    if ((count == 0) != (list == nullptr)) return CL_INVALID_VALUE;
    for (cl_uint k = 0; k < count; ++k)
        if (!context.has(list[k])) return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

}  // namespace

cl_program clCreateProgramWithSource(cl_context handle, cl_uint count, const char** texts, const size_t* lengths,
                                     cl_int* code) {
    const auto context = find(handle);
    if (!context) return given<cl_program>(code, CL_INVALID_CONTEXT);
    if (!count || !texts) return given<cl_program>(code, CL_INVALID_VALUE);
    auto program = std::make_shared<Program>();
    for (cl_uint k = 0; k < count; ++k) {
        if (!texts[k]) return given<cl_program>(code, CL_INVALID_VALUE);
        const std::size_t length = lengths && lengths[k] ? lengths[k] : std::strlen(texts[k]);
        program->source.append(texts[k], length);
    }
    // Programs give lengths that count the 0 at the end.
    while (!program->source.empty() && program->source.back() == '\0') program->source.pop_back();
    program->context = context;
    program->name = next_name();
    return given(code, CL_SUCCESS, Handles<Program>::get().add(std::move(program)));
}

cl_program clCreateProgramWithBinary(cl_context handle, cl_uint count, const cl_device_id* list, const size_t* lengths,
                                     const unsigned char** binaries, cl_int* states, cl_int* code) {
    const auto context = find(handle);
    if (!context) return given<cl_program>(code, CL_INVALID_CONTEXT);
    if (!count || !list || !lengths || !binaries) return given<cl_program>(code, CL_INVALID_VALUE);
    if (const cl_int bad = check_devices(*context, count, list); bad != CL_SUCCESS) return given<cl_program>(code, bad);
    if (std::set<cl_device_id>(list, list + count).size() != count) return given<cl_program>(code, CL_INVALID_DEVICE);
    auto program = std::make_shared<Program>();
    program->context = context;
    program->name = next_name();
    cl_int result = CL_SUCCESS;
    // All devices are alike: the last binary is as good as the first.
    for (cl_uint k = 0; k < count; ++k) {
        cl_int state = CL_INVALID_VALUE;
        if (binaries[k] && lengths[k])
            state = from_binary(*program, {reinterpret_cast<const char*>(binaries[k]), lengths[k]}) ? CL_SUCCESS
                                                                                                    : CL_INVALID_BINARY;
        if (states) states[k] = state;
        if (state != CL_SUCCESS) result = state;
    }
    if (result != CL_SUCCESS) return given<cl_program>(code, result);
    return given(code, CL_SUCCESS, Handles<Program>::get().add(std::move(program)));
}

cl_program clCreateProgramWithIL(cl_context context, const void*, size_t, cl_int* code) {
    return given<cl_program>(code, find(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint, const cl_device_id*, const char*,
                                             cl_int* code) {
    return given<cl_program>(code, find(context) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT);
}

cl_int clRetainProgram(cl_program program) {
    return Handles<Program>::get().retain(program) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}
cl_int clReleaseProgram(cl_program program) {
    return Handles<Program>::get().release(program) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

cl_int clBuildProgram(cl_program handle, cl_uint count, const cl_device_id* list, const char* options,
                      ProgramNotify notify, void* data) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    if (!notify && data) return CL_INVALID_VALUE;
    if (const cl_int bad = check_devices(*program->context, count, list); bad != CL_SUCCESS) return bad;
    const cl_int result = build(*program, options ? options : "");
    if (notify) notify(handle, data);
    return result;
}

cl_int clCompileProgram(cl_program handle, cl_uint count, const cl_device_id* list, const char* options,
                        cl_uint headers, const cl_program* texts, const char** names, ProgramNotify notify,
                        void* data) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    if ((!notify && data) || (headers == 0) != (texts == nullptr) || (headers == 0) != (names == nullptr))
        return CL_INVALID_VALUE;
    if (const cl_int bad = check_devices(*program->context, count, list); bad != CL_SUCCESS) return bad;
    if (program->source.empty()) return CL_INVALID_OPERATION;
    std::vector<std::pair<std::string, std::string>> files;
    for (cl_uint k = 0; k < headers; ++k) {
        const auto header = find(texts[k]);
        if (!header) return CL_INVALID_PROGRAM;
        if (!names[k]) return CL_INVALID_VALUE;
        files.emplace_back(names[k], header->source);
    }
    const cl_int result = compile_only(*program, options ? options : "", std::move(files));
    if (notify) notify(handle, data);
    return result;
}

cl_program clLinkProgram(cl_context handle, cl_uint count, const cl_device_id* list, const char* options,
                         cl_uint programs, const cl_program* parts, ProgramNotify notify, void* data, cl_int* code) {
    const auto context = find(handle);
    if (!context) return given<cl_program>(code, CL_INVALID_CONTEXT);
    if (!programs || !parts || (!notify && data)) return given<cl_program>(code, CL_INVALID_VALUE);
    if (const cl_int bad = check_devices(*context, count, list); bad != CL_SUCCESS) return given<cl_program>(code, bad);
    std::vector<std::shared_ptr<Program>> all;
    for (cl_uint k = 0; k < programs; ++k) {
        all.push_back(find(parts[k]));
        if (!all.back()) return given<cl_program>(code, CL_INVALID_PROGRAM);
        if (all.back()->ptx.empty()) return given<cl_program>(code, CL_INVALID_OPERATION);
    }
    auto program = std::make_shared<Program>();
    program->context = context;
    program->name = next_name();
    const cl_int result = link(*program, all, options ? options : "");
    // A program that could not be linked has its log all the same.
    const cl_program made = Handles<Program>::get().add(std::move(program));
    if (notify) notify(made, data);
    if (code) *code = result;
    return made;
}

cl_int clUnloadCompiler() { return CL_SUCCESS; }
cl_int clUnloadPlatformCompiler(cl_platform_id platform) { return find(platform) ? CL_SUCCESS : CL_INVALID_PLATFORM; }

cl_int clGetProgramInfo(cl_program handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    const Asked asked{size, value, needed};
    const auto& list = program->context->devices;
    const std::lock_guard lock(program->mutex);
    const bool built = program->code != nullptr;
    switch (what) {
        case CL_PROGRAM_REFERENCE_COUNT:
            return asked.number(Handles<Program>::get().references(handle));
        case CL_PROGRAM_CONTEXT:
            return asked.number(program->context->handle);
        case CL_PROGRAM_NUM_DEVICES:
            return asked.number(static_cast<cl_uint>(list.size()));
        case CL_PROGRAM_DEVICES:
            return asked.list(list);
        case CL_PROGRAM_SOURCE:
            return asked.text(program->source);
        case CL_PROGRAM_BINARY_SIZES:
            return asked.list(
                std::vector<std::size_t>(list.size(), program->ptx.empty() ? 0 : to_binary(*program).size()));
        case CL_PROGRAM_BINARIES: {
            if (value && size < list.size() * sizeof(void*)) return CL_INVALID_VALUE;
            const std::string bytes = to_binary(*program);
            for (std::size_t k = 0; value && k < list.size(); ++k)
                if (void* to = static_cast<void**>(value)[k]; to && !program->ptx.empty())
                    std::memcpy(to, bytes.data(), bytes.size());
            if (needed) *needed = list.size() * sizeof(void*);
            return CL_SUCCESS;
        }
        case CL_PROGRAM_NUM_KERNELS:
            return built ? asked.number(program->kernels.size()) : CL_INVALID_PROGRAM_EXECUTABLE;
        case CL_PROGRAM_KERNEL_NAMES: {
            std::string names;
            for (const auto& name : program->kernels) names += (names.empty() ? "" : ";") + name;
            return built ? asked.text(names) : CL_INVALID_PROGRAM_EXECUTABLE;
        }
        case CL_PROGRAM_IL:
            return asked.bytes(nullptr, 0);
        case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
        case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
            return asked.flag(false);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program handle, cl_device_id device, cl_uint what, size_t size, void* value,
                             size_t* needed) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    if (!program->context->has(device)) return CL_INVALID_DEVICE;
    const Asked asked{size, value, needed};
    const std::lock_guard lock(program->mutex);
    switch (what) {
        case CL_PROGRAM_BUILD_STATUS:
            return asked.number(program->status);
        case CL_PROGRAM_BUILD_OPTIONS:
            return asked.text(program->options);
        case CL_PROGRAM_BUILD_LOG:
            return asked.text(program->log);
        case CL_PROGRAM_BINARY_TYPE:
            return asked.number(program->binary_type);
        case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
            return asked.number(std::size_t{0});
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clSetProgramReleaseCallback(cl_program handle, ProgramNotify notify, void* data) {
    const auto program = find(handle);
    if (!program) return CL_INVALID_PROGRAM;
    if (!notify) return CL_INVALID_VALUE;
    program->destructors.add([=] { notify(handle, data); });
    return CL_SUCCESS;
}
cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint, size_t, const void*) {
    return find(program) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

}  // namespace warpwright::opencl::impl
