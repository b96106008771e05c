// A library that stands for NVIDIA's driver and CUPTI at once: nothing runs, but callbacks come and records are handed
// over as the real ones do. A made-up program (program.cpp) tells it what "happens".
#pragma once

#include <cstdint>

extern "C" {
/// What cuInit does: loads the library that CUDA_INJECTION64_PATH names and calls it.
int made_up_start();
/// A launch by cudaLaunchKernel, which calls cuLaunchKernel within itself.
void made_up_launch(const char* kernel, unsigned grid, unsigned block, unsigned shared, std::uint32_t stream);
/// One by cuLaunchKernelEx.
void made_up_launch_ex(const char* kernel, unsigned grid, unsigned block, std::uint32_t stream);
void made_up_copy(int kind, std::uint64_t bytes, std::uint32_t stream);
void made_up_set(std::uint64_t bytes, std::uint32_t stream);
/// A graph of two kernels.
void made_up_graph(const char* kernel);
/// Streams are being recorded from now on (1) or not (0).
void made_up_capture(int on);
}
