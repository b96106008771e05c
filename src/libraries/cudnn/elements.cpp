// Functions of single elements: kernels/dnn/elements.cu.
#include "cudart/api/api.hpp"
#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// A tensor of a function: its descriptor and its memory.
struct Argument {
    void* desc;
    const void* at;
};

/// Queues `map` for an output and inputs. `spread`: an input may have one element for several of the output's.
Status run(Handle h, ww_dnn::Map map, const std::vector<Argument>& operands, const void* alpha, const void* beta,
           double beta_otherwise, bool spread = false) {
    std::vector<std::shared_ptr<Shape>> shapes;
    std::vector<const Shape*> plain;
    for (const auto& o : operands) {
        auto shape = find<Shape>(o.desc);
        if (!shape || shape->dims == 0 || !o.at) return kWrong;
        if (!has_kernels(shape->type)) return refuse("a tensor of integers or small floats in a function of elements");
        const std::size_t k = shapes.size();
        map.tensors.at[k] = const_cast<void*>(o.at);
        map.tensors.type[k] = shape->type;
        if (k > 0 && !(spread ? spreads_over(*shape, *shapes[0]) : shape->same_sizes(*shapes[0]))) return kWrong;
        if (k > 0 && (shape->type == CUDNN_DATA_DOUBLE) != (shapes[0]->type == CUDNN_DATA_DOUBLE))
            return refuse("a function of doubles and other floats");
        plain.push_back(shape.get());
        shapes.push_back(std::move(shape));
    }
    const auto type = shapes[0]->type;
    map.walk = walk(*shapes[0], plain);
    map.alpha = factor(alpha, type, 1);
    map.beta = factor(beta, type, beta_otherwise);
    return launch_elements(h, Code::elements, std::string("dnn_map") + arithmetic(type), map.walk.count, &map);
}

ww_dnn::Map of(ww_dnn::Function function) {
    ww_dnn::Map map{};
    map.function = function;
    return map;
}

}  // namespace

Status fill(Handle h, void* y_desc, void* y, const void* value) {
    const auto shape = find<Shape>(y_desc);
    if (!shape || !value) return kWrong;
    auto map = of(ww_dnn::Function::fill);
    // The value has the tensor's own type.
    if (shape->type == CUDNN_DATA_HALF || shape->type == CUDNN_DATA_BFLOAT16)
        return refuse("SetTensor of 16-bit numbers");
    map.coefficient = factor(value, shape->type, 0);
    return run(h, map, {{y_desc, y}}, nullptr, nullptr, 0);
}
Status scale(Handle h, void* y_desc, void* y, const void* alpha) {
    return run(h, of(ww_dnn::Function::copy), {{y_desc, y}, {y_desc, y}}, alpha, nullptr, 0);
}
Status add(Handle h, const void* alpha, void* a_desc, const void* a, const void* beta, void* c_desc, void* c) {
    return run(h, of(ww_dnn::Function::copy), {{c_desc, c}, {a_desc, a}}, alpha, beta, 1, true);
}
Status transform(Handle h, const void* alpha, void* x_desc, const void* x, const void* beta, void* y_desc, void* y) {
    return run(h, of(ww_dnn::Function::copy), {{y_desc, y}, {x_desc, x}}, alpha, beta, 0);
}

Status set_two_operands(void* desc, cudnnOpTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan) {
    const auto to = find<TwoOperands>(desc);
    if (!to || op < CUDNN_OP_TENSOR_ADD || op > CUDNN_OP_TENSOR_NOT) return kWrong;
    *to = {op, type, nan};
    return kDone;
}
Status get_two_operands(void* desc, cudnnOpTensorOp_t* op, cudnnDataType_t* type, cudnnNanPropagation_t* nan) {
    const auto of = find<TwoOperands>(desc);
    if (!of) return kWrong;
    give(of->op, op), give(of->type, type), give(of->nan, nan);
    return kDone;
}
Status two_operands(Handle h, void* op, const void* alpha_a, void* a_desc, const void* a, const void* alpha_b,
                    void* b_desc, const void* b, const void* beta, void* c_desc, void* c) {
    const auto what = find<TwoOperands>(op);
    const auto shape = find<Shape>(c_desc);
    if (!what || !shape) return kWrong;
    auto map = of(ww_dnn::Function::two_operands);
    map.kind = what->op;
    map.alpha_second = factor(alpha_b, shape->type, 1);
    // Of one operand alone the other is not looked at.
    const bool one = what->op == CUDNN_OP_TENSOR_SQRT || what->op == CUDNN_OP_TENSOR_NOT;
    const Argument second = one ? Argument{a_desc, a} : Argument{b_desc, b};
    return run(h, map, {{c_desc, c}, {a_desc, a}, second}, alpha_a, beta, 0, true);
}

Status set_activation(void* desc, cudnnActivationMode_t mode, cudnnNanPropagation_t nan, double coefficient) {
    const auto to = find<Activation>(desc);
    if (!to || mode < CUDNN_ACTIVATION_SIGMOID || mode > CUDNN_ACTIVATION_SWISH) return kWrong;
    to->mode = mode, to->nan = nan, to->coefficient = coefficient;
    return kDone;
}
Status get_activation(void* desc, cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan, double* coefficient) {
    const auto of = find<Activation>(desc);
    if (!of) return kWrong;
    give(of->mode, mode), give(of->nan, nan), give(of->coefficient, coefficient);
    return kDone;
}
Status set_swish(void* desc, double beta) {
    const auto to = find<Activation>(desc);
    if (!to) return kWrong;
    to->swish = beta;
    return kDone;
}
Status get_swish(void* desc, double* beta) {
    const auto of = find<Activation>(desc);
    if (!of) return kWrong;
    give(of->swish, beta);
    return kDone;
}
Status activate(Handle h, void* activation, const void* alpha, void* x_desc, const void* x, const void* beta,
                void* y_desc, void* y) {
    const auto a = find<Activation>(activation);
    if (!a) return kWrong;
    auto map = of(ww_dnn::Function::activation);
    map.kind = a->mode, map.keep_nan = a->nan == CUDNN_PROPAGATE_NAN, map.coefficient = a->its_coefficient();
    return run(h, map, {{y_desc, y}, {x_desc, x}}, alpha, beta, 0);
}
Status activate_back(Handle h, void* activation, const void* alpha, void* y_desc, const void* y, void* dy_desc,
                     const void* dy, void* x_desc, const void* x, const void* beta, void* dx_desc, void* dx) {
    const auto a = find<Activation>(activation);
    if (!a) return kWrong;
    auto map = of(ww_dnn::Function::activation_gradient);
    map.kind = a->mode, map.coefficient = a->its_coefficient();
    return run(h, map, {{dx_desc, dx}, {y_desc, y}, {dy_desc, dy}, {x_desc, x}}, alpha, beta, 0);
}

namespace {

/// The state is the descriptor's own; programs allocate memory for it all the same.
constexpr size_t kStateBytes = 16;

}  // namespace

Status get_dropout_states(Handle h, size_t* bytes) {
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!bytes) return kWrong;
    *bytes = kStateBytes;
    return kDone;
}
Status get_dropout_reserve(void* x_desc, size_t* bytes) {
    const auto shape = find<Shape>(x_desc);
    if (!shape || !bytes) return kWrong;
    *bytes = static_cast<size_t>(shape->count());
    return kDone;
}
Status set_dropout(void* desc, Handle h, float dropped, void* states, size_t bytes, unsigned long long seed) {
    const auto to = find<Dropout>(desc);
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!to || !(dropped >= 0 && dropped <= 1) || (states && bytes < kStateBytes)) return kWrong;
    *to = {dropped, states, seed, 0};
    return kDone;
}
Status get_dropout(void* desc, Handle h, float* dropped, void** states, unsigned long long* seed) {
    const auto of = find<Dropout>(desc);
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!of) return kWrong;
    give(of->dropped, dropped), give(of->states, states);
    if (seed) *seed = of->seed;
    return kDone;
}

namespace {

Status drop_either(Handle h, void* dropout, ww_dnn::Function function, Argument in, Argument out, void* reserve,
                   size_t bytes) {
    const auto d = find<Dropout>(dropout);
    const auto shape = find<Shape>(in.desc);
    if (!d || !shape || !reserve || bytes < static_cast<size_t>(shape->count())) return kWrong;
    auto map = of(function);
    map.coefficient = static_cast<double>(d->dropped);
    const bool forward = function == ww_dnn::Function::dropout;
    // Each forward has numbers of its own.
    if (forward) map.seed = d->seed + 0x5851f42d4c957f2dULL * d->launches++;
    map.tensors.at[2] = reserve;
    const double kept = 1 - static_cast<double>(d->dropped), scale = kept > 0 ? 1 / kept : 0;
    const auto scale_float = static_cast<float>(scale);
    const void* alpha = shape->type == CUDNN_DATA_DOUBLE ? static_cast<const void*>(&scale) : &scale_float;
    return run(h, map, {out, in}, alpha, nullptr, 0);
}

}  // namespace

Status drop(Handle h, void* dropout, void* x_desc, const void* x, void* y_desc, void* y, void* reserve, size_t bytes) {
    return drop_either(h, dropout, ww_dnn::Function::dropout, {x_desc, x}, {y_desc, y}, reserve, bytes);
}
Status drop_back(Handle h, void* dropout, void* dy_desc, const void* dy, void* dx_desc, void* dx, void* reserve,
                 size_t bytes) {
    return drop_either(h, dropout, ww_dnn::Function::dropout_gradient, {dy_desc, dy}, {dx_desc, dx}, reserve, bytes);
}

}  // namespace warpwright::libraries::dnn
