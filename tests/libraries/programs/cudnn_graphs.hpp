// Graphs of cuDNN's backend interface, made descriptor by descriptor.
#pragma once

#include <map>

#include "cudnn_tensors.hpp"

using Desc = cudnnBackendDescriptor_t;

/// A descriptor whose attributes are set one after another.
struct Made {
    Desc desc = nullptr;
    explicit Made(cudnnBackendDescriptorType_t kind) { OK(cudnnBackendCreateDescriptor(kind, &desc)); }
    template <class T>
    Made& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const std::vector<T>& values) {
        OK(cudnnBackendSetAttribute(desc, name, type, static_cast<int64_t>(values.size()), values.data()));
        return *this;
    }
    Made& part(cudnnBackendAttributeName_t name, Desc of) {
        return set<Desc>(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, {of});
    }
    Made& number(cudnnBackendAttributeName_t name, int64_t x) { return set<int64_t>(name, CUDNN_TYPE_INT64, {x}); }
    Made& flag(cudnnBackendAttributeName_t name) {
        const bool yes = true;
        OK(cudnnBackendSetAttribute(desc, name, CUDNN_TYPE_BOOLEAN, 1, &yes));
        return *this;
    }
    /// Enumerators and small integers.
    template <class T>
    Made& choice(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T x) {
        return set<T>(name, type, {x});
    }
    Made& real(cudnnBackendAttributeName_t name, float x) { return set<float>(name, CUDNN_TYPE_FLOAT, {x}); }
    Made& type(cudnnBackendAttributeName_t name, cudnnDataType_t x) { return choice(name, CUDNN_TYPE_DATA_TYPE, x); }
    Desc done() {
        OK(cudnnBackendFinalize(desc));
        return desc;
    }
};

/// Operations and what is computed of them. Descriptors live as long as the program.
struct Graph {
    std::vector<Desc> operations;
    std::map<int64_t, void*> given;
    int64_t next = 1;

    Desc tensor(const Sizes& size, const Sizes& apart, cudnnDataType_t type, void* at, bool by_value = false) {
        Made t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
        const std::vector<int64_t> sizes(size.begin(), size.end()), strides(apart.begin(), apart.end());
        t.type(CUDNN_ATTR_TENSOR_DATA_TYPE, type).set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes);
        t.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides).number(CUDNN_ATTR_TENSOR_UNIQUE_ID, next);
        t.number(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, by_value ? 4 : 16);
        if (!at) t.flag(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
        if (by_value) t.flag(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
        if (at) given[next] = at;
        ++next;
        return t.done();
    }
    Desc tensor(const Tensor& t) { return tensor(t.size, t.apart, t.type, t.at); }
    /// Between operations, in floats.
    Desc between(const Sizes& size, bool channels_last = false) {
        return tensor(size, packed(size, channels_last), CUDNN_DATA_FLOAT, nullptr);
    }
    Desc number(float* at) { return tensor({1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, at, true); }

    void pointwise(cudnnPointwiseMode_t mode, Desc x, Desc b, Desc y, bool gradient = false) {
        Made f(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
        f.choice(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
        f.type(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
        Made op(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
        op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, f.done());
        op.part(gradient ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC : CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
        if (b) op.part(gradient ? CUDNN_ATTR_OPERATION_POINTWISE_XDESC : CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
        op.part(gradient ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC : CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
        operations.push_back(op.done());
    }
    void matmul(Desc a, Desc b, Desc c) {
        Made m(CUDNN_BACKEND_MATMUL_DESCRIPTOR), op(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
        m.type(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
        op.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a).part(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
        op.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c).part(CUDNN_ATTR_OPERATION_MATMUL_DESC, m.done());
        operations.push_back(op.done());
    }
    void reduce(cudnnReduceTensorOp_t kind, Desc x, Desc y) {
        Made r(CUDNN_BACKEND_REDUCTION_DESCRIPTOR), op(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
        r.choice(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, kind);
        r.type(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
        op.part(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x).part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
        op.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC, r.done());
        operations.push_back(op.done());
    }

    void reshape(Desc x, Desc y) {
        Made op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
        op.part(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x).part(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
        operations.push_back(op.done());
    }

    Desc graph() {
        Made g(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        g.set<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, {handle});
        return g.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations).done();
    }
    /// Takes the first engine that a heuristic names and that makes a plan; a heuristic may name none.
    cudnnStatus_t plan(Desc* out) {
        const Desc of = graph();
        cudnnStatus_t status = CUDNN_STATUS_NOT_SUPPORTED;
        for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
            Made heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
            heuristic.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, of);
            heuristic.choice(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
            status = cudnnBackendFinalize(heuristic.desc);
            if (status != CUDNN_STATUS_SUCCESS) continue;
            status = CUDNN_STATUS_NOT_SUPPORTED;
            std::vector<Desc> configs;
            for (int k = 0; k < 8; ++k) configs.push_back(Made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).desc);
            int64_t count = 0;
            OK(cudnnBackendGetAttribute(heuristic.desc, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 8,
                                        &count, configs.data()));
            for (int64_t k = 0; k < std::min<int64_t>(count, 8); ++k) {
                Made p(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
                p.set<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, {handle});
                p.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configs[static_cast<size_t>(k)]);
                status = cudnnBackendFinalize(p.desc);
                *out = p.desc;
                if (status == CUDNN_STATUS_SUCCESS) return status;
            }
        }
        return status;
    }
    cudnnStatus_t execute(Desc plan) const {
        int64_t bytes = 0, count = 0;
        OK(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                                    &bytes));
        void* room = nullptr;
        (void)cudaMalloc(&room, static_cast<size_t>(bytes) + 256);
        std::vector<int64_t> ids;
        std::vector<void*> at;
        for (const auto& [id, pointer] : given) ids.push_back(id), at.push_back(pointer);
        Made pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids);
        pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, at);
        pack.set<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, {room});
        const auto status = cudnnBackendExecute(handle, plan, pack.done());
        (void)cudaDeviceSynchronize();
        (void)cudaFree(room);
        return status;
    }
    /// Whether it was computed; says so where the library refuses it, which is wrong where it `must` not.
    bool run(const char* what, bool must = true) {
        Desc p = nullptr;
        const auto status = plan(&p);
        if (status != CUDNN_STATUS_SUCCESS) {
            printf("%s: refused with %d\n", what, static_cast<int>(status));
            failed = failed || must;
            return false;
        }
        OK(execute(p));
        return true;
    }
};
