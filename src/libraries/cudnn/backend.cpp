// Descriptors of graphs are made, told their attributes, and finished. A graph that cannot be computed is refused where
// engines for it are asked for, so that frameworks go another way.
#include "libraries/cudnn/backend.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

constexpr std::int64_t kDims = 2 * CUDNN_DIM_MAX, kMany = 4096, kText = std::int64_t{1} << 26;

/// Bytes of an element; 0: there is no such type.
std::size_t bytes_of_type(int type) {
    switch (type) {
#define WW_CUDNN_ATTRIBUTE_TYPE(name, number, c_type) \
    case number:                                      \
        return sizeof(c_type);
#include "warpwright/cudnn_backend.inc"
    }
    return 0;
}
bool is_real(int type) { return type == CUDNN_TYPE_FLOAT || type == CUDNN_TYPE_DOUBLE; }

/// A graph's random seed may be a number or a tensor.
bool type_fits(const AttributeShape& shape, int name, int type) {
    if (type == shape.type || (is_real(type) && is_real(shape.type))) return true;
    return name == CUDNN_ATTR_OPERATION_RNG_SEED && type == CUDNN_TYPE_INT64;
}

template <class T>
T element(const void* at, std::int64_t k) {
    T x;
    std::memcpy(&x, static_cast<const char*>(at) + k * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return x;
}
std::int64_t bits(double x) { return std::bit_cast<std::int64_t>(x); }

/// One element as it is kept.
void take(Value& to, const void* from, std::int64_t k) {
    if (to.type == CUDNN_TYPE_FLOAT)
        to.numbers.push_back(bits(static_cast<double>(element<float>(from, k))));
    else if (to.type == CUDNN_TYPE_FRACTION)
        for (const std::int64_t half : {2 * k, 2 * k + 1}) to.numbers.push_back(element<std::int64_t>(from, half));
    else if (bytes_of_type(to.type) == 8)
        to.numbers.push_back(element<std::int64_t>(from, k));
    else if (bytes_of_type(to.type) == 1)
        to.numbers.push_back(element<char>(from, k));
    else
        to.numbers.push_back(element<std::int32_t>(from, k));
}
/// And back, in the type that is asked for.
void hand_out(const Value& from, std::int64_t k, int type, void* to) {
    const auto put = [&](auto x) {
        std::memcpy(static_cast<char*>(to) + k * static_cast<std::int64_t>(sizeof(x)), &x, sizeof(x));
    };
    const auto at = static_cast<std::size_t>(k);
    if (type == CUDNN_TYPE_FLOAT)
        put(static_cast<float>(std::bit_cast<double>(from.numbers[at])));
    else if (type == CUDNN_TYPE_FRACTION)
        put(cudnnFraction_t{from.numbers[2 * at], from.numbers[2 * at + 1]});
    else if (bytes_of_type(type) == 8)
        put(from.numbers[at]);
    else if (bytes_of_type(type) == 1)
        put(static_cast<char>(from.numbers[at]));
    else
        put(static_cast<std::int32_t>(from.numbers[at]));
}

/// Whether what is kept can be given back in this type: an attribute may have been set in one of two.
bool gives(const Value& from, int type) { return from.type == type || (is_real(from.type) && is_real(type)); }

bool exists(int kind) {
    switch (kind) {
#define WW_CUDNN_DESCRIPTOR(name, number) case number:
#include "warpwright/cudnn_backend.inc"
        return true;
    }
    return false;
}

std::int64_t elements_of(const Value& v) {
    if (v.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return static_cast<std::int64_t>(v.parts.size());
    return static_cast<std::int64_t>(v.numbers.size()) / (v.type == CUDNN_TYPE_FRACTION ? 2 : 1);
}

/// The graph that a descriptor leads to: an engine's, a heuristic's, a plan's.
Part graph_behind(const Descriptor& d) {
    switch (d.kind) {
        case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
            return std::make_shared<Descriptor>(d);
        case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
            return part(d, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
        case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
            return part(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: {
            const auto engine = part(d, CUDNN_ATTR_ENGINECFG_ENGINE);
            return engine ? graph_behind(*engine) : nullptr;
        }
        default:
            return nullptr;
    }
}

/// The one engine there is for a graph, and how it is configured: nothing is to be chosen.
Part engine_for(const Part& graph) {
    auto engine = std::make_shared<Descriptor>();
    engine->kind = CUDNN_BACKEND_ENGINE_DESCRIPTOR, engine->finalized = true;
    engine->values[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, {}, {graph}};
    engine->values[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] = {CUDNN_TYPE_INT64, {0}, {}};
    return engine;
}
Part configured(const Part& engine) {
    auto config = std::make_shared<Descriptor>();
    config->kind = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, config->finalized = true;
    config->values[CUDNN_ATTR_ENGINECFG_ENGINE] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, {}, {engine}};
    return config;
}

Status finish_plan(Descriptor& d) {
    Part graph;
    if (d.values.contains(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION)) {
        graph = graph_of(integers(d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION));
        if (!graph) return kWrong;
        d.values[CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG] = {
            CUDNN_TYPE_BACKEND_DESCRIPTOR, {}, {configured(engine_for(graph))}};
    } else {
        const auto config = part(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
        if (!config) return kWrong;
        graph = graph_behind(*config);
        if (!graph) return kWrong;
    }
    std::shared_ptr<const Plan> plan;
    if (const auto s = plan_for(*graph, plan); s != kDone) return s;
    d.plan = plan;
    d.values[CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE] = {CUDNN_TYPE_INT64, {plan->workspace}, {}};
    return kDone;
}

/// What an engine or a heuristic promises is looked at before.
Status finish_engine(Descriptor& d) {
    const auto graph = graph_behind(d);
    if (!graph) return kWrong;
    if (d.kind == CUDNN_BACKEND_ENGINE_DESCRIPTOR && integer(d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0) != 0) return kWrong;
    std::shared_ptr<const Plan> plan;
    if (const auto s = plan_for(*graph, plan); s != kDone) return s;
    if (d.kind == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
        d.values[CUDNN_ATTR_ENGINEHEUR_RESULTS] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, {}, {configured(engine_for(graph))}};
    return kDone;
}

/// A tensor's constant is kept as a number: its place may be another's later.
void keep_constant(Descriptor& d) {
    const auto it = d.values.find(CUDNN_ATTR_TENSOR_CONSTANT_VALUE);
    if (it == d.values.end() || it->second.numbers.empty() || it->second.type != CUDNN_TYPE_VOID_PTR) return;
    const auto* const at = reinterpret_cast<const void*>(it->second.numbers[0]);
    const auto type = static_cast<int>(integer(d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT));
    if (at)
        it->second = {CUDNN_TYPE_DOUBLE, {bits(number_at(at, type))}, {}};
    else
        d.values.erase(it);
}

Status finish(Descriptor& d) {
    switch (d.kind) {
        case CUDNN_BACKEND_TENSOR_DESCRIPTOR: {
            keep_constant(d);
            Tensor t;
            return tensor_of(d, t);
        }
        case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
            return part(d, CUDNN_ATTR_OPERATIONGRAPH_OPS) ? kDone : kWrong;
        case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
        case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
            return finish_engine(d);
        case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
            return part(d, CUDNN_ATTR_ENGINECFG_ENGINE) ? kDone : kWrong;
        case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
            return finish_plan(d);
        case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
            return integers(d, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS).size() ==
                           integers(d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size()
                       ? kDone
                       : kWrong;
        default:
            return wrong_operation(d) ? kWrong : kDone;
    }
}

/// What is not kept but follows.
std::optional<Value> derived(const Descriptor& d, int name) {
    switch (name) {
        case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT: {
            std::shared_ptr<const Plan> plan;
            return Value{CUDNN_TYPE_INT64, {plan_for(d, plan) == kDone}, {}};
        }
        case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION: {
            const auto config = part(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
            const auto graph = config ? graph_behind(*config) : nullptr;
            if (!graph) return {};
            const std::string text = text_of(graph);
            return Value{CUDNN_TYPE_CHAR, {text.begin(), text.end()}, {}};
        }
        case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE: {
            const auto graph = graph_behind(d);
            std::shared_ptr<const Plan> plan;
            if (!graph || plan_for(*graph, plan) != kDone) return {};
            return Value{CUDNN_TYPE_INT64, {plan->workspace}, {}};
        }
        case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
            return Value{CUDNN_TYPE_INT32, {0}, {}};
        default:
            return {};
    }
}

}  // namespace

std::optional<AttributeShape> shape_of_attribute(int name) {
    switch (name) {
#define WW_CUDNN_ATTRIBUTE(descriptor, attribute, number, type, most) \
    case number:                                                      \
        return AttributeShape{CUDNN_BACKEND_##descriptor##_DESCRIPTOR, CUDNN_TYPE_##type, most};
#include "warpwright/cudnn_backend.inc"
    }
    return {};
}

std::int64_t integer(const Descriptor& of, int attribute, std::int64_t otherwise) {
    const auto it = of.values.find(attribute);
    return it == of.values.end() || it->second.numbers.empty() ? otherwise : it->second.numbers[0];
}
double real(const Descriptor& of, int attribute, double otherwise) {
    const auto it = of.values.find(attribute);
    return it == of.values.end() || it->second.numbers.empty() ? otherwise
                                                               : std::bit_cast<double>(it->second.numbers[0]);
}
const std::vector<std::int64_t>& integers(const Descriptor& of, int attribute) {
    static const std::vector<std::int64_t> none;
    const auto it = of.values.find(attribute);
    return it == of.values.end() ? none : it->second.numbers;
}
Part part(const Descriptor& of, int attribute) {
    const auto it = of.values.find(attribute);
    return it == of.values.end() || it->second.parts.empty() ? nullptr : it->second.parts[0];
}

Status create_descriptor(cudnnBackendDescriptorType_t kind, cudnnBackendDescriptor_t* desc) {
    if (!desc) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!exists(kind)) return CUDNN_STATUS_NOT_SUPPORTED;
    auto made = std::make_shared<Descriptor>();
    made->kind = kind;
    *desc = objects<Descriptor>().add(std::move(made));
    return kDone;
}
Status destroy_descriptor(cudnnBackendDescriptor_t desc) {
    return !desc || objects<Descriptor>().take(desc) ? kDone : kWrong;
}

Status set_attribute(cudnnBackendDescriptor_t desc, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t count, const void* elements) {
    const auto d = find<Descriptor>(desc);
    if (!d) return kWrong;
    if (d->finalized) return CUDNN_STATUS_NOT_INITIALIZED;
    const auto shape = shape_of_attribute(name);
    if (!shape || shape->kind != d->kind || count < 0 || count > shape->most) return kWrong;
    if (!type_fits(*shape, name, type)) return kWrong;
    if (count > 0 && !elements) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    Value v;
    v.type = type;
    for (std::int64_t k = 0; k < count; ++k) {
        if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
            take(v, elements, k);
            continue;
        }
        const auto part = find<Descriptor>(element<cudnnBackendDescriptor_t>(elements, k));
        if (!part) return kWrong;
        if (!part->finalized || part->depth >= kMostDepth) return kWrong;
        d->depth = std::max(d->depth, part->depth + 1);
        v.parts.push_back(part);
    }
    d->values[name] = std::move(v);
    return kDone;
}

Status get_attribute(cudnnBackendDescriptor_t desc, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t wanted, std::int64_t* count, void* elements) {
    const auto d = find<Descriptor>(desc);
    if (!d || wanted < 0) return kWrong;
    // Only a plan's own numbers may be asked for before it is finished.
    if (!d->finalized) return CUDNN_STATUS_NOT_INITIALIZED;
    const auto shape = shape_of_attribute(name);
    if (!shape || shape->kind != d->kind || !type_fits(*shape, name, type)) return kWrong;
    const auto it = d->values.find(name);
    std::optional<Value> made;
    if (it == d->values.end()) made = derived(*d, name);
    const Value none{type, {}, {}};
    const Value& from = it != d->values.end() ? it->second : made ? *made : none;
    if (!gives(from, type)) return kWrong;
    const std::int64_t there = elements_of(from);
    if (count) *count = there;
    const std::int64_t n = elements ? std::min(wanted, there) : 0;
    for (std::int64_t k = 0; k < n; ++k) {
        if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
            hand_out(from, k, type, elements);
            continue;
        }
        // The program gives descriptors of its own, which become what is asked for. One that is finished may be a part
        // of others.
        const auto to = find<Descriptor>(element<cudnnBackendDescriptor_t>(elements, k));
        const auto& source = from.parts[static_cast<std::size_t>(k)];
        if (!to || to->finalized || to->kind != source->kind) return kWrong;
        *to = *source;
    }
    return kDone;
}

Status finalize(cudnnBackendDescriptor_t desc) {
    const auto d = find<Descriptor>(desc);
    if (!d) return kWrong;
    if (d->finalized) return kDone;
    const auto s = finish(*d);
    d->finalized = s == kDone;
    return s;
}

Status execute(Handle h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
    const auto p = find<Descriptor>(plan), given = find<Descriptor>(pack);
    if (!find<Context>(h)) return CUDNN_STATUS_NOT_INITIALIZED;
    if (!p || !p->plan || !given || !given->finalized || given->kind != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
        return kWrong;
    if (!integers(*given, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS).empty())
        return refuse("a graph with other shapes than its plan's");
    Run run{h, *p->plan, {}, integer(*given, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 0)};
    const auto& ids = integers(*given, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto& pointers = integers(*given, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    for (std::size_t k = 0; k < ids.size(); ++k) run.given[ids[k]] = pointers[k];
    return run.all();
}

}  // namespace warpwright::libraries::dnn
