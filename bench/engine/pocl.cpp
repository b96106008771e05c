// OpenCL C on the CPU through the ICD loader: PoCL, by its platform's name, so that another CPU driver on the same
// machine is not measured by mistake.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "backend.hpp"

namespace warpwright::bench {
namespace {

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed with OpenCL error " + std::to_string(status));
}

struct Context {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    std::map<std::string, cl_program> programs;

    cl_program program(const std::string& file, const std::string& folder) {
        if (auto found = programs.find(file); found != programs.end()) return found->second;
        std::ifstream in(file);
        if (!in) throw std::runtime_error("cannot read " + file);
        std::ostringstream text;
        text << in.rdbuf();
        const std::string source = text.str();
        const char* pointer = source.c_str();
        cl_int status = CL_SUCCESS;
        cl_program made = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
        check(status, "clCreateProgramWithSource");
        if (clBuildProgram(made, 1, &device, ("-I " + folder).c_str(), nullptr, nullptr) != CL_SUCCESS) {
            std::string log(65536, '\0');
            clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
            throw std::runtime_error(file + ": " + log.c_str());
        }
        return programs[file] = made;
    }
};

class PoclPrepared : public Prepared {
public:
    PoclPrepared(Context& context, const std::string& folder, const Problem& problem)
        : cl_(context), problem_(problem) {
        cl_program program = cl_.program(folder + "/" + problem.source + ".cl", folder);
        cl_int status = CL_SUCCESS;
        for (const Bytes& bytes : problem_.buffers) {
            buffers_.push_back(clCreateBuffer(cl_.context, CL_MEM_READ_WRITE, bytes.size(), nullptr, &status));
            check(status, "clCreateBuffer");
            write(buffers_.back(), bytes);
        }
        for (const Step& step : problem_.steps) {
            cl_kernel kernel = clCreateKernel(program, step.kernel.c_str(), &status);
            check(status, "clCreateKernel");
            for (cl_uint i = 0; i < step.arguments.size(); ++i) {
                const Value& value = step.arguments[i];
                if (const auto* buffer = std::get_if<BufferIndex>(&value))
                    status = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers_[buffer->index]);
                else if (const auto* number = std::get_if<std::int32_t>(&value))
                    status = clSetKernelArg(kernel, i, sizeof(*number), number);
                else
                    status = clSetKernelArg(kernel, i, sizeof(float), &std::get<float>(value));
                check(status, "clSetKernelArg");
            }
            kernels_.push_back(kernel);
        }
    }
    ~PoclPrepared() override {
        for (cl_kernel kernel : kernels_) clReleaseKernel(kernel);
        for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    }

    void reset() override { write(buffers_[problem_.output], problem_.buffers[problem_.output]); }

    void run() override {
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            const Step& step = problem_.steps[i];
            std::size_t global[3], local[3];
            for (int d = 0; d < 3; ++d) {
                local[d] = step.block[d];
                global[d] = std::size_t{step.grid[d]} * step.block[d];
            }
            check(clEnqueueNDRangeKernel(cl_.queue, kernels_[i], 3, nullptr, global, local, 0, nullptr, nullptr),
                  "clEnqueueNDRangeKernel");
        }
        check(clFinish(cl_.queue), "clFinish");
    }

    Bytes output() override {
        Bytes bytes(problem_.buffers[problem_.output].size());
        check(clEnqueueReadBuffer(cl_.queue, buffers_[problem_.output], CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
        return bytes;
    }

private:
    void write(cl_mem buffer, const Bytes& bytes) {
        check(clEnqueueWriteBuffer(cl_.queue, buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }

    Context& cl_;
    Problem problem_;
    std::vector<cl_mem> buffers_;
    std::vector<cl_kernel> kernels_;
};

class Pocl : public Backend {
public:
    explicit Pocl(const BackendOptions& options) : kernels_(options.kernels) {
        // Read by PoCL when its device is first opened.
        setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(options.cores).c_str(), 1);
        setenv("POCL_DEVICES", "pthread", 1);
        if (!options.cache_directory.empty()) setenv("POCL_CACHE_DIR", options.cache_directory.c_str(), 1);
        cl_uint count = 0;
        check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
        std::vector<cl_platform_id> platforms(count);
        check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
        for (cl_platform_id platform : platforms) {
            char name[256] = "";
            clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr);
            if (std::string(name).find("Portable Computing Language") == std::string::npos) continue;
            check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &cl_.device, nullptr), "clGetDeviceIDs");
        }
        if (!cl_.device) throw std::runtime_error("PoCL is not among the OpenCL platforms of this machine");
        cl_int status = CL_SUCCESS;
        cl_.context = clCreateContext(nullptr, 1, &cl_.device, nullptr, nullptr, &status);
        check(status, "clCreateContext");
        cl_.queue = clCreateCommandQueue(cl_.context, cl_.device, 0, &status);
        check(status, "clCreateCommandQueue");
    }

    std::unique_ptr<Prepared> prepare(const Problem& problem) override {
        if (!problem.opencl) throw std::runtime_error("no OpenCL C has it");
        return std::make_unique<PoclPrepared>(cl_, kernels_, problem);
    }

private:
    Context cl_;
    std::string kernels_;
};

}  // namespace

std::unique_ptr<Backend> make_pocl(const BackendOptions& options) { return std::make_unique<Pocl>(options); }

}  // namespace warpwright::bench
