// The C interface to asynchronous copies; cuda::pipeline is no part of it.
#pragma once

#include "cuda_pipeline_primitives.h"
