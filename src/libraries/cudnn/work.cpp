// Dimensions that lie alike in all tensors of a function become one, so that a kernel divides its positions into as few
// numbers as there must be.
#include "libraries/cudnn/work.hpp"

#include <algorithm>
#include <limits>

#include "cudart/state/runtime.hpp"
#include "libraries/common/kernels.hpp"

extern "C" const char ww_dnn_elements[];
extern "C" const char ww_dnn_lines[];
extern "C" const char ww_dnn_pooling[];
extern "C" const char ww_dnn_convolution_f32[];
extern "C" const char ww_dnn_convolution_f64[];
extern "C" const char ww_dnn_convolution_f16[];
extern "C" const char ww_dnn_convolution_bf16[];
extern "C" const char ww_dnn_convolution_mixed[];
extern "C" const char ww_dnn_graph_pointwise[];
extern "C" const char ww_dnn_graph_matmul[];
extern "C" const char ww_dnn_graph_lines[];

namespace warpwright::libraries::dnn {
namespace {

/// The kernels of a file, which is read when one of them is first needed.
Kernels& kernels(Code code) {
    static auto* all = new Kernels[]{
        {ww_dnn_elements},        {ww_dnn_lines},           {ww_dnn_pooling},          {ww_dnn_convolution_f32},
        {ww_dnn_convolution_f64}, {ww_dnn_convolution_f16}, {ww_dnn_convolution_bf16}, {ww_dnn_convolution_mixed},
        {ww_dnn_graph_pointwise}, {ww_dnn_graph_matmul},    {ww_dnn_graph_lines}};
    return all[static_cast<std::size_t>(code)];
}

unsigned blocks(std::int64_t needed) {
    constexpr std::int64_t kMost = 1 << 20;
    return static_cast<unsigned>(std::clamp<std::int64_t>(needed, 1, kMost));
}

}  // namespace

std::int64_t Shape::count() const {
    std::int64_t all = 1;
    for (int d = 0; d < dims; ++d) all *= size[static_cast<std::size_t>(d)];
    return all;
}

std::int64_t Shape::reach() const {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) last += std::int64_t{size[d] - 1} * apart[d];
    return last + 1;
}

bool Shape::same_sizes(const Shape& other) const {
    return dims == other.dims && std::equal(size.begin(), size.begin() + dims, other.size.begin());
}

bool has_kernels(cudnnDataType_t type) {
    return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
           type == CUDNN_DATA_BFLOAT16;
}

Status refuse(const std::string& what) {
    cudart::Runtime::get().say("cuDNN: " + what + " is not supported by the emulated GPU's library");
    return CUDNN_STATUS_NOT_SUPPORTED;
}

const char* arithmetic(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? "_f64" : "_f32"; }

double factor(const void* at, cudnnDataType_t type, double otherwise) {
    if (!at) return otherwise;
    if (type == CUDNN_DATA_DOUBLE) return *static_cast<const double*>(at);
    return static_cast<double>(*static_cast<const float*>(at));
}

bool spreads_over(const Shape& part, const Shape& whole) {
    if (part.dims != whole.dims) return false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.dims); ++d)
        if (part.size[d] != whole.size[d] && part.size[d] != 1) return false;
    return true;
}

ww_dnn::Walk walk(const Shape& over, const std::vector<const Shape*>& tensors, const std::vector<bool>& takes) {
    ww_dnn::Walk w{};
    w.count = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(over.dims); ++d) {
        const auto size = static_cast<unsigned>(over.size[d]);
        if (!takes[d] || size == 1) continue;
        w.count *= size;
        const auto here = [&](std::size_t t) -> ww_dnn::i64 {
            return tensors[t]->size[d] == 1 ? 0 : tensors[t]->apart[d];
        };
        bool joined = w.dims > 0;
        for (std::size_t t = 0; t < tensors.size(); ++t)
            joined = joined && w.apart[t][w.dims - 1] == here(t) * static_cast<ww_dnn::i64>(size);
        const int to = joined ? w.dims - 1 : w.dims;
        w.size[to] = joined ? w.size[to] * size : size;
        for (std::size_t t = 0; t < tensors.size(); ++t) w.apart[t][to] = here(t);
        if (!joined) ++w.dims;
    }
    return w;
}

ww_dnn::Walk walk(const Shape& over, const std::vector<const Shape*>& tensors) {
    return walk(over, tensors, std::vector<bool>(static_cast<std::size_t>(over.dims), true));
}

ww_dnn::Image image(const Shape& shape, const void* at) {
    ww_dnn::Image out{};
    out.at = const_cast<void*>(at);
    out.type = shape.type;
    const int missing = 5 - shape.dims;
    for (int d = 0; d < 5; ++d) {
        const int from = d < 2 ? d : d - missing;
        const bool there = d < 2 || from >= 2;
        out.size[d] = there ? shape.size[static_cast<std::size_t>(from)] : 1;
        out.apart[d] = there ? shape.apart[static_cast<std::size_t>(from)] : 0;
    }
    return out;
}

Status launch(Handle h, Code code, const std::string& kernel, dim3 grid, void* argument) {
    const auto context = find<Context>(h);
    if (!context) return CUDNN_STATUS_NOT_INITIALIZED;
    void* arguments[] = {argument};
    const auto e = kernels(code).launch(kernel, grid, arguments, context->stream);
    return e == cudaSuccess                 ? CUDNN_STATUS_SUCCESS
           : e == cudaErrorMemoryAllocation ? CUDNN_STATUS_ALLOC_FAILED
                                            : CUDNN_STATUS_EXECUTION_FAILED;
}

Status launch_elements(Handle h, Code code, const std::string& kernel, std::int64_t count, void* argument) {
    return launch(h, code, kernel, dim3(blocks((count + ww_dnn::kThreads - 1) / ww_dnn::kThreads)), argument);
}

Status launch_lines(Handle h, const std::string& kernel, cudnnDataType_t type, const ww_dnn::Lines& lines,
                    void* argument) {
    // From so many elements on, a block has a line.
    constexpr unsigned kOfBlock = 1024, kWarps = ww_dnn::kThreads / 32;
    const bool by_blocks = lines.elements.count >= kOfBlock;
    const std::int64_t needed = by_blocks ? lines.lines.count : (std::int64_t{lines.lines.count} + kWarps - 1) / kWarps;
    return launch(h, Code::lines, "dnn_" + kernel + (by_blocks ? "_block" : "_warp") + arithmetic(type),
                  dim3(blocks(needed)), argument);
}

}  // namespace warpwright::libraries::dnn
