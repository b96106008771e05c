// Attention as one operation (forward): scores, what a program makes of them, softmax, and the product with the values.
// Scores are kept in the work space, in floats.
#include <limits>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

/// The tensor of this number among a graph's operations; nothing: none has it.
std::optional<Tensor> tensor_of_graph(const Descriptor& graph, i64 uid) {
    const auto it = graph.values.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (it == graph.values.end()) return {};
    for (const auto& operation : it->second.parts)
        for (const auto& [name, value] : operation->values)
            for (const auto& d : value.parts) {
                Tensor t;
                if (d->kind == CUDNN_BACKEND_TENSOR_DESCRIPTOR && tensor_of(*d, t) == kDone && t.uid == uid) return t;
            }
    return {};
}

struct Attention {
    Tensor q, k, v, o;
    std::optional<Tensor> scale, rows, columns, seed, offset, dump;
    std::optional<Tensor> softmax[4];
    bool by_two = false;
    double dropped = 0;
};

Status read_all(const Descriptor& d, Attention& a) {
    for (const int not_there :
         {CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC, CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_QDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_KVDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_QDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_VDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_SDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_SDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_ODESC, CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_SDESC,
          CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_ODESC})
        if (part(d, not_there)) return refuse("attention with pages, masks of blocks, lengths in sums or scaled bytes");
    for (const auto s : {tensor_at(d, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, a.q),
                         tensor_at(d, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, a.k),
                         tensor_at(d, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, a.v),
                         tensor_at(d, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, a.o),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, a.scale),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC, a.rows),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC, a.columns),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC, a.seed),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_OFFSET_DESC, a.offset),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_RNG_DUMP_DESC, a.dump),
                         tensor_if(d, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, a.softmax[1])})
        if (s != kDone) return s;
    a.dropped = real(d, CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_PROBABILITY, 0);
    if (!(a.dropped >= 0 && a.dropped < 1)) return kWrong;
    if (a.dropped > 0 && !a.seed) return kWrong;
    const auto softmax = part(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC);
    if (softmax && softmax->kind != CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR) return kWrong;
    return softmax ? read_softmax_outputs(*softmax, a.softmax, a.by_two) : kDone;
}

/// Scores of each row of q with each of k, as a program changes them.
Status add_scores(const Descriptor& d, const Attention& a, const Tensor& size, Plan& plan, Tensor& scores) {
    const auto subgraph = part(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH);
    Tensor plain = plan.temporary(CUDNN_DATA_FLOAT, size);
    scores = plain;
    if (subgraph) {
        const auto in = tensor_of_graph(*subgraph, integer(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID, 0));
        const auto out = tensor_of_graph(*subgraph, integer(d, CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_OUTPUT_UID, 0));
        if (!in || !out || !in->same_sizes(size) || !out->same_sizes(size)) return kWrong;
        plain = *in, scores = *out;
    }
    Tensor k = a.k;
    std::swap(k.size[2], k.size[3]), std::swap(k.apart[2], k.apart[3]);
    const bool scale_is_number = a.scale && (a.scale->by_value || a.scale->constant);
    const bool scale_in_memory = a.scale && !scale_is_number;
    // What lies behind a sequence's end has no part in the softmax.
    MatmulOf of{pointer(a.rows), pointer(a.columns), nullptr, -std::numeric_limits<double>::infinity(),
                scale_is_number ? &*a.scale : nullptr};
    const Tensor first = scale_in_memory ? plan.temporary(CUDNN_DATA_FLOAT, size) : plain;
    if (const auto s = add_matmul(plan, of, a.q, k, first); s != kDone) return s;
    if (scale_in_memory) {
        PointwiseOf product;
        product.mode = CUDNN_POINTWISE_MUL;
        if (const auto s = add_pointwise(plan, product, plain, &first, &*a.scale, nullptr); s != kDone) return s;
    }
    if (!subgraph) return kDone;
    for (const auto& operation : subgraph->values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts) {
        if (operation->kind == CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR) return kWrong;
        if (const auto s = read_operation(*operation, plan); s != kDone) return s;
    }
    return kDone;
}

/// Probabilities of which some are dropped, and the others larger.
Status add_dropout(const Attention& a, Plan& plan, Tensor& probabilities) {
    const Tensor kept = a.dump ? *a.dump : plan.temporary(CUDNN_DATA_FLOAT, probabilities);
    if (!kept.same_sizes(probabilities)) return kWrong;
    if (const auto s =
            add_random(plan, CUDNN_RNG_DISTRIBUTION_BERNOULLI, 1 - a.dropped, 0, *a.seed, pointer(a.offset), kept);
        s != kDone)
        return s;
    PointwiseOf product;
    product.mode = CUDNN_POINTWISE_MUL, product.alpha_x = 1 / (1 - a.dropped);
    const Tensor dropped = plan.temporary(CUDNN_DATA_FLOAT, probabilities);
    if (const auto s = add_pointwise(plan, product, dropped, &probabilities, &kept, nullptr); s != kDone) return s;
    probabilities = dropped;
    return kDone;
}

}  // namespace

Status read_attention(const Descriptor& operation, Plan& plan) {
    Attention a;
    if (const auto s = read_all(operation, a); s != kDone) return s;
    for (const Tensor* t : {&a.q, &a.k, &a.v, &a.o})
        if (t->dims != 4) return kWrong;
    Tensor size = a.q;
    size.size[3] = a.k.size[2];
    Tensor scores;
    if (const auto s = add_scores(operation, a, size, plan, scores); s != kDone) return s;
    Tensor probabilities = plan.temporary(CUDNN_DATA_FLOAT, size);
    const SoftmaxOf of{pointer(a.softmax[0]), pointer(a.softmax[1]), pointer(a.softmax[2]), pointer(a.softmax[3]),
                       a.by_two};
    if (const auto s = add_softmax(plan, of, scores, probabilities); s != kDone) return s;
    if (a.dropped > 0)
        if (const auto s = add_dropout(a, plan, probabilities); s != kDone) return s;
    return add_matmul(plan, {pointer(a.rows), nullptr, pointer(a.columns), 0, nullptr}, probabilities, a.v, a.o);
}

}  // namespace warpwright::libraries::dnn
