// Normalisation in graphs, of layers, instances, batches and by the root of the mean square: which elements are a line
// follows from the tensor of means.
#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

bool is_known(i64 mode) {
    return mode == CUDNN_LAYER_NORM || mode == CUDNN_INSTANCE_NORM || mode == CUDNN_BATCH_NORM ||
           mode == CUDNN_RMS_NORM || mode == CUDNN_ADA_LAYER_NORM;
}

/// A tensor with one element for each line, where no means are given or asked for.
std::optional<Tensor> lines_of(Plan& plan, i64 mode, const Tensor& x, const Tensor& scale) {
    if (x.dims < 2 || scale.dims != x.dims) return {};
    Tensor line = x;
    for (std::size_t d = 0; d < static_cast<std::size_t>(x.dims); ++d) {
        const bool kept = mode == CUDNN_INSTANCE_NORM ? d < 2 : mode == CUDNN_BATCH_NORM ? d == 1 : scale.size[d] == 1;
        if (!kept) line.size[d] = 1;
    }
    // A scale of each image says nothing of what is a line.
    if (mode == CUDNN_ADA_LAYER_NORM) return {};
    return plan.temporary(CUDNN_DATA_FLOAT, line);
}

/// A number in the host's or the device's memory; nothing where it is missing.
struct Number {
    std::optional<Tensor> t;
    double of(const Run& run, double otherwise) const { return t ? run.value(*t) : otherwise; }
};
/// Such numbers are given by value.
Status number_if(const Descriptor& of, int attribute, Number& to) {
    if (const auto s = tensor_if(of, attribute, to.t); s != kDone) return s;
    if (to.t && !to.t->by_value && !to.t->constant) return refuse("a normalisation with an epsilon in device memory");
    return kDone;
}

struct Running {
    std::optional<Tensor> old_mean, old_variance, new_mean, new_variance;
    Number factor;
    bool any() const { return new_mean.has_value(); }
};
Status read_running(const Descriptor& d, Running& to) {
    for (const auto s : {tensor_if(d, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC, to.old_mean),
                         tensor_if(d, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC, to.old_variance),
                         tensor_if(d, CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC, to.new_mean),
                         tensor_if(d, CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC, to.new_variance),
                         number_if(d, CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, to.factor)})
        if (s != kDone) return s;
    const bool all = to.old_mean && to.old_variance && to.new_mean && to.new_variance && to.factor.t;
    return all || (!to.old_mean && !to.old_variance && !to.new_mean && !to.new_variance) ? kDone : kWrong;
}

}  // namespace

Status read_norm(const Descriptor& operation, Plan& plan) {
    const i64 mode = integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, -1);
    const bool training = integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 0) == CUDNN_NORM_FWD_TRAINING;
    if (!is_known(mode)) return refuse("a normalisation of groups");
    if (part(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS)) return refuse("a normalisation over devices");
    Tensor x, y, scale;
    std::optional<Tensor> bias, mean, inverse;
    Number epsilon;
    Running running;
    for (const auto s :
         {tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, x),
          tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, y),
          tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, scale),
          tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, bias),
          tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, mean),
          tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, inverse),
          number_if(operation, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, epsilon), read_running(operation, running)})
        if (s != kDone) return s;
    const bool centred = mode != CUDNN_RMS_NORM;
    const bool given = !training && inverse && (mean || !centred);
    if (!given && !epsilon.t) return kWrong;
    const auto lines = inverse ? inverse : lines_of(plan, mode, x, scale);
    if (!lines) return refuse("a normalisation without means of which one scale is for several lines");
    const bool keeps = training && inverse.has_value() && (mean || !centred);
    if (inverse && mean && !mean->same_sizes(*inverse)) return kWrong;
    for (const auto* t : {&running.old_mean, &running.old_variance, &running.new_mean, &running.new_variance})
        if (*t && !(*t)->same_sizes(*lines)) return kWrong;
    const auto or_lines = [&](const std::optional<Tensor>& t) { return t.value_or(*lines); };
    const Tensor in[] = {x,
                         y,
                         scale,
                         bias.value_or(scale),
                         or_lines(mean),
                         or_lines(inverse),
                         or_lines(running.old_mean),
                         or_lines(running.old_variance),
                         or_lines(running.new_mean),
                         or_lines(running.new_variance)};
    std::vector<const Tensor*> operands;
    for (const Tensor& t : in) operands.push_back(&t);
    const auto layout = lay_out(x, operands, &*lines);
    if (!layout || !x.same_sizes(y)) return kWrong;
    const char* const arithmetic = arithmetic_of({&x, &y});
    const bool moves = training && running.any(), biased = bias.has_value();
    const auto if_any = [](bool use, const std::optional<Tensor>& t) { return use ? pointer(t) : nullptr; };
    return plan.add({&x, &scale, pointer(bias), if_any(given && centred, mean), if_any(given, inverse),
                     if_any(moves, running.old_mean), if_any(moves, running.old_variance), if_any(!given, epsilon.t),
                     if_any(moves, running.factor.t)},
                    {&y, if_any(keeps && centred, mean), if_any(keeps, inverse), if_any(moves, running.new_mean),
                     if_any(moves, running.new_variance)},
                    [=, layout = *layout, all = std::to_array(in)](const Run& run) {
                        ww_dnn::GraphNorm n{};
                        n.lines = layout.lines, n.elements = layout.elements;
                        n.centred = centred, n.given = given, n.keeps = keeps, n.moves = moves, n.biased = biased;
                        n.epsilon = given ? 0 : epsilon.of(run, 0), n.factor = moves ? running.factor.of(run, 0) : 0;
                        const auto set = [&](ww_dnn::Operand& to, bool used, std::size_t k) {
                            if (used) to = operand(run, all[k], layout, k);
                        };
                        set(n.x, true, 0), set(n.y, true, 1), set(n.scale, true, 2), set(n.bias, biased, 3);
                        set(n.mean, centred && (given || keeps), 4), set(n.inverse, given || keeps, 5);
                        set(n.old_mean, moves, 6), set(n.old_variance, moves, 7);
                        set(n.new_mean, moves, 8), set(n.new_variance, moves, 9);
                        return launch_over_lines(run, "graph_norm", arithmetic, layout, &n);
                    });
}

namespace {

/// The tensors of the gradients.
struct Gradients {
    Tensor x, dy, dx, scale;
    std::optional<Tensor> mean, inverse, dscale, dbias;
    Number epsilon;
    bool centred = true;
};

Status add_dx(Plan& plan, const Gradients& g, const Tensor& lines) {
    const bool given = g.inverse.has_value();
    const Tensor in[] = {g.x, g.dy, g.dx, g.scale, g.mean.value_or(lines), g.inverse.value_or(lines)};
    const auto layout = lay_out(g.x, {&in[0], &in[1], &in[2], &in[3], &in[4], &in[5]}, &lines);
    if (!layout) return kWrong;
    const char* const arithmetic = arithmetic_of({&g.x, &g.dx});
    return plan.add(
        {&g.x, &g.dy, &g.scale, g.centred && given ? pointer(g.mean) : nullptr, pointer(g.inverse),
         given ? nullptr : pointer(g.epsilon.t)},
        {&g.dx},
        [=, layout = *layout, all = std::to_array(in), centred = g.centred, epsilon = g.epsilon](const Run& run) {
            ww_dnn::GraphNormGradient n{};
            n.lines = layout.lines, n.elements = layout.elements, n.centred = centred, n.given = given;
            n.epsilon = given ? 0 : epsilon.of(run, 0);
            n.x = operand(run, all[0], layout, 0), n.dy = operand(run, all[1], layout, 1);
            n.dx = operand(run, all[2], layout, 2), n.scale = operand(run, all[3], layout, 3);
            if (given && centred) n.mean = operand(run, all[4], layout, 4);
            if (given) n.inverse = operand(run, all[5], layout, 5);
            return launch_over_lines(run, "graph_norm_gradient", arithmetic, layout, &n);
        });
}

/// Of the scale and the bias, by the mean and the inverse deviation of each line.
Status add_parameters(Plan& plan, const Gradients& g) {
    const Tensor mean = g.mean.value_or(*g.inverse), dbias = g.dbias.value_or(*g.dscale);
    if (!dbias.same_sizes(*g.dscale)) return kWrong;
    const Tensor in[] = {g.x, g.dy, mean, *g.inverse, *g.dscale, dbias};
    const auto layout = lay_out(g.x, {&in[0], &in[1], &in[2], &in[3], &in[4], &in[5]}, &*g.dscale);
    if (!layout) return kWrong;
    const char* const arithmetic = arithmetic_of({&g.x, &g.dx});
    const bool biased = g.dbias.has_value();
    return plan.add({&g.x, &g.dy, g.centred ? pointer(g.mean) : nullptr, pointer(g.inverse)},
                    {pointer(g.dscale), pointer(g.dbias)},
                    [=, layout = *layout, all = std::to_array(in), centred = g.centred](const Run& run) {
                        ww_dnn::GraphNormGradient n{};
                        n.lines = layout.lines, n.elements = layout.elements, n.centred = centred, n.biased = biased;
                        n.x = operand(run, all[0], layout, 0), n.dy = operand(run, all[1], layout, 1);
                        if (centred) n.mean = operand(run, all[2], layout, 2);
                        n.inverse = operand(run, all[3], layout, 3);
                        n.dscale = operand(run, all[4], layout, 4);
                        if (biased) n.dbias = operand(run, all[5], layout, 5);
                        return launch_over_lines(run, "graph_norm_parameters", arithmetic, layout, &n);
                    });
}

}  // namespace

Status read_norm_gradient(const Descriptor& operation, Plan& plan) {
    const i64 mode = integer(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, -1);
    if (!is_known(mode)) return refuse("a normalisation of groups");
    if (part(operation, CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS)) return refuse("a normalisation over devices");
    Gradients g;
    g.centred = mode != CUDNN_RMS_NORM;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, g.x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, g.dy),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, g.dx),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, g.scale),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, g.mean),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, g.inverse),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, g.dscale),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, g.dbias),
                         number_if(operation, CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC, g.epsilon)})
        if (s != kDone) return s;
    if (!g.x.same_sizes(g.dy) || !g.x.same_sizes(g.dx)) return kWrong;
    if (!g.inverse || (g.centred && !g.mean)) return refuse("gradients of a normalisation without its means");
    if (g.centred && !g.mean->same_sizes(*g.inverse)) return kWrong;
    if (const auto s = add_dx(plan, g, *g.inverse); s != kDone) return s;
    if (!g.dscale) return g.dbias ? kWrong : kDone;
    return add_parameters(plan, g);
}

}  // namespace warpwright::libraries::dnn
