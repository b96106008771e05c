// What a library has no kernel for, OpenBLAS computes on the host: device memory is the host's, so it need only wait
// for its turn in the stream. OpenBLAS has LAPACK inside.
#pragma once

#include <functional>
#include <string>

#include "cudart/api/api.hpp"

namespace warpwright::libraries {

/// A routine of OpenBLAS, which is loaded when one is first needed; nullptr, and a line on standard error that begins
/// with the library's name: there is none.
void* host_routine(const char* library, const std::string& name);
/// Queues work of the host on a stream. A line says once that `function` is computed so.
cudaError_t on_host(const char* library, const char* function, cudaStream_t stream, std::function<void()> work);

}  // namespace warpwright::libraries
