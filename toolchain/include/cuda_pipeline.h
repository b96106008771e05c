// The C interface to asynchronous copies; cuda::pipeline is no part of it.
#pragma once
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"
