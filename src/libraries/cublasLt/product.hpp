// A product as a program describes it, checked, and as the kernels compute it.
#pragma once

#include <string>

#include "libraries/cublasLt/matrices.hpp"

namespace warpwright::libraries::lt {

/// What a product consists of beside its factors.
struct Request {
    std::optional<MatmulDesc> desc;
    std::optional<Layout> a, b, c, d;
};

struct Plan {
    ww_lt::Product product{};
    std::string kernel;
    unsigned tiles = 0, batches = 0;
    int sums = 0;  ///< the epilogue that sums rows: CUBLASLT_EPILOGUE_BGRADA, BGRADB, or 16 (of D); 0: none
};

/// The product without its memory and factors. Other than success: why it cannot be; `say` names on standard error what
/// is not supported.
cublasStatus_t plan(const Request& request, Plan& plan, bool say);

}  // namespace warpwright::libraries::lt
