// Softmax, reductions and batch normalisation: kernels/dnn/lines.cu.
#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// A tensor of a function: its descriptor, its memory, and its shape once found.
struct Operand {
    void* desc;
    const void* at;
    std::shared_ptr<Shape> shape{};
};

/// Looks the shapes up: all of one size, with elements that the kernels know and one arithmetic.
Status look_up(std::vector<Operand>& operands, const char* what) {
    for (auto& o : operands) {
        o.shape = find<Shape>(o.desc);
        if (!o.shape || o.shape->dims < 2 || !o.at) return kWrong;
        if (!has_kernels(o.shape->type)) return refuse(std::string(what) + " of integers or small floats");
        const auto& first = *operands.front().shape;
        if (!o.shape->same_sizes(first)) return kWrong;
        if ((o.shape->type == CUDNN_DATA_DOUBLE) != (first.type == CUDNN_DATA_DOUBLE))
            return refuse(std::string(what) + " of doubles and other floats");
    }
    return kDone;
}

/// Lines of the dimensions that are not `within` a line.
ww_dnn::Lines lines(const std::vector<Operand>& operands, const std::vector<bool>& within) {
    ww_dnn::Lines out{};
    std::vector<const Shape*> shapes;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        shapes.push_back(operands[k].shape.get());
        out.tensors.at[k] = const_cast<void*>(operands[k].at);
        out.tensors.type[k] = operands[k].shape->type;
    }
    auto between = within;
    between.flip();
    out.elements = walk(*shapes[0], shapes, within);
    out.lines = walk(*shapes[0], shapes, between);
    return out;
}

/// Which dimensions are all but these two.
std::vector<bool> all_but(const Shape& shape, int a, int b = -1) {
    std::vector<bool> out(static_cast<std::size_t>(shape.dims), true);
    for (const int d : {a, b})
        if (d >= 0) out[static_cast<std::size_t>(d)] = false;
    return out;
}

Status softmax_either(Handle h, const char* kernel, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                      std::vector<Operand> operands, const void* alpha, const void* beta) {
    if (algorithm < CUDNN_SOFTMAX_FAST || algorithm > CUDNN_SOFTMAX_LOG) return kWrong;
    if (mode != CUDNN_SOFTMAX_MODE_INSTANCE && mode != CUDNN_SOFTMAX_MODE_CHANNEL) return kWrong;
    if (const auto s = look_up(operands, "softmax"); s != kDone) return s;
    const Shape& shape = *operands.front().shape;
    auto within = all_but(shape, 0);
    if (mode == CUDNN_SOFTMAX_MODE_CHANNEL)
        for (std::size_t d = 0; d < within.size(); ++d) within[d] = d == 1;
    ww_dnn::Softmax s{};
    s.lines = lines(operands, within);
    s.log = algorithm == CUDNN_SOFTMAX_LOG;
    s.shifted = algorithm != CUDNN_SOFTMAX_FAST;
    s.alpha = factor(alpha, shape.type, 1), s.beta = factor(beta, shape.type, 0);
    return launch_lines(h, kernel, shape.type, s.lines, &s);
}

}  // namespace

Status softmax(Handle h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void* alpha, void* x_desc,
               const void* x, const void* beta, void* y_desc, void* y) {
    return softmax_either(h, "softmax", algorithm, mode, {{y_desc, y}, {x_desc, x}}, alpha, beta);
}
Status softmax_back(Handle h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void* alpha,
                    void* y_desc, const void* y, void* dy_desc, const void* dy, const void* beta, void* dx_desc,
                    void* dx) {
    return softmax_either(h, "softmax_gradient", algorithm, mode, {{dx_desc, dx}, {y_desc, y}, {dy_desc, dy}}, alpha,
                          beta);
}

Status set_reduction(void* desc, const Reduction& reduction) {
    const auto to = find<Reduction>(desc);
    if (!to || reduction.op < CUDNN_REDUCE_TENSOR_ADD || reduction.op > CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS) return kWrong;
    *to = reduction;
    return kDone;
}
Status get_reduction(void* desc, cudnnReduceTensorOp_t* op, cudnnDataType_t* type, cudnnNanPropagation_t* nan,
                     cudnnReduceTensorIndices_t* indices, cudnnIndicesType_t* of) {
    const auto r = find<Reduction>(desc);
    if (!r) return kWrong;
    give(r->op, op), give(r->type, type), give(r->nan, nan), give(r->indices, indices), give(r->of, of);
    return kDone;
}
Status get_reduction_room(Handle h, void* a_desc, void* c_desc, size_t* bytes) {
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!find<Shape>(a_desc) || !find<Shape>(c_desc) || !bytes) return kWrong;
    *bytes = 0;
    return kDone;
}

namespace {

/// c, by lines, from a.
Status reduce_to(Handle h, int kind, const void* alpha, void* a_desc, const void* a, const void* beta, void* c_desc,
                 void* c) {
    std::vector<Operand> operands{{c_desc, c, find<Shape>(c_desc)}, {a_desc, a, find<Shape>(a_desc)}};
    const auto &to = operands[0].shape, &from = operands[1].shape;
    if (!to || !from || !c || !a || to->dims == 0 || !spreads_over(*to, *from)) return kWrong;
    if (!has_kernels(to->type) || !has_kernels(from->type)) return refuse("a reduction of integers or small floats");
    if ((to->type == CUDNN_DATA_DOUBLE) != (from->type == CUDNN_DATA_DOUBLE))
        return refuse("a reduction of doubles to other floats");
    std::vector<bool> within(static_cast<std::size_t>(from->dims));
    for (std::size_t d = 0; d < within.size(); ++d) within[d] = to->size[d] == 1;
    // Walks go over the sizes of what is read.
    std::swap(operands[0], operands[1]);
    ww_dnn::Reduce r{};
    r.lines = lines(operands, within);
    for (auto* walked : {&r.lines.lines, &r.lines.elements}) std::swap(walked->apart[0], walked->apart[1]);
    std::swap(r.lines.tensors.at[0], r.lines.tensors.at[1]);
    std::swap(r.lines.tensors.type[0], r.lines.tensors.type[1]);
    r.kind = kind;
    const auto type = operands[0].shape->type;
    r.alpha = factor(alpha, type, 1), r.beta = factor(beta, type, 0);
    return launch_lines(h, "reduce", type, r.lines, &r);
}

}  // namespace

Status reduce(Handle h, void* reduction, const void* alpha, void* a_desc, const void* a, const void* beta, void* c_desc,
              void* c) {
    const auto r = find<Reduction>(reduction);
    if (!r) return kWrong;
    if (r->indices != CUDNN_REDUCE_TENSOR_NO_INDICES) return refuse("a reduction that gives indices");
    return reduce_to(h, r->op, alpha, a_desc, a, beta, c_desc, c);
}

Status convolve_back_bias(Handle h, const void* alpha, void* dy_desc, const void* dy, const void* beta, void* db_desc,
                          void* db) {
    const auto to = find<Shape>(db_desc), from = find<Shape>(dy_desc);
    if (!to || !from || to->dims < 2 || to->count() != to->size[1] || to->size[1] != from->size[1]) return kWrong;
    return reduce_to(h, CUDNN_REDUCE_TENSOR_ADD, alpha, dy_desc, dy, beta, db_desc, db);
}

namespace {

bool known(cudnnBatchNormMode_t mode) {
    return mode >= CUDNN_BATCHNORM_PER_ACTIVATION && mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
}

/// The shape of scale, bias and the like: an element for each channel, or for each activation.
Shape parameters_of(const Shape& x, cudnnBatchNormMode_t mode) {
    Shape out = x;
    out.type = x.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    int next = 1;
    for (int d = x.dims - 1; d >= 0; --d) {
        const auto k = static_cast<std::size_t>(d);
        if (d == 0 || (d > 1 && mode != CUDNN_BATCHNORM_PER_ACTIVATION)) out.size[k] = 1;
        out.apart[k] = next;
        next *= out.size[k];
    }
    return out;
}

/// What the three functions share: the lines are channels or activations.
Status prepare(Handle h, cudnnBatchNormMode_t mode, std::vector<Operand> operands, void* of, ww_dnn::Norm& n,
               cudnnDataType_t& type) {
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!known(mode)) return kWrong;
    if (const auto s = look_up(operands, "normalisation"); s != kDone) return s;
    const Shape& x = *operands.front().shape;
    type = x.type;
    const auto parameters = find<Shape>(of);
    const Shape wanted = parameters_of(x, mode);
    if (!parameters || !parameters->same_sizes(wanted) || parameters->type != wanted.type) return kWrong;
    for (std::size_t d = 0; d < static_cast<std::size_t>(wanted.dims); ++d)
        if (wanted.size[d] > 1 && parameters->apart[d] != wanted.apart[d])
            return refuse("parameters of a normalisation with gaps");
    auto within = all_but(x, 1);
    if (mode == CUDNN_BATCHNORM_PER_ACTIVATION)
        for (std::size_t d = 0; d < within.size(); ++d) within[d] = d == 0;
    n.lines = lines(operands, within);
    return kDone;
}

}  // namespace

Status derive_norm(void* desc, void* x_desc, cudnnBatchNormMode_t mode) {
    const auto to = find<Shape>(desc), x = find<Shape>(x_desc);
    if (!to || !x || x->dims < 2 || !known(mode)) return kWrong;
    *to = parameters_of(*x, mode);
    return kDone;
}

Status normalise(Handle h, cudnnBatchNormMode_t mode, const void* alpha, const void* beta, void* x_desc, const void* x,
                 void* y_desc, void* y, void* of, const NormTraining& t) {
    ww_dnn::Norm n{};
    cudnnDataType_t type{};
    if (const auto s = prepare(h, mode, {{y_desc, y}, {x_desc, x}}, of, n, type); s != kDone) return s;
    if (!t.scale || !t.bias || !t.mean != !t.variance || !t.saved_mean != !t.saved_inverse || !(t.epsilon >= 0))
        return kWrong;
    n.scale = t.scale, n.bias = t.bias, n.running_mean = t.mean, n.running_variance = t.variance;
    n.mean = t.saved_mean, n.inverse = t.saved_inverse;
    n.factor = t.factor, n.epsilon = t.epsilon;
    n.alpha = factor(alpha, type, 1), n.beta = factor(beta, type, 0);
    return launch_lines(h, "norm_training", type, n.lines, &n);
}
Status normalise_by(Handle h, cudnnBatchNormMode_t mode, const void* alpha, const void* beta, void* x_desc,
                    const void* x, void* y_desc, void* y, void* of, const void* scale, const void* bias,
                    const void* mean, const void* variance, double epsilon) {
    ww_dnn::Norm n{};
    cudnnDataType_t type{};
    if (const auto s = prepare(h, mode, {{y_desc, y}, {x_desc, x}}, of, n, type); s != kDone) return s;
    if (!scale || !bias || !mean || !variance || !(epsilon >= 0)) return kWrong;
    n.scale = scale, n.bias = bias, n.epsilon = epsilon;
    n.running_mean = const_cast<void*>(mean), n.running_variance = const_cast<void*>(variance);
    n.alpha = factor(alpha, type, 1), n.beta = factor(beta, type, 0);
    return launch_lines(h, "norm_inference", type, n.lines, &n);
}
Status normalise_back(Handle h, cudnnBatchNormMode_t mode, const NormFactors& f, void* x_desc, const void* x,
                      void* dy_desc, const void* dy, void* dx_desc, void* dx, void* of, const void* scale, void* dscale,
                      void* dbias, double epsilon, const void* mean, const void* inverse) {
    ww_dnn::Norm n{};
    cudnnDataType_t type{};
    if (const auto s = prepare(h, mode, {{dx_desc, dx}, {x_desc, x}, {dy_desc, dy}}, of, n, type); s != kDone) return s;
    if (!scale || !dscale || !dbias || !mean != !inverse || !(epsilon >= 0)) return kWrong;
    n.scale = scale, n.scale_gradient = dscale, n.bias_gradient = dbias, n.epsilon = epsilon;
    n.mean = const_cast<void*>(mean), n.inverse = const_cast<void*>(inverse);
    n.alpha = factor(f.alpha, type, 1), n.beta = factor(f.beta, type, 0);
    n.alpha_parameters = factor(f.alpha_parameters, type, 1), n.beta_parameters = factor(f.beta_parameters, type, 0);
    return launch_lines(h, "norm_gradient", type, n.lines, &n);
}

}  // namespace warpwright::libraries::dnn
