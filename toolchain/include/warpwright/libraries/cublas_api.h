// The name under which cuBLAS declares the same functions for programs that include no CUDA runtime.
#pragma once
#include "cublas_v2.h"
