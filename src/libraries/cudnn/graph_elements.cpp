// What graphs compute element by element, and tensors in other forms.
#include <cmath>
#include <limits>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

bool is_wide(const Tensor* t) {
    return t && (t->type == CUDNN_DATA_DOUBLE || t->type == CUDNN_DATA_INT32 || t->type == CUDNN_DATA_UINT32 ||
                 t->type == CUDNN_DATA_INT64);
}

enum class Takes { none, one, two, three, gradient };
/// How many numbers a mode takes; nothing: there is no such mode.
std::optional<Takes> takes(int mode) {
    if (mode == CUDNN_POINTWISE_GEN_INDEX) return Takes::none;
    if (mode == CUDNN_POINTWISE_BINARY_SELECT) return Takes::three;
    if (mode == CUDNN_POINTWISE_SQRT || mode == CUDNN_POINTWISE_LOGICAL_NOT || (mode >= 10 && mode <= 22) ||
        (mode >= 100 && mode <= 107))
        return Takes::one;
    if (mode >= 200 && mode <= 207) return Takes::gradient;
    if ((mode >= 0 && mode <= 9) || mode == CUDNN_POINTWISE_ATAN2 || mode == CUDNN_POINTWISE_FLOOR_MOD ||
        (mode >= 300 && mode <= 305) || mode == CUDNN_POINTWISE_LOGICAL_AND || mode == CUDNN_POINTWISE_LOGICAL_OR)
        return Takes::two;
    return {};
}

/// Positions are numbered by 31 bits; what lies between operations may have more.
bool are_too_many(const Tensor& t) { return t.count() > std::numeric_limits<std::int32_t>::max(); }
Status refuse_so_many() { return refuse("an operation on 2^31 elements or more"); }
/// Whether an operand has one element for all or as many as `over`, in each dimension.
bool spreads(const Tensor& t, const Tensor& over) {
    for (std::size_t d = 0; t.dims == over.dims && d < static_cast<std::size_t>(t.dims); ++d)
        if (t.size[d] != 1 && t.size[d] != over.size[d]) return false;
    return true;
}

/// One tensor copied into the form of another, each position by its number.
Status add_copy(Plan& plan, const Tensor& x, const Tensor& y) {
    PointwiseOf of;
    of.mode = CUDNN_POINTWISE_IDENTITY;
    return add_pointwise(plan, of, y, &x, nullptr, nullptr);
}

}  // namespace

Status add_pointwise(Plan& plan, const PointwiseOf& of, const Tensor& out, const Tensor* x, const Tensor* b,
                     const Tensor* t) {
    const auto needed = takes(of.mode);
    if (!needed) return refuse("the pointwise mode " + std::to_string(of.mode));
    const bool has_x = *needed != Takes::none, has_b = *needed != Takes::none && *needed != Takes::one;
    const bool has_t = *needed == Takes::three;
    if ((has_x && !x) || (has_b && !b) || (has_t && !t)) return kWrong;
    if (are_too_many(out)) return refuse_so_many();
    const Tensor nothing = plan.temporary(CUDNN_DATA_FLOAT, Tensor{});
    const Tensor in[] = {out, has_x ? *x : nothing, has_b ? *b : nothing, has_t ? *t : nothing};
    for (const Tensor& t : in)
        if (!spreads(t, out)) return kWrong;
    const bool indexes = of.mode == CUDNN_POINTWISE_GEN_INDEX;
    if (indexes && (of.axis < 0 || of.axis >= out.dims)) return kWrong;
    // An axis of one element is no place, and has the number 0.
    int axis = 0;
    for (int d = 0; indexes && d < of.axis; ++d) axis += out.size[static_cast<std::size_t>(d)] > 1;
    const bool counts = indexes && out.size[static_cast<std::size_t>(of.axis)] > 1;
    const auto layout = lay_out(out, {&in[0], &in[1], &in[2], &in[3]}, nullptr, !indexes);
    if (!layout) return kWrong;
    const bool wide =
        of.precision == CUDNN_DATA_DOUBLE || is_wide(&in[0]) || (has_x && is_wide(x)) || (has_b && is_wide(b));
    return plan.add({has_x ? x : nullptr, has_b ? b : nullptr, has_t ? t : nullptr}, {&out},
                    [=, out = in[0], x = in[1], b = in[2], t = in[3], layout = *layout](const Run& run) {
                        ww_dnn::Pointwise p{};
                        p.places = layout.lines;
                        p.out = operand(run, out, layout, 0);
                        if (has_x) p.x = operand(run, x, layout, 1);
                        if (has_b) p.b = operand(run, b, layout, 2);
                        if (has_t) p.t = operand(run, t, layout, 3);
                        // Without a number to count, all are the number 0.
                        p.mode = indexes && !counts ? CUDNN_POINTWISE_IDENTITY : of.mode, p.axis = axis;
                        p.alpha_x = of.alpha_x, p.alpha_b = of.alpha_b;
                        p.lower = of.lower, p.upper = of.upper, p.slope = of.slope;
                        p.elu = of.elu, p.softplus = of.softplus, p.swish = of.swish;
                        return launch_elements(run.handle, Code::graph_pointwise,
                                               wide ? "dnn_pointwise_f64" : "dnn_pointwise_f32", p.places.count, &p);
                    });
}

Status read_pointwise(const Descriptor& operation, Plan& plan) {
    const auto d = part(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    if (!d || !d->values.contains(CUDNN_ATTR_POINTWISE_MODE)) return kWrong;
    PointwiseOf of;
    of.mode = static_cast<int>(integer(*d, CUDNN_ATTR_POINTWISE_MODE, -1));
    of.precision = static_cast<int>(integer(*d, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT));
    const i64 axis = integer(*d, CUDNN_ATTR_POINTWISE_AXIS, -1);
    of.axis = axis < 0 || axis >= CUDNN_DIM_MAX ? -1 : static_cast<int>(axis);
    of.lower = real(*d, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0);
    of.upper = real(*d, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, std::numeric_limits<double>::infinity());
    of.slope = real(*d, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0);
    of.elu = real(*d, CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1);
    of.softplus = real(*d, CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1);
    of.swish = real(*d, CUDNN_ATTR_POINTWISE_SWISH_BETA, 1);
    of.alpha_x = real(operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
    of.alpha_b = real(operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1);
    const auto kind = takes(of.mode);
    const bool gradient = kind == Takes::gradient;
    std::optional<Tensor> x, b, t;
    Tensor out;
    // A gradient takes what came back, and what the function was of.
    for (const auto s :
         {tensor_if(operation, gradient ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC : CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                    x),
          tensor_if(operation, gradient ? CUDNN_ATTR_OPERATION_POINTWISE_XDESC : CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                    b),
          tensor_if(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, t),
          tensor_at(operation, gradient ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC : CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
                    out)})
        if (s != kDone) return s;
    return add_pointwise(plan, of, out, pointer(x), pointer(b), pointer(t));
}

Status read_band_mask(const Descriptor& operation, Plan& plan) {
    Tensor x, y, b;
    std::optional<Tensor> rows, columns, left, right;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC, y),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC, b),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_QDESC, rows),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_KVDESC, columns),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC, left),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC, right)})
        if (s != kDone) return s;
    for (const int cumulative : {CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_CU_SEQ_LEN_QDESC,
                                 CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_CU_SEQ_LEN_KVDESC})
        if (part(operation, cumulative)) return refuse("a band mask of cumulative lengths");
    const auto mode = static_cast<int>(
        integer(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE, CUDNN_POINTWISE_CMP_GE));
    if (mode < CUDNN_POINTWISE_CMP_EQ || mode > CUDNN_POINTWISE_CMP_LE || y.dims < 2) return kWrong;
    if (!x.same_sizes(y)) return kWrong;
    const auto last = static_cast<std::size_t>(y.dims - 1);
    if (y.size[last] == 1 || y.size[last - 1] == 1) {
        // The kernel takes row and column from the last two places, which must be there.
        return refuse("a band mask of one row or one column");
    }
    const Tensor none = plan.temporary(CUDNN_DATA_FLOAT, Tensor{});
    const Tensor in[] = {
        x, y, b, rows.value_or(none), columns.value_or(none), left.value_or(none), right.value_or(none)};
    const auto layout = lay_out(y, {&in[0], &in[1], &in[2], &in[3], &in[4], &in[5], &in[6]}, nullptr, false);
    if (!layout) return kWrong;
    return plan.add({&x, &b, pointer(rows), pointer(columns), pointer(left), pointer(right)}, {&y},
                    [=, layout = *layout](const Run& run) {
                        ww_dnn::BandMask m{};
                        m.places = layout.lines, m.mode = mode;
                        m.x = operand(run, x, layout, 0), m.y = operand(run, y, layout, 1);
                        m.b = operand(run, b, layout, 2);
                        m.has_rows = rows.has_value(), m.has_columns = columns.has_value();
                        m.has_left = left.has_value(), m.has_right = right.has_value();
                        if (rows) m.rows = operand(run, *rows, layout, 3);
                        if (columns) m.columns = operand(run, *columns, layout, 4);
                        if (left) m.left = operand(run, *left, layout, 5);
                        if (right) m.right = operand(run, *right, layout, 6);
                        return launch_elements(run.handle, Code::graph_pointwise, "dnn_band_mask", m.places.count, &m);
                    });
}

Status add_random(Plan& plan, int kind, double first, double second, const Tensor& seed, const Tensor* offset,
                  const Tensor& out) {
    if (seed.count() != 1 || (offset && offset->count() != 1)) return kWrong;
    if (are_too_many(out)) return refuse_so_many();
    const Tensor none = plan.temporary(CUDNN_DATA_FLOAT, Tensor{});
    const Tensor from = offset ? *offset : none;
    const auto layout = lay_out(out, {&out, &seed, &from}, nullptr);
    if (!layout) return kWrong;
    const bool moved = offset != nullptr;
    return plan.add({&seed, offset}, {&out}, [=, layout = *layout](const Run& run) {
        ww_dnn::RandomFill r{};
        r.places = layout.lines, r.kind = kind, r.first = first, r.second = second;
        r.out = operand(run, out, layout, 0), r.seed = operand(run, seed, layout, 1);
        if (moved) r.offset = operand(run, from, layout, 2);
        return launch_elements(run.handle, Code::graph_pointwise, "dnn_random", r.places.count, &r);
    });
}

Status read_random(const Descriptor& operation, Plan& plan) {
    const auto d = part(operation, CUDNN_ATTR_OPERATION_RNG_DESC);
    if (!d) return kWrong;
    const auto kind = static_cast<int>(integer(*d, CUDNN_ATTR_RNG_DISTRIBUTION, CUDNN_RNG_DISTRIBUTION_BERNOULLI));
    double first = real(*d, CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5), second = 0;
    if (kind == CUDNN_RNG_DISTRIBUTION_UNIFORM)
        first = real(*d, CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, 0),
        second = real(*d, CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, 1);
    else if (kind == CUDNN_RNG_DISTRIBUTION_NORMAL)
        first = real(*d, CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, 0),
        second = real(*d, CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, 1);
    else if (kind != CUDNN_RNG_DISTRIBUTION_BERNOULLI)
        return kWrong;
    Tensor out, seed = plan.temporary(CUDNN_DATA_INT64, Tensor{});
    std::optional<Tensor> offset;
    if (part(operation, CUDNN_ATTR_OPERATION_RNG_SEED)) {
        if (const auto s = tensor_at(operation, CUDNN_ATTR_OPERATION_RNG_SEED, seed); s != kDone) return s;
    } else {
        seed.is_virtual = false;
        seed.constant = static_cast<double>(integer(operation, CUDNN_ATTR_OPERATION_RNG_SEED, 0));
    }
    for (const auto s : {tensor_if(operation, CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, offset),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_RNG_YDESC, out)})
        if (s != kDone) return s;
    return add_random(plan, kind, first, second, seed, pointer(offset), out);
}

Status read_reshape(const Descriptor& operation, Plan& plan) {
    Tensor x, y;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y)})
        if (s != kDone) return s;
    if (x.count() != y.count()) return kWrong;
    // A number of the host's is no memory to be seen in another form.
    const bool view =
        integer(operation, CUDNN_ATTR_OPERATION_RESHAPE_MODE, CUDNN_RESHAPE_VIEW_ONLY) == CUDNN_RESHAPE_VIEW_ONLY &&
        !x.by_value && !x.constant;
    if (view && y.reach() <= x.reach()) {
        // The same memory in another form; in another type it is copied.
        if (y.is_virtual && y.type == x.type) {
            for (const Tensor* t : {&x, &y})
                if (const auto s = plan.note(*t); s != kDone) return s;
            plan.bytes.erase(y.uid);
            return y.uid != x.uid && plan.views.emplace(y.uid, x.uid).second ? kDone : kWrong;
        }
        Tensor seen = y;
        seen.uid = x.uid, seen.is_virtual = x.is_virtual, seen.type = x.type;
        return add_copy(plan, seen, y);
    }
    if (x.same_sizes(y)) return add_copy(plan, x, y);
    // Positions in their order: both as one line, by way of a packed copy where they have gaps.
    Tensor from = plan.temporary(x.type, x), as_y = plan.temporary(x.type, y);
    if (const auto s = add_copy(plan, x, from); s != kDone) return s;
    as_y.uid = from.uid;
    return add_copy(plan, as_y, y);
}

Status read_transpose(const Descriptor& operation, Plan& plan) {
    Tensor x, y;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_TRANSPOSE_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_TRANSPOSE_YDESC, y)})
        if (s != kDone) return s;
    const auto& order = integers(operation, CUDNN_ATTR_OPERATION_TRANSPOSE_PERMUTATION);
    if (order.size() != static_cast<std::size_t>(x.dims) || x.dims != y.dims) return kWrong;
    Tensor seen = x;
    std::set<i64> used;
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] < 0 || order[k] >= x.dims || !used.insert(order[k]).second) return kWrong;
        const auto from = static_cast<std::size_t>(order[k]);
        seen.size[k] = x.size[from], seen.apart[k] = x.apart[from];
    }
    return seen.same_sizes(y) ? add_copy(plan, seen, y) : kWrong;
}

Status read_slice(const Descriptor& operation, Plan& plan) {
    Tensor x, y;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_SLICE_XDESC, x),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_SLICE_YDESC, y)})
        if (s != kDone) return s;
    const auto &start = integers(operation, CUDNN_ATTR_OPERATION_SLICE_START_INDICES),
               &limit = integers(operation, CUDNN_ATTR_OPERATION_SLICE_LIMIT_INDICES),
               &step = integers(operation, CUDNN_ATTR_OPERATION_SLICE_STRIDES);
    const auto dims = static_cast<std::size_t>(x.dims);
    if (start.size() != dims || limit.size() != dims || (!step.empty() && step.size() != dims)) return kWrong;
    Tensor seen = x;
    for (std::size_t k = 0; k < dims; ++k) {
        const i64 by = step.empty() ? 1 : step[k];
        if (start[k] < 0 || limit[k] > x.size[k] || start[k] >= limit[k] || by < 1) return kWrong;
        seen.size[k] = (limit[k] - start[k] - 1) / by + 1;
        seen.from += start[k] * x.apart[k];
        seen.apart[k] = seen.size[k] == 1 ? 0 : x.apart[k] * by;
    }
    return seen.same_sizes(y) ? add_copy(plan, seen, y) : kWrong;
}

Status read_concat(const Descriptor& operation, Plan& plan) {
    Tensor y;
    if (const auto s = tensor_at(operation, CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC, y); s != kDone) return s;
    const i64 axis = integer(operation, CUDNN_ATTR_OPERATION_CONCAT_AXIS, -1);
    const auto it = operation.values.find(CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS);
    if (axis < 0 || axis >= y.dims || it == operation.values.end()) return kWrong;
    const auto along = static_cast<std::size_t>(axis);
    i64 at = 0;
    for (const auto& d : it->second.parts) {
        Tensor x;
        if (const auto s = tensor_of(*d, x); s != kDone) return s;
        Tensor there = y;
        there.size[along] = x.size[along], there.from = at * y.apart[along];
        at += x.size[along];
        if (!there.same_sizes(x) || at > y.size[along]) return kWrong;
        if (const auto s = add_copy(plan, x, there); s != kDone) return s;
    }
    return at == y.size[along] ? kDone : kWrong;
}

}  // namespace warpwright::libraries::dnn
