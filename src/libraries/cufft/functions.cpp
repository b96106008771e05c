// What the functions of cuFFT do: handles, and the many ways in which a transform is described.
#include "libraries/cufft/functions.hpp"

#include <string>
#include <vector>

#include "cudart/state/runtime.hpp"
#include "libraries/cufft/fourier_plan.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::fft_impl {
namespace {

using fft::FourierPlan;
using fft::Kind;
using fft::Transform;

HandleTable<cufftHandle, FourierPlan>& plans() {
    static auto* all = new HandleTable<cufftHandle, FourierPlan>;
    return *all;
}

/// Does `work` with the plan of this number.
template <class Work>
cufftResult with(cufftHandle handle, Work work) {
    const auto plan = plans().find(handle);
    return plan ? work(*plan) : CUFFT_INVALID_PLAN;
}

/// The kind of numbers on both sides; false where the type is none.
bool set_type(Transform& t, cufftType type) {
    t.doubles = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
    if (type == CUFFT_C2C || type == CUFFT_Z2Z)
        t.kind = Kind::complex;
    else if (type == CUFFT_R2C || type == CUFFT_D2Z)
        t.kind = Kind::real_to_complex;
    else if (type == CUFFT_C2R || type == CUFFT_Z2D)
        t.kind = Kind::complex_to_real;
    else
        return false;
    return true;
}

/// The same by the types of input, output and arithmetic.
cufftResult type_of(cudaDataType in, cudaDataType out, cudaDataType execution, cufftType& type) {
    const struct {
        cudaDataType in, out, execution;
        cufftType type;
    } all[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
               {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
               {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
    for (const auto& row : all)
        if (row.in == in && row.out == out && row.execution == execution) {
            type = row.type;
            return CUFFT_SUCCESS;
        }
    cudart::Runtime::get().say("cufftXtMakePlanMany: the types " + std::to_string(in) + ", " + std::to_string(out) +
                               " and " + std::to_string(execution) +
                               " (cudaDataType) are not supported; there are floats and doubles, real and complex");
    return CUFFT_NOT_SUPPORTED;
}

template <class I>
struct Sides {
    I *inembed = nullptr, istride = 1, idist = 0, *onembed = nullptr, ostride = 1, odist = 0;
};

template <class I>
fft::Embedding embedding(int rank, const I* lengths, I stride, I distance) {
    fft::Embedding e;
    for (int d = 0; d < rank; ++d) e.length[d] = lengths[d];
    e.stride = stride;
    e.distance = distance;
    return e;
}

template <class I>
cufftResult describe(int rank, const I* n, const Sides<I>& sides, cufftType type, I batch, Transform& t) {
    if (rank < 1 || rank > fft::kMostRank || !n) return CUFFT_INVALID_VALUE;
    if (!set_type(t, type)) return CUFFT_INVALID_TYPE;
    t.rank = rank;
    t.batch = batch;
    for (int d = 0; d < rank; ++d) t.length[d] = n[d];
    if (sides.inembed && sides.onembed) {
        t.in = embedding(rank, sides.inembed, sides.istride, sides.idist);
        t.out = embedding(rank, sides.onembed, sides.ostride, sides.odist);
    }
    return fft::is_possible(t) ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

cufftResult make(cufftHandle handle, const Transform& t, std::size_t* bytes) {
    return with(handle, [&](FourierPlan& plan) {
        const auto s = plan.make(t);
        if (bytes) *bytes = plan.bytes();
        return s;
    });
}

cufftResult size(const Transform& t, std::size_t* bytes) {
    if (!bytes) return CUFFT_INVALID_VALUE;
    const auto needed = fft::work_bytes(t);
    *bytes = needed.value_or(0);
    return needed ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

template <class I>
cufftResult make_many(cufftHandle handle, int rank, const I* n, const Sides<I>& sides, cufftType type, I batch,
                      std::size_t* bytes) {
    Transform t;
    const auto s = describe(rank, n, sides, type, batch, t);
    return s == CUFFT_SUCCESS ? make(handle, t, bytes) : s;
}

template <class I>
cufftResult size_many(int rank, const I* n, const Sides<I>& sides, cufftType type, I batch, std::size_t* bytes) {
    Transform t;
    const auto s = describe(rank, n, sides, type, batch, t);
    return s == CUFFT_SUCCESS ? size(t, bytes) : s;
}

/// A new plan, which is gone again where it cannot be made.
template <class I>
cufftResult plan_many(cufftHandle* handle, int rank, const I* n, const Sides<I>& sides, cufftType type, I batch) {
    if (!handle) return CUFFT_INVALID_VALUE;
    const auto made = plans().add(std::make_shared<FourierPlan>());
    const auto s = make_many<I>(made, rank, n, sides, type, batch, nullptr);
    if (s == CUFFT_SUCCESS)
        *handle = made;
    else
        plans().take(made);
    return s;
}

cufftResult run(cufftHandle handle, Kind kind, bool doubles, const void* in, void* out, int direction = 0) {
    return with(handle, [&](FourierPlan& plan) { return plan.run(kind, doubles, in, out, direction); });
}

using Long = long long int;

}  // namespace

cufftResult cufftCreate(cufftHandle* plan) {
    if (!plan) return CUFFT_INVALID_VALUE;
    *plan = plans().add(std::make_shared<FourierPlan>());
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) { return plans().take(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
    return plan_many<int>(plan, 1, &nx, {}, type, batch);
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
    const int n[] = {nx, ny};
    return plan_many<int>(plan, 2, n, {}, type, 1);
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
    const int n[] = {nx, ny, nz};
    return plan_many<int>(plan, 3, n, {}, type, 1);
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
    return plan_many<int>(plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* bytes) {
    return make_many<int>(plan, 1, &nx, {}, type, batch, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* bytes) {
    const int n[] = {nx, ny};
    return make_many<int>(plan, 2, n, {}, type, 1, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* bytes) {
    const int n[] = {nx, ny, nz};
    return make_many<int>(plan, 3, n, {}, type, 1, bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* bytes) {
    return make_many<int>(plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                                Long* onembed, Long ostride, Long odist, cufftType type, Long batch, size_t* bytes) {
    return make_many<Long>(plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch, bytes);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                                cudaDataType in_type, Long* onembed, Long ostride, Long odist, cudaDataType out_type,
                                Long batch, size_t* bytes, cudaDataType execution_type) {
    cufftType type;
    if (const auto s = type_of(in_type, out_type, execution_type, type); s != CUFFT_SUCCESS) return s;
    return make_many<Long>(plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch, bytes);
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t* bytes) {
    return size_many<int>(1, &nx, {}, type, batch, bytes);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t* bytes) {
    const int n[] = {nx, ny};
    return size_many<int>(2, n, {}, type, 1, bytes);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* bytes) {
    const int n[] = {nx, ny, nz};
    return size_many<int>(3, n, {}, type, 1, bytes);
}
cufftResult cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                              int odist, cufftType type, int batch, size_t* bytes) {
    return size_many<int>(rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch, bytes);
}
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* bytes) {
    return with(plan, [&](FourierPlan&) { return fft_impl::cufftEstimate1d(nx, type, batch, bytes); });
}
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* bytes) {
    return with(plan, [&](FourierPlan&) { return fft_impl::cufftEstimate2d(nx, ny, type, bytes); });
}
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* bytes) {
    return with(plan, [&](FourierPlan&) { return fft_impl::cufftEstimate3d(nx, ny, nz, type, bytes); });
}
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                             int ostride, int odist, cufftType type, int batch, size_t* bytes) {
    return with(plan, [&](FourierPlan&) {
        return fft_impl::cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                                           bytes);
    });
}
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                               Long* onembed, Long ostride, Long odist, cufftType type, Long batch, size_t* bytes) {
    return with(plan, [&](FourierPlan&) {
        return size_many<Long>(rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch, bytes);
    });
}
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                               cudaDataType in_type, Long* onembed, Long ostride, Long odist, cudaDataType out_type,
                               Long batch, size_t* bytes, cudaDataType execution_type) {
    cufftType type;
    if (const auto s = type_of(in_type, out_type, execution_type, type); s != CUFFT_SUCCESS) return s;
    return fft_impl::cufftGetSizeMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                                        bytes);
}

cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
    if (!bytes) return CUFFT_INVALID_VALUE;
    return with(handle, [&](FourierPlan& plan) {
        *bytes = plan.bytes();
        return plan.is_made() ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
    });
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* area) {
    return with(handle, [&](FourierPlan& plan) { return plan.set_work_area(area); });
}
cufftResult cufftXtSetWorkArea(cufftHandle handle, void** areas) {
    return areas ? fft_impl::cufftSetWorkArea(handle, *areas) : CUFFT_INVALID_VALUE;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocate) {
    return with(handle, [&](FourierPlan& plan) {
        plan.set_allocates(allocate != 0);
        return CUFFT_SUCCESS;
    });
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    return with(handle, [&](FourierPlan& plan) {
        plan.set_stream(stream);
        return CUFFT_SUCCESS;
    });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
    return run(plan, Kind::complex, false, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
    return run(plan, Kind::real_to_complex, false, in, out);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
    return run(plan, Kind::complex_to_real, false, in, out);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
    return run(plan, Kind::complex, true, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
    return run(plan, Kind::real_to_complex, true, in, out);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
    return run(plan, Kind::complex_to_real, true, in, out);
}
cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
    return with(handle, [&](FourierPlan& plan) { return plan.run(in, out, direction); });
}

cufftResult cufftGetVersion(int* version) {
    if (!version) return CUFFT_INVALID_VALUE;
    *version = WARPWRIGHT_LIBRARY_MAJOR * 1000;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? WARPWRIGHT_LIBRARY_MAJOR : 0;
    return CUFFT_SUCCESS;
}

}  // namespace warpwright::libraries::fft_impl
