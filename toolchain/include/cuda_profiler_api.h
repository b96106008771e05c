// All that kernels need of it is in the header that the compile room includes first.
#pragma once
#define __CUDA_PROFILER_API_H__
