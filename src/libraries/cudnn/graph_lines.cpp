// What graphs compute over lines of elements: reductions, normalisation, softmax.
#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {

Status add_reduction(Plan& plan, int kind, const Tensor& x, const Tensor& y) {
    if (kind < CUDNN_REDUCE_TENSOR_ADD || kind > CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS) return kWrong;
    const auto layout = lay_out(x, {&y, &x}, &y);
    if (!layout) return kWrong;
    const char* const arithmetic = arithmetic_of({&x, &y});
    return plan.add({&x}, {&y}, [=, layout = *layout](const Run& run) {
        ww_dnn::GroupReduce r{};
        r.lines = layout.lines, r.elements = layout.elements, r.kind = kind;
        r.out = operand(run, y, layout, 0), r.x = operand(run, x, layout, 1);
        return launch_over_lines(run, "group_reduce", arithmetic, layout, &r);
    });
}

Status read_reduction(const Descriptor& operation, Plan& plan) {
    const auto d = part(operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
    if (!d) return kWrong;
    if (part(operation, CUDNN_ATTR_OPERATION_REDUCTION_GROUP_OFFSET_DESC)) return refuse("a reduction of groups");
    Tensor x, y;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y)})
        if (s != kDone) return s;
    return add_reduction(plan, static_cast<int>(integer(*d, CUDNN_ATTR_REDUCTION_OPERATOR, -1)), x, y);
}

Status add_softmax(Plan& plan, const SoftmaxOf& of, const Tensor& x, const Tensor& y) {
    // Over the last dimension.
    if (!x.same_sizes(y)) return kWrong;
    Tensor line = plan.temporary(CUDNN_DATA_FLOAT, x);
    line.size[static_cast<std::size_t>(x.dims - 1)] = 1;
    const Tensor none = plan.temporary(CUDNN_DATA_FLOAT, Tensor{});
    const auto or_none = [&](const Tensor* t) { return t ? *t : none; };
    const Tensor sink = or_none(of.sink), stats = or_none(of.stats), most = or_none(of.most), sum = or_none(of.sum);
    const auto layout = lay_out(x, {&x, &y, &sink, &stats, &most, &sum}, &line);
    if (!layout) return kWrong;
    for (const Tensor* t : {of.stats, of.most, of.sum})
        if (t && !t->same_sizes(line)) return kWrong;
    const char* const arithmetic = arithmetic_of({&x, &y});
    const bool has_sink = of.sink, has_stats = of.stats, has_most = of.most, has_sum = of.sum, by_two = of.by_two;
    return plan.add({&x, of.sink}, {&y, of.stats, of.most, of.sum}, [=, layout = *layout](const Run& run) {
        ww_dnn::GraphSoftmax s{};
        s.lines = layout.lines, s.elements = layout.elements, s.sinks = has_sink, s.by_two = by_two;
        s.x = operand(run, x, layout, 0), s.y = operand(run, y, layout, 1);
        if (has_sink) s.sink = operand(run, sink, layout, 2);
        if (has_stats) s.stats = operand(run, stats, layout, 3);
        if (has_most) s.most = operand(run, most, layout, 4);
        if (has_sum) s.sum = operand(run, sum, layout, 5);
        return launch_over_lines(run, "graph_softmax", arithmetic, layout, &s);
    });
}

Status read_softmax_outputs(const Descriptor& operation, std::optional<Tensor> (&to)[4], bool& by_two) {
    by_two = integer(operation, CUDNN_ATTR_OPERATION_SOFTMAX_STATS_LOG2, 0) != 0;
    for (const auto s : {tensor_if(operation, CUDNN_ATTR_OPERATION_SOFTMAX_SINK_DESC, to[0]),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_SOFTMAX_STATS_DESC, to[1]),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_SOFTMAX_MAX_DESC, to[2]),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_SOFTMAX_SUM_EXP_DESC, to[3])})
        if (s != kDone) return s;
    return kDone;
}
Status read_softmax(const Descriptor& operation, Plan& plan) {
    Tensor x, y;
    std::optional<Tensor> outputs[4];
    bool by_two = false;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_SOFTMAX_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_SOFTMAX_YDESC, y),
                         read_softmax_outputs(operation, outputs, by_two)})
        if (s != kDone) return s;
    return add_softmax(
        plan, {pointer(outputs[0]), pointer(outputs[1]), pointer(outputs[2]), pointer(outputs[3]), by_two}, x, y);
}

Status read_statistics(const Descriptor& operation, Plan& plan) {
    Tensor x, sum, squares;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_GENSTATS_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, sum),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, squares)})
        if (s != kDone) return s;
    if (const auto s = add_reduction(plan, CUDNN_REDUCE_TENSOR_ADD, x, sum); s != kDone) return s;
    const Tensor square = plan.temporary(CUDNN_DATA_FLOAT, x);
    PointwiseOf product;
    product.mode = CUDNN_POINTWISE_MUL;
    if (const auto s = add_pointwise(plan, product, square, &x, &x, nullptr); s != kDone) return s;
    return add_reduction(plan, CUDNN_REDUCE_TENSOR_ADD, square, squares);
}

}  // namespace warpwright::libraries::dnn
