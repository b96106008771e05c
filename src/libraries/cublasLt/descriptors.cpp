// Handles are numbers, as everywhere; only what a program initialises in its own memory is reached by its address, as
// the interface wants it. Attributes are set and read by their rows: the size that a program gives must be that of the
// attribute.
#include "libraries/cublasLt/descriptors.hpp"

#include <cstddef>
#include <cstring>

#include "libraries/cublasLt/functions.hpp"
#include "support/handle_table.hpp"

struct cublasLtContext {};

namespace warpwright::libraries {
namespace lt {
namespace {

struct Attribute {
    int number;
    std::size_t offset, size;
};
template <class State>
struct Attributes;
#define WW_LT_ATTRIBUTE(descriptor, name, number, type, member, first) {number, offsetof(State, member), sizeof(type)},
template <>
struct Attributes<Layout> {
    using State = Layout;
    static constexpr Attribute all[] = {
#define WW_LT_OF_LAYOUT
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_LAYOUT
    };
};
template <>
struct Attributes<MatmulDesc> {
    using State = MatmulDesc;
    static constexpr Attribute all[] = {
#define WW_LT_OF_DESC
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_DESC
    };
};
template <>
struct Attributes<TransformDesc> {
    using State = TransformDesc;
    static constexpr Attribute all[] = {
#define WW_LT_OF_TRANSFORM
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_TRANSFORM
    };
};
template <>
struct Attributes<Preference> {
    using State = Preference;
    static constexpr Attribute all[] = {
#define WW_LT_OF_PREF
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_PREF
    };
};
template <>
struct Attributes<Algorithm> {
    using State = Algorithm;
    static constexpr Attribute all[] = {
#define WW_LT_OF_CONFIG
#include "warpwright/cublaslt_attributes.inc"
#undef WW_LT_OF_CONFIG
    };
};
#undef WW_LT_ATTRIBUTE

template <class State>
const Attribute* find(int number) {
    for (const Attribute& a : Attributes<State>::all)
        if (a.number == number) return &a;
    return nullptr;
}

template <class State>
cublasStatus_t set(State& state, int number, const void* value, std::size_t size) {
    const Attribute* a = find<State>(number);
    if (!a || !value || size != a->size) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(reinterpret_cast<char*>(&state) + a->offset, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

/// With no room for the value, only its size is told.
template <class State>
cublasStatus_t get(const State& state, int number, void* value, std::size_t size, std::size_t* written) {
    const Attribute* a = find<State>(number);
    if (!a || (size == 0 && !written) || (size != 0 && (!value || size < a->size))) return CUBLAS_STATUS_INVALID_VALUE;
    if (written) *written = a->size;
    if (size != 0) std::memcpy(value, reinterpret_cast<const char*>(&state) + a->offset, a->size);
    return CUBLAS_STATUS_SUCCESS;
}

template <class Handle, class State>
HandleTable<Handle, State>& table() {
    static auto* all = new HandleTable<Handle, State>;
    return *all;
}

/// Handles of ours have these bits; no address of a program has.
bool is_number(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle) >> 48 == 0x5741; }

/// The state behind a handle, kept while it is used, or in the program's memory.
template <class State, class Handle>
std::shared_ptr<State> state_of(Handle handle) {
    static_assert(sizeof(State) <= sizeof(*handle));
    if (!handle) return nullptr;
    if (is_number(handle)) return table<Handle, State>().find(handle);
    auto* const own = reinterpret_cast<State*>(handle);
    return own->mark == State{}.mark ? std::shared_ptr<State>(std::shared_ptr<State>(), own) : nullptr;
}

template <class State, class Handle>
std::optional<State> copy_of(Handle handle) {
    const auto state = state_of<State>(handle);
    return state ? std::optional(*state) : std::nullopt;
}

template <class State, class Handle>
cublasStatus_t create(Handle* handle, State state) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = table<Handle, State>().add(std::make_shared<State>(state));
    return CUBLAS_STATUS_SUCCESS;
}
template <class State, class Handle>
cublasStatus_t initialise(Handle handle, std::size_t size, State state) {
    if (!handle || size < sizeof(State)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memset(static_cast<void*>(handle), 0, size);
    std::memcpy(static_cast<void*>(handle), &state, sizeof state);
    return CUBLAS_STATUS_SUCCESS;
}
/// Nothing is to be destroyed of what is in the program's memory.
template <class State, class Handle>
cublasStatus_t destroy(Handle handle) {
    if (!handle) return CUBLAS_STATUS_SUCCESS;
    if (!is_number(handle)) return CUBLAS_STATUS_INVALID_VALUE;
    return table<Handle, State>().take(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
template <class State, class Handle>
cublasStatus_t set_in(Handle handle, int number, const void* value, std::size_t size) {
    const auto state = state_of<State>(handle);
    return state ? set(*state, number, value, size) : CUBLAS_STATUS_INVALID_VALUE;
}
template <class State, class Handle>
cublasStatus_t get_from(Handle handle, int number, void* value, std::size_t size, std::size_t* written) {
    const auto state = state_of<State>(handle);
    return state ? get(*state, number, value, size, written) : CUBLAS_STATUS_INVALID_VALUE;
}

Layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
    Layout l;
    l.type = static_cast<std::uint32_t>(type);
    l.rows = rows;
    l.cols = cols;
    l.ld = ld;
    return l;
}
MatmulDesc desc_of(cublasComputeType_t compute, cudaDataType scale) {
    MatmulDesc d;
    d.compute = compute;
    d.scale = scale;
    return d;
}

}  // namespace

std::optional<Layout> read(cublasLtMatrixLayout_t layout) { return copy_of<Layout>(layout); }
std::optional<MatmulDesc> read(cublasLtMatmulDesc_t desc) { return copy_of<MatmulDesc>(desc); }
std::optional<TransformDesc> read(cublasLtMatrixTransformDesc_t desc) { return copy_of<TransformDesc>(desc); }
std::optional<Preference> read(cublasLtMatmulPreference_t preference) { return copy_of<Preference>(preference); }
std::optional<Algorithm> read(const cublasLtMatmulAlgo_t* algo) {
    Algorithm a;
    if (!algo || std::memcmp(algo, &a.mark, sizeof a.mark) != 0) return std::nullopt;
    std::memcpy(static_cast<void*>(&a), algo, sizeof a);
    return a;
}
void write(cublasLtMatmulAlgo_t& algo, const Algorithm& value) {
    static_assert(sizeof value <= sizeof algo);
    algo = {};
    std::memcpy(&algo, &value, sizeof value);
}
bool is_context(cublasLtHandle_t handle) { return is_number(handle); }

}  // namespace lt

namespace lt_impl {

using namespace lt;

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = table<cublasLtHandle_t, cublasLtContext>().add(std::make_shared<cublasLtContext>());
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    return table<cublasLtHandle_t, cublasLtContext>().take(handle) ? CUBLAS_STATUS_SUCCESS
                                                                   : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld) {
    return initialise(layout, size, layout_of(type, rows, cols, ld));
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
    return create(layout, layout_of(type, rows, cols, ld));
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute,
                                               cudaDataType scale) {
    return initialise(desc, size, desc_of(compute, scale));
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType scale) {
    return create(desc, desc_of(compute, scale));
}
cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc, size_t size,
                                                        cudaDataType scale) {
    TransformDesc d;
    d.scale = scale;
    return initialise(desc, size, d);
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* desc, cudaDataType scale) {
    TransformDesc d;
    d.scale = scale;
    return create(desc, d);
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size) {
    return initialise(preference, size, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return create(preference, Preference{});
}

#define WW_DESCRIPTOR(name, Handle, Attribute, State)                                                                  \
    cublasStatus_t name##Destroy(Handle handle) { return destroy<State>(handle); }                                     \
    cublasStatus_t name##SetAttribute(Handle handle, Attribute attribute, const void* value, size_t size) {            \
        return set_in<State>(handle, attribute, value, size);                                                          \
    }                                                                                                                  \
    cublasStatus_t name##GetAttribute(Handle handle, Attribute attribute, void* value, size_t size, size_t* written) { \
        return get_from<State>(handle, attribute, value, size, written);                                               \
    }
WW_DESCRIPTOR(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, Layout)
WW_DESCRIPTOR(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, MatmulDesc)
WW_DESCRIPTOR(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t, cublasLtMatrixTransformDescAttributes_t,
              TransformDesc)
WW_DESCRIPTOR(cublasLtMatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, Preference)

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, const void* value,
                                                    size_t size) {
    auto known = read(algo);
    if (!known) return CUBLAS_STATUS_INVALID_VALUE;
    const auto s = set(*known, attribute, value, size);
    write(*algo, *known);
    return s;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    size_t size, size_t* written) {
    const auto known = read(algo);
    return known ? get(*known, attribute, value, size, written) : CUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace lt_impl
}  // namespace warpwright::libraries
