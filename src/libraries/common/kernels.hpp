// Kernels that the build has compiled to PTX, as code of the process's device.
#pragma once

#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cudart/api/api.hpp"

namespace warpwright::libraries {

class Kernels {
public:
    /// Texts of PTX, which last as long as the process.
    Kernels(std::initializer_list<const char*> texts) {
        for (const char* t : texts) codes_.push_back({t, nullptr});
    }
    /// Queues the kernel of this name in blocks of 256 threads.
    cudaError_t launch(const std::string& name, dim3 grid, void** arguments, cudaStream_t stream);

private:
    struct Code {
        const char* text;
        cudaLibrary_t library;
    };
    cudaError_t find(const std::string& name, cudaKernel_t& kernel);

    std::mutex mutex_;
    std::vector<Code> codes_;
    std::map<std::string, cudaKernel_t> known_;
};

}  // namespace warpwright::libraries
