// The emulated device's encoder is called for its checks alone; the driver then encodes the same description, whose
// layout on a real device is not published.
#include "device/cuda/tensor_map.hpp"

#include <cstring>
#include <utility>

#include "engine/shared/tensor_map.hpp"

namespace warpwright::device::cuda {
namespace {

using T = TensorType;
constexpr std::pair<const char*, T> kTypes[] = {{"u8", T::u8},   {"u16", T::u16},   {"u32", T::u32},  {"s32", T::i32},
                                                {"u64", T::u64}, {"s64", T::i64},   {"f16", T::f16},  {"f32", T::f32},
                                                {"f64", T::f64}, {"bf16", T::bf16}, {"tf32", T::tf32}};

TensorSwizzle swizzle_of(TensorMap::Swizzle s) {
    switch (s) {
        case TensorMap::Swizzle::b32:
            return TensorSwizzle::b32;
        case TensorMap::Swizzle::b64:
            return TensorSwizzle::b64;
        case TensorMap::Swizzle::b128:
            return TensorSwizzle::b128;
        case TensorMap::Swizzle::none:
            break;
    }
    return TensorSwizzle::none;
}

}  // namespace

Result<std::array<std::byte, 128>> encode_tensor_map(ContextHolder& context, const TensorMap& m) {
    if (auto ok = context.use(); !ok) return std::move(ok).error();
    const CudaDeviceInfo& info = context.info();
    const DriverTable& t = context.table();
    if (info.limits.compute_capability < 90)
        return Error{ErrorKind::limit,
                     "tensor maps need compute capability 9.0, " + info.device() + " has " +
                         std::to_string(info.limits.compute_capability / 10) + "." +
                         std::to_string(info.limits.compute_capability % 10),
                     {},
                     "use a newer device, or --device emulated"};
    if (!t.encode_tiled)
        return Error{
            ErrorKind::limit, "the driver is too old for tensor maps", {}, "install a driver for CUDA 12 or newer"};
    if (m.pixels) return Error{ErrorKind::limit, "tensor maps for im2col are for the emulated device alone", {}, ""};
    static constexpr unsigned kSwizzleBytes[] = {0, 32, 64, 128};
    if (auto ok = engine::encode_tensor_map({m.address,
                                             m.type,
                                             m.size,
                                             m.stride,
                                             m.box,
                                             m.step,
                                             kSwizzleBytes[static_cast<unsigned>(m.swizzle)],
                                             m.fill_nan,
                                             {},
                                             {},
                                             0});
        !ok)
        return std::move(ok).error();
    TensorPromotion promotion;
    switch (m.fetch) {
        case 0:
            promotion = TensorPromotion::none;
            break;
        case 64:
            promotion = TensorPromotion::b64;
            break;
        case 128:
            promotion = TensorPromotion::b128;
            break;
        case 256:
            promotion = TensorPromotion::b256;
            break;
        default:
            return Error{ErrorKind::usage,
                         "tensor map: L2 cannot fetch " + std::to_string(m.fetch) + " bytes at a time",
                         {},
                         "0, 64, 128 or 256"};
    }
    T type = T::u8;
    for (const auto& [name, value] : kTypes)
        if (m.type == name) type = value;
    const std::vector<std::uint32_t> step = m.step.empty() ? std::vector<std::uint32_t>(m.size.size(), 1) : m.step;
    alignas(64) std::array<std::byte, 128> out{};
    const Status s =
        t.encode_tiled(out.data(), type, static_cast<std::uint32_t>(m.size.size()), reinterpret_cast<void*>(m.address),
                       m.size.data(), m.stride.data(), m.box.data(), step.data(), TensorInterleave::none,
                       swizzle_of(m.swizzle), promotion, m.fill_nan ? TensorFill::nan : TensorFill::zero);
    if (s != status::success) return context.failed(s, "making a tensor map");
    return std::array<std::byte, 128>(out);
}

}  // namespace warpwright::device::cuda
