// What bounds are worked out with: measured ceilings where a model has them, else the data sheet's figures.
#include <algorithm>

#include "arch/model.hpp"

namespace warpwright::arch {

double DeviceModel::dram_bandwidth() const {
    const double measured = std::max({ceilings.dram_read, ceilings.dram_write, ceilings.dram_copy});
    return measured > 0 ? measured : memory.bandwidth;
}

double DeviceModel::l2_bandwidth() const { return ceilings.l2_read > 0 ? ceilings.l2_read : cache.l2_bandwidth; }

double DeviceModel::l1_bytes_per_cycle() const {
    return ceilings.l1_read > 0 ? ceilings.l1_read / sm.multiprocessors / clocks.bound : cache.l1_bandwidth;
}

double DeviceModel::wavefront_rate() const {
    const double measured = std::max(ceilings.shared_read, ceilings.shared_write);
    const double wavefront = double(shared.banks) * shared.bank_width;
    return measured > 0 ? measured / wavefront / sm.multiprocessors / clocks.bound : shared.wavefronts;
}

DeviceModel::Units DeviceModel::unit_rates() const {
    Units out = units;
    const auto take = [&](double& rate, double measured) {
        if (measured > 0) rate = measured / sm.multiprocessors / clocks.bound;
    };
    take(out.fp32, ceilings.fma_f32 / 2);
    take(out.fp64, ceilings.fma_f64 / 2);
    take(out.fp16, ceilings.fma_f16 / 2);
    take(out.integer_multiply, ceilings.mad_i32 / 2);
    take(out.special, ceilings.special);
    return out;
}

double DeviceModel::tensor_flops(std::string_view type) const {
    struct Type {
        std::string_view name;
        double measured, sheet;
    };
    const Type types[] = {{"f16", ceilings.tensor_f16, tensor.f16},    {"bf16", ceilings.tensor_bf16, tensor.bf16},
                          {"tf32", ceilings.tensor_tf32, tensor.tf32}, {"f64", ceilings.tensor_f64, tensor.f64},
                          {"int8", ceilings.tensor_int8, tensor.int8}, {"int4", 0, tensor.int4},
                          {"fp8", ceilings.tensor_fp8, tensor.fp8}};
    for (const Type& t : types)
        if (t.name == type) return t.measured > 0 ? t.measured : tensor_rate(t.sheet);
    return 0;
}

}  // namespace warpwright::arch
