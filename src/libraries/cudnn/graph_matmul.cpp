// Products of matrices in graphs.
#include <algorithm>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

constexpr i64 kMostTiles = 65535;
i64 tiles(i64 n, i64 of) { return (n + of - 1) / of; }

/// The batch of a matrix: its dimensions before the last two.
Tensor batch_of(const Tensor& t) {
    Tensor out = t;
    for (const auto d : {static_cast<std::size_t>(t.dims - 1), static_cast<std::size_t>(t.dims - 2)})
        out.size[d] = 1, out.apart[d] = 0;
    return out;
}

}  // namespace

Status add_matmul(Plan& plan, const MatmulOf& of, const Tensor& a, const Tensor& b, const Tensor& c) {
    if (a.dims < 2 || a.dims != b.dims || a.dims != c.dims) return kWrong;
    const auto row = static_cast<std::size_t>(a.dims - 2), column = row + 1;
    if (a.size[row] != c.size[row] || b.size[column] != c.size[column] || a.size[column] != b.size[row]) return kWrong;
    const Tensor none = plan.temporary(CUDNN_DATA_FLOAT, Tensor{});
    const auto or_none = [&](const Tensor* t) { return t ? *t : none; };
    const Tensor in[] = {a, b, c, or_none(of.rows), or_none(of.columns), or_none(of.depth)};
    const Tensor places[] = {batch_of(a), batch_of(b), batch_of(c), in[3], in[4], in[5]};
    for (const Tensor* t : {of.rows, of.columns, of.depth})
        if (t && (t->by_value || (t->type != CUDNN_DATA_INT32 && t->type != CUDNN_DATA_INT64)))
            return refuse("numbers of a product's rows that are not integers of the device");
    const auto layout =
        lay_out(places[2], {&places[0], &places[1], &places[2], &places[3], &places[4], &places[5]}, nullptr);
    if (!layout) return kWrong;
    // Below so many rows a tile has few.
    constexpr i64 kFew = 16, kMany = 64, kColumns = 64;
    const bool few = c.size[row] <= 2 * kFew;
    const i64 down = tiles(c.size[row], few ? kFew : kMany), across = tiles(c.size[column], kColumns);
    if (down > kMostTiles) return refuse("a product of more than 4,194,240 rows");
    const std::string kernel = std::string("dnn_matmul") + (few ? "_few" : "_many") + arithmetic_of({&a, &b, &c});
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down),
                    static_cast<unsigned>(std::min<i64>(layout->lines.count, kMostTiles)));
    const bool has_rows = of.rows, has_columns = of.columns, has_depth = of.depth, scaled = of.scale;
    const Tensor scale = or_none(of.scale);
    return plan.add({&a, &b, of.rows, of.columns, of.depth, of.scale}, {&c},
                    [=, all = std::to_array(in), layout = *layout, otherwise = of.otherwise](const Run& run) {
                        ww_dnn::Matmul m{};
                        const Tensor &left = all[0], &right = all[1], &out = all[2];
                        m.batch = layout.lines, m.alpha = scaled ? run.value(scale) : 1, m.otherwise = otherwise;
                        m.a = operand(run, left, layout, 0), m.b = operand(run, right, layout, 1),
                        m.c = operand(run, out, layout, 2);
                        if (has_rows) m.rows_there = operand(run, all[3], layout, 3);
                        if (has_columns) m.columns_there = operand(run, all[4], layout, 4);
                        if (has_depth) m.depth_there = operand(run, all[5], layout, 5);
                        m.a_row = left.apart[row], m.a_depth = left.apart[column];
                        m.b_depth = right.apart[row], m.b_column = right.apart[column];
                        m.c_row = out.apart[row], m.c_column = out.apart[column];
                        m.rows = static_cast<int>(out.size[row]), m.columns = static_cast<int>(out.size[column]);
                        m.depth = static_cast<int>(left.size[column]);
                        return launch(run.handle, Code::graph_matmul, kernel, grid, &m);
                    });
}

Status read_matmul(const Descriptor& operation, Plan& plan) {
    Tensor a, b, c;
    std::optional<Tensor> rows, columns, depth;
    for (const auto s : {tensor_at(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b),
                         tensor_at(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, rows),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, columns),
                         tensor_if(operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, depth)})
        if (s != kDone) return s;
    const auto d = part(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC);
    if (!d) return kWrong;
    return add_matmul(
        plan, {pointer(rows), pointer(columns), pointer(depth), real(*d, CUDNN_ATTR_MATMUL_PADDING_VALUE, 0), nullptr},
        a, b, c);
}

}  // namespace warpwright::libraries::dnn
