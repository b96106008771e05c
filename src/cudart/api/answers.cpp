// What kernels ask of the runtime: the functions of the host answer.
#include <cstring>
#include <string>

#include "cudart/api/api.hpp"
#include "cudart/work/launch/device_launches.hpp"

extern "C" const char* cudaGetErrorName(cudaError_t error);
extern "C" const char* cudaGetErrorString(cudaError_t error);

namespace warpwright::cudart {
namespace {

template <class T>
cudaError_t give(cudaError_t error, const T& value, std::vector<std::byte>& answer) {
    if (error != cudaSuccess) return error;
    answer.resize(sizeof value);
    std::memcpy(answer.data(), &value, sizeof value);
    return cudaSuccess;
}

}  // namespace

std::uint32_t answer_as_runtime(device::Question question, const void* kernel, const std::uint64_t* a,
                                std::vector<std::byte>& answer) {
    using Q = device::Question;
    int number = 0;
    switch (question) {
        case Q::attribute: {
            const auto e =
                impl::cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(a[0]), static_cast<int>(a[1]));
            return give(e, number, answer);
        }
        case Q::limit: {
            size_t value = 0;
            const auto e = impl::cudaDeviceGetLimit(&value, static_cast<cudaLimit>(a[0]));
            return give(e, std::uint64_t{value}, answer);
        }
        case Q::function_attributes: {
            cudaFuncAttributes attributes;
            const auto e = impl::cudaFuncGetAttributes(&attributes, kernel);
            return give(e, attributes, answer);
        }
        case Q::occupancy: {
            const auto e =
                impl::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel, static_cast<int>(a[0]), a[1]);
            return give(e, number, answer);
        }
        case Q::error_name:
        case Q::error_string: {
            const auto code = static_cast<cudaError_t>(a[0]);
            const std::string text = question == Q::error_name ? cudaGetErrorName(code) : cudaGetErrorString(code);
            answer.resize(text.size() + 1);
            std::memcpy(answer.data(), text.c_str(), answer.size());
            return cudaSuccess;
        }
        case Q::version:
            return give(impl::cudaRuntimeGetVersion(&number), number, answer);
        case Q::devices:
            return give(impl::cudaGetDeviceCount(&number), number, answer);
        case Q::set_conditional:
        case Q::launch_graph:
            break;  // of the launch itself
    }
    return cudaErrorNotSupported;
}

}  // namespace warpwright::cudart
