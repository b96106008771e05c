// The rates from which bounds are computed: measured ceilings where a model has them, else the data sheet's figures.
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

namespace {

struct UnitFigure {
    std::string_view unit;
    double DeviceModel::Units::* results;  ///< FMA units: per cycle and multiprocessor
    double DeviceModel::Tensor::* flops;   ///< tensor cores: per cycle and multiprocessor
    double DeviceModel::Ceilings::* measured;
};

using Units = DeviceModel::Units;
using Tensor = DeviceModel::Tensor;
using Ceilings = DeviceModel::Ceilings;

constexpr UnitFigure kUnits[] = {
    {"fp32", &Units::fp32, nullptr, &Ceilings::fma_f32},
    {"fp64", &Units::fp64, nullptr, &Ceilings::fma_f64},
    {"fp16", &Units::fp16, nullptr, &Ceilings::fma_f16},
    {"integer", &Units::integer_multiply, nullptr, &Ceilings::mad_i32},
    {"tf32", nullptr, &Tensor::tf32, &Ceilings::tensor_tf32},
    {"f16", nullptr, &Tensor::f16, &Ceilings::tensor_f16},
    {"bf16", nullptr, &Tensor::bf16, &Ceilings::tensor_bf16},
    {"fp8", nullptr, &Tensor::fp8, &Ceilings::tensor_fp8},
    {"int8", nullptr, &Tensor::int8, &Ceilings::tensor_int8},
    {"f64", nullptr, &Tensor::f64, &Ceilings::tensor_f64},
    {"sparse_tf32", nullptr, &Tensor::sparse_tf32, &Ceilings::sparse_tf32},
    {"sparse_f16", nullptr, &Tensor::sparse_f16, &Ceilings::sparse_f16},
    {"sparse_bf16", nullptr, &Tensor::sparse_bf16, &Ceilings::sparse_bf16},
    {"sparse_fp8", nullptr, &Tensor::sparse_fp8, &Ceilings::sparse_fp8},
    {"sparse_int8", nullptr, &Tensor::sparse_int8, &Ceilings::sparse_int8},
};

const UnitFigure* unit_figure(std::string_view unit) {
    for (const UnitFigure& f : kUnits)
        if (f.unit == unit) return &f;
    return nullptr;
}

}  // namespace

double DeviceModel::sheet_flops(std::string_view unit) const {
    const UnitFigure* f = unit_figure(unit);
    if (!f) return 0;
    if (f->flops) return tensor_rate(tensor.*f->flops);
    return 2 * units.*f->results * sm.multiprocessors * clocks.bound;  // a multiply-add is two
}

double DeviceModel::measured_flops(std::string_view unit) const {
    const UnitFigure* f = unit_figure(unit);
    return f ? ceilings.*f->measured : 0;
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
