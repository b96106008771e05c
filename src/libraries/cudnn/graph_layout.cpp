// Tensors of graphs as their descriptors have them, and the positions of several tensors together.
#include <algorithm>
#include <limits>
#include <utility>

#include "libraries/cudnn/graph.hpp"
#include "support/half.hpp"

namespace warpwright::libraries::dnn {

i64 Tensor::count() const {
    i64 all = 1;
    for (int d = 0; d < dims; ++d) all *= size[static_cast<std::size_t>(d)];
    return all;
}
i64 Tensor::reach() const {
    i64 last = from;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) last += (size[d] - 1) * apart[d];
    return last + 1;
}
bool Tensor::same_sizes(const Tensor& other) const {
    return dims == other.dims && std::equal(size.begin(), size.begin() + dims, other.size.begin());
}

bool is_computed(int type) {
    switch (type) {
        case CUDNN_DATA_FLOAT:
        case CUDNN_DATA_DOUBLE:
        case CUDNN_DATA_HALF:
        case CUDNN_DATA_BFLOAT16:
        case CUDNN_DATA_INT8:
        case CUDNN_DATA_UINT8:
        case CUDNN_DATA_INT32:
        case CUDNN_DATA_UINT32:
        case CUDNN_DATA_INT64:
        case CUDNN_DATA_BOOLEAN:
        case CUDNN_DATA_BYTE_BOOLEAN:
        case CUDNN_DATA_FP8_E4M3:
        case CUDNN_DATA_FP8_E5M2:
            return true;
        default:
            return false;
    }
}

double number_at(const void* at, int type) {
    switch (type) {
        case CUDNN_DATA_DOUBLE:
            return *static_cast<const double*>(at);
        case CUDNN_DATA_HALF:
            return half_value(*static_cast<const std::uint16_t*>(at));
        case CUDNN_DATA_BFLOAT16: {
            const std::uint32_t bits = std::uint32_t{*static_cast<const std::uint16_t*>(at)} << 16;
            return static_cast<double>(std::bit_cast<float>(bits));
        }
        case CUDNN_DATA_INT32:
            return *static_cast<const std::int32_t*>(at);
        case CUDNN_DATA_UINT32:
            return *static_cast<const std::uint32_t*>(at);
        case CUDNN_DATA_INT64:
            return static_cast<double>(*static_cast<const i64*>(at));
        case CUDNN_DATA_INT8:
            return *static_cast<const signed char*>(at);
        case CUDNN_DATA_UINT8:
        case CUDNN_DATA_BOOLEAN:
        case CUDNN_DATA_BYTE_BOOLEAN:
            return *static_cast<const unsigned char*>(at);
        default:
            return static_cast<double>(*static_cast<const float*>(at));
    }
}

namespace {

/// Whether no two elements have one place.
bool are_apart(const Tensor& t) {
    std::vector<std::pair<i64, i64>> by_stride;
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.dims); ++d)
        if (t.size[d] > 1) by_stride.emplace_back(t.apart[d], t.size[d]);
    std::sort(by_stride.begin(), by_stride.end());
    i64 last = 0;
    for (const auto& [apart, size] : by_stride) {
        if (apart <= last) return false;
        last += (size - 1) * apart;
    }
    return true;
}
void pack(Tensor& t) {
    i64 next = 1;
    for (auto d = static_cast<std::size_t>(t.dims); d-- > 0; next *= t.size[d]) t.apart[d] = next;
}

}  // namespace

Status tensor_of(const Descriptor& d, Tensor& to) {
    // Sums of places stay far below 2^63; elements are numbered by 31 bits.
    constexpr i64 kMostReach = i64{1} << 46, kMost = std::numeric_limits<std::int32_t>::max();
    if (d.kind != CUDNN_BACKEND_TENSOR_DESCRIPTOR || !d.values.contains(CUDNN_ATTR_TENSOR_UNIQUE_ID)) return kWrong;
    const auto &size = integers(d, CUDNN_ATTR_TENSOR_DIMENSIONS), &apart = integers(d, CUDNN_ATTR_TENSOR_STRIDES);
    if (size.empty() || size.size() != apart.size() || !d.values.contains(CUDNN_ATTR_TENSOR_DATA_TYPE)) return kWrong;
    if (size.size() > CUDNN_DIM_MAX) return refuse("a tensor of more than eight dimensions");
    to.uid = integer(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, 0);
    if (to.uid < std::numeric_limits<i64>::min() / 2) return kWrong;
    to.type = static_cast<int>(integer(d, CUDNN_ATTR_TENSOR_DATA_TYPE, 0));
    to.dims = static_cast<int>(size.size());
    i64 count = 1, last = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
        if (size[k] < 1 || apart[k] < 0) return kWrong;
        if (size[k] > kMost || apart[k] > kMostReach || count > kMost / size[k])
            return refuse("a tensor of 2^31 elements or more");
        count *= size[k];
        // Below 2^31 times 2^46 a product may wrap: it is looked at before.
        if (size[k] > 1 && apart[k] > (kMostReach - last) / (size[k] - 1)) return refuse("a tensor that far apart");
        last += (size[k] - 1) * apart[k];
        to.size[k] = size[k], to.apart[k] = apart[k];
    }
    to.is_virtual = integer(d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0;
    to.by_value = integer(d, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0) != 0;
    if (d.values.contains(CUDNN_ATTR_TENSOR_CONSTANT_VALUE)) to.constant = real(d, CUDNN_ATTR_TENSOR_CONSTANT_VALUE, 0);
    if ((to.by_value || to.constant) && (count != 1 || to.is_virtual)) return kWrong;
    // Between operations nobody sees the places: front ends give strides there that lay elements over each other.
    if (to.is_virtual && !are_apart(to)) pack(to);
    return kDone;
}

namespace {

/// One place, with each operand's stride.
struct Axis {
    i64 size;
    bool line;
    std::vector<i64> apart;
};

/// The number of an operand's dimension where `over` has dimension d; -1: it has none there, being one number.
int dimension(const Tensor& t, const Tensor& over, int d) {
    if (t.dims == over.dims) return d;
    return -1;
}
/// The size of an operand's dimension. An operand of other dimensions is one number for all.
i64 size_at(const Tensor& t, const Tensor& over, int d) {
    const int k = dimension(t, over, d);
    return k < 0 ? 1 : t.size[static_cast<std::size_t>(k)];
}
i64 apart_at(const Tensor& t, const Tensor& over, int d) {
    const int k = dimension(t, over, d);
    return k < 0 ? 0 : t.apart[static_cast<std::size_t>(k)];
}

/// A dimension's places: one, or two where an operand has a part of its size.
bool add_axes(const Tensor& over, int d, const std::vector<const Tensor*>& operands, const Tensor* line_of,
              std::vector<Axis>& axes) {
    const i64 whole = over.size[static_cast<std::size_t>(d)];
    i64 outer = 1;
    std::vector<const Tensor*> all = operands;
    if (line_of) all.push_back(line_of);
    for (const Tensor* t : all) {
        const i64 n = size_at(*t, over, d);
        if (n == 1 || n == whole) continue;
        if (whole % n != 0 || (outer != 1 && outer != n)) return false;
        outer = n;
    }
    const i64 of_lines = line_of ? size_at(*line_of, over, d) : whole;
    const auto add = [&](i64 size, bool is_outer) {
        if (size == 1) return;
        Axis axis{size, is_outer ? of_lines > 1 : of_lines == whole, {}};
        for (const Tensor* t : operands) {
            const i64 n = size_at(*t, over, d), step = apart_at(*t, over, d);
            const i64 inner = whole / outer;
            axis.apart.push_back(n == 1 ? 0 : n == whole ? (is_outer ? step * inner : step) : is_outer ? step : 0);
        }
        axes.push_back(std::move(axis));
    };
    if (outer == 1) {
        // All have the whole or one.
        Axis axis{whole, of_lines == whole, {}};
        for (const Tensor* t : operands) axis.apart.push_back(size_at(*t, over, d) == 1 ? 0 : apart_at(*t, over, d));
        if (whole > 1) axes.push_back(std::move(axis));
        return true;
    }
    add(outer, true);
    add(whole / outer, false);
    return true;
}

bool join(Axis& before, const Axis& axis) {
    for (std::size_t k = 0; k < axis.apart.size(); ++k)
        if (before.apart[k] != axis.apart[k] * axis.size) return false;
    before.size *= axis.size;
    before.apart = axis.apart;
    return true;
}

}  // namespace

std::optional<Layout> lay_out(const Tensor& over, const std::vector<const Tensor*>& operands, const Tensor* line_of,
                              bool joins) {
    for (const Tensor* t : operands)
        if (t->dims != over.dims && t->count() != 1) return {};
    if (line_of && line_of->dims != over.dims) return {};
    std::vector<Axis> axes;
    for (int d = 0; d < over.dims; ++d)
        if (!add_axes(over, d, operands, line_of, axes)) return {};
    Layout out;
    out.apart.resize(operands.size());
    out.lines.count = out.elements.count = 1;
    std::size_t at = 0;
    for (const bool line : {true, false}) {
        auto& places = line ? out.lines : out.elements;
        std::vector<Axis> joined;
        for (const Axis& axis : axes)
            if (axis.line == line && (!joins || joined.empty() || !join(joined.back(), axis))) joined.push_back(axis);
        for (const Axis& axis : joined) {
            if (at == ww_dnn::kMostPlaces) return {};
            places.size[places.dims++] = static_cast<unsigned>(axis.size);
            places.count *= static_cast<unsigned>(axis.size);
            for (std::size_t k = 0; k < operands.size(); ++k) out.apart[k][at] = axis.apart[k];
            ++at;
        }
    }
    return out;
}

ww_dnn::Operand operand(const Run& run, const Tensor& t, const Layout& layout, std::size_t which) {
    ww_dnn::Operand o{};
    o.type = t.type;
    if (t.by_value || t.constant) {
        o.value = run.value(t);
        return o;
    }
    o.at = static_cast<char*>(run.at(t)) + t.from * static_cast<i64>(bytes_of_element(t.type));
    for (std::size_t k = 0; k < layout.apart[which].size(); ++k) o.apart[k] = layout.apart[which][k];
    return o;
}

const char* arithmetic_of(std::initializer_list<const Tensor*> tensors) {
    for (const Tensor* t : tensors)
        if (t && (t->type == CUDNN_DATA_DOUBLE || t->type == CUDNN_DATA_INT32 || t->type == CUDNN_DATA_UINT32 ||
                  t->type == CUDNN_DATA_INT64))
            return "_f64";
    return "_f32";
}

}  // namespace warpwright::libraries::dnn
