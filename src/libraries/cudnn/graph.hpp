// A graph of operations as kernels of ours compute it: one or a few for each operation, in an order in which each finds
// what it reads; what lies between them is kept in the work space.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "dnn/graph.cuh"
#include "libraries/cudnn/backend.hpp"
#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {

using i64 = std::int64_t;

/// A tensor of a graph. Strides are in elements.
struct Tensor {
    i64 uid = 0;
    int type = CUDNN_DATA_FLOAT, dims = 0;
    std::array<i64, CUDNN_DIM_MAX> size{}, apart{};
    i64 from = 0;  ///< elements of its memory before the first one
    bool is_virtual = false, by_value = false;
    std::optional<double> constant;

    i64 count() const;
    /// From the first element to behind the last one.
    i64 reach() const;
    bool same_sizes(const Tensor& other) const;
};
/// What a finished descriptor describes, if there can be such a tensor.
Status tensor_of(const Descriptor& d, Tensor& to);
/// The number of a type at an address of the program.
double number_at(const void* at, int type);
/// Whether kernels of graphs read and write such elements.
bool is_computed(int type);

struct Run;
struct Step {
    std::vector<i64> reads, writes;
    std::function<Status(const Run&)> run;
};
struct Plan {
    std::vector<Step> steps;
    std::map<i64, i64> bytes;    ///< of virtual tensors
    std::map<i64, i64> offsets;  ///< of them in the work space
    std::map<i64, i64> views;    ///< tensors that are others' memory
    std::set<i64> wanted;        ///< that a program must give
    i64 workspace = 0, temporaries = 0;

    /// A tensor of a plan's own, packed.
    Tensor temporary(int type, const Tensor& of_size);
    Status add(std::vector<const Tensor*> reads, std::vector<const Tensor*> writes,
               std::function<Status(const Run&)> run);
    Status note(const Tensor& t);
};
/// One execution: where each tensor lies.
struct Run {
    Handle handle;
    const Plan& plan;
    std::map<i64, i64> given;
    i64 workspace;

    Status all() const;
    void* at(const Tensor& t) const;
    /// The number of a tensor that is given by value.
    double value(const Tensor& t) const;
};

/// The plan of an operation graph, or why there is none; a line names what is not supported.
Status plan_for(const Descriptor& graph, std::shared_ptr<const Plan>& to);
bool is_operation(int kind);
/// Whether an operation lacks something, or what it has does not go together.
bool wrong_operation(const Descriptor& operation);

/// The positions of a tensor, and each operand's strides over them. A dimension of which an operand has a part of the
/// size (heads that share keys) becomes two.
struct Layout {
    ww_dnn::Places lines{}, elements{};
    std::vector<std::array<i64, ww_dnn::kMostPlaces>> apart;
};
/// Positions of which `line_of` has one for several are a line's elements; null: each is a line of its own. Neighbours
/// that lie alike in all operands become one place where `joins`. Nothing where an operand does not go with `over`.
std::optional<Layout> lay_out(const Tensor& over, const std::vector<const Tensor*>& operands, const Tensor* line_of,
                              bool joins = true);
ww_dnn::Operand operand(const Run& run, const Tensor& t, const Layout& layout, std::size_t which);
/// "_f64" where a tensor has doubles, or integers that floats do not hold.
const char* arithmetic_of(std::initializer_list<const Tensor*> tensors);
Status launch_over_lines(const Run& run, const std::string& kernel, const char* arithmetic, const Layout& layout,
                         void* argument);

// What each operation adds to a plan. Those with a status fail for what cannot be, or is not supported.
struct PointwiseOf {
    int mode = 0, axis = -1, precision = CUDNN_DATA_FLOAT;
    double alpha_x = 1, alpha_b = 1, lower = 0, upper = 0, slope = 0, elu = 1, softplus = 1, swish = 1;
};
Status add_pointwise(Plan& plan, const PointwiseOf& of, const Tensor& out, const Tensor* x, const Tensor* b,
                     const Tensor* t);
struct MatmulOf {
    const Tensor *rows = nullptr, *columns = nullptr, *depth = nullptr;  ///< how many there are, for each product
    double otherwise = 0;
    const Tensor* scale = nullptr;  ///< a number of the host's
};
Status add_matmul(Plan& plan, const MatmulOf& of, const Tensor& a, const Tensor& b, const Tensor& c);
Status add_reduction(Plan& plan, int kind, const Tensor& x, const Tensor& y);
struct SoftmaxOf {
    const Tensor *sink = nullptr, *stats = nullptr, *most = nullptr, *sum = nullptr;
    bool by_two = false;
};
/// Of an operation of softmax: sink, statistics, largest, sum.
Status read_softmax_outputs(const Descriptor& operation, std::optional<Tensor> (&to)[4], bool& by_two);
Status add_softmax(Plan& plan, const SoftmaxOf& of, const Tensor& x, const Tensor& y);
Status add_random(Plan& plan, int kind, double first, double second, const Tensor& seed, const Tensor* offset,
                  const Tensor& out);

// Readers of operations' descriptors.
Status read_operation(const Descriptor& operation, Plan& plan);
Status read_convolution(const Descriptor& operation, Plan& plan);
Status read_pointwise(const Descriptor& operation, Plan& plan);
Status read_matmul(const Descriptor& operation, Plan& plan);
Status read_reduction(const Descriptor& operation, Plan& plan);
Status read_norm(const Descriptor& operation, Plan& plan);
Status read_norm_gradient(const Descriptor& operation, Plan& plan);
Status read_resample(const Descriptor& operation, Plan& plan);
Status read_softmax(const Descriptor& operation, Plan& plan);
Status read_band_mask(const Descriptor& operation, Plan& plan);
Status read_random(const Descriptor& operation, Plan& plan);
Status read_reshape(const Descriptor& operation, Plan& plan);
Status read_transpose(const Descriptor& operation, Plan& plan);
Status read_slice(const Descriptor& operation, Plan& plan);
Status read_concat(const Descriptor& operation, Plan& plan);
Status read_statistics(const Descriptor& operation, Plan& plan);
Status read_attention(const Descriptor& operation, Plan& plan);

/// The tensor of an attribute; kWrong where it is missing.
Status tensor_at(const Descriptor& of, int attribute, Tensor& to);
/// The same where it may be missing.
Status tensor_if(const Descriptor& of, int attribute, std::optional<Tensor>& to);
inline const Tensor* pointer(const std::optional<Tensor>& t) { return t ? &*t : nullptr; }

}  // namespace warpwright::libraries::dnn
