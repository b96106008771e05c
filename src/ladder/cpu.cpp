// Chooses the CPU rung's function by its name and element type, and decides which sizes are computed whole: a plain
// triple loop at a large size would take minutes.
#include "ladder/cpu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/machine.hpp"

namespace warpwright::ladder {
namespace {

template <class T>
CpuWork matmul_work(const std::string& cpu, HostBuffer& a, HostBuffer& b, HostBuffer& c,
                    const std::vector<std::int64_t>& s, Layout layout, unsigned threads) {
    auto* pa = reinterpret_cast<const T*>(a.bytes.data());
    auto* pb = reinterpret_cast<const T*>(b.bytes.data());
    auto* pc = reinterpret_cast<T*>(c.bytes.data());
    auto m = s[0], n = s[1], k = s[2];
    if (cpu == "serial") return [=] { matmul_serial(pa, pb, pc, m, n, k, layout); };
    if (cpu == "openmp") return [=] { matmul_openmp(pa, pb, pc, m, n, k, layout, threads); };
    return [=] { matmul_blas(pa, pb, pc, m, n, k, layout, threads); };
}

template <class T>
CpuWork sum_work(const std::string& cpu, HostBuffer& in, HostBuffer& out, std::int64_t n, unsigned threads) {
    auto* from = reinterpret_cast<const T*>(in.bytes.data());
    auto* to = reinterpret_cast<T*>(out.bytes.data());
    if (cpu == "serial") return [=] { *to = sum_serial(from, n); };
    return [=] { *to = sum_openmp(from, n, threads); };
}

/// The most multiply-adds of a product that a CPU rung computes whole: 512^3 for the plain loops, and more for the
/// others in proportion to their speed.
constexpr double kSerial = 512.0 * 512 * 512;
double budget_of(const std::string& cpu) {
    return cpu == "serial" ? kSerial : cpu == "openmp" ? 8 * kSerial : 64 * kSerial;
}

/// Those for which a part of a larger product is timed. Each row is the same work, so the plain loops need few of them
/// (a quarter of a second, if B does not fit the caches); the others share rows out over all cores.
double part_of(const std::string& cpu) { return cpu == "serial" ? kSerial / 4 : budget_of(cpu); }

}  // namespace

CpuRows cpu_rows(const Reference& reference, const std::string& cpu, const Variables& variables,
                 const Variant& variant) {
    if (reference.kind != Reference::Kind::matmul || reference.sizes.size() != 3) return {};
    double sizes[3];
    for (std::size_t i = 0; i < 3; ++i) {
        auto value = reference.sizes[i].integer(variables);
        if (!value || *value < 0) return {};
        sizes[i] = static_cast<double>(*value);
    }
    CpuRows rows{static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[0])};
    // The columns of a transposed A are a whole M apart: its first rows alone are a different problem.
    if (Layout::of(word_of(reference.layout, variant)).a_transposed) return rows;
    const double row = std::max(1.0, sizes[1] * sizes[2]);  // multiply-adds
    if (std::floor(budget_of(cpu) / row) < sizes[0])
        rows.timed = static_cast<std::int64_t>(std::clamp(std::floor(part_of(cpu) / row), 1.0, sizes[0]));
    return rows;
}

Result<CpuWork> make_cpu_work(const Reference& reference, const std::string& cpu, HostBuffers& buffers,
                              const Variables& variables, unsigned threads, const Variant& variant,
                              std::optional<std::int64_t> rows) {
    auto none = [&](std::string why) {
        return Error{ErrorKind::limit, "there is no CPU version '" + cpu + "' of this problem: " + why, reference.where,
                     ""};
    };
    auto wrong = [&](std::string what) { return Error{ErrorKind::input, std::move(what), reference.where, ""}; };
    std::vector<std::int64_t> sizes;
    for (const Expression& e : reference.sizes) {
        auto value = e.integer(variables);
        if (!value) return std::move(value).error();
        if (*value < 0) return wrong("a size is negative");
        sizes.push_back(*value);
    }
    HostBuffer& out = buffers.find(reference.output)->second;
    auto in = [&](std::size_t i) -> HostBuffer& { return buffers.find(reference.inputs[i])->second; };
    for (const std::string& name : reference.inputs)
        if (buffers.find(name)->second.element != out.element) return none("its buffers have different types");
    if (reference.kind == Reference::Kind::matmul) {
        for (std::int64_t s : sizes)
            if (s > std::numeric_limits<int>::max()) return none("a size is beyond 2^31");
        if (in(0).count() < std::uint64_t(sizes[0]) * sizes[2] || in(1).count() < std::uint64_t(sizes[2]) * sizes[1] ||
            out.count() < std::uint64_t(sizes[0]) * sizes[1])
            return wrong("a buffer is shorter than the sizes say");
        const Layout layout = Layout::of(word_of(reference.layout, variant));
        if (rows) sizes[0] = std::min(sizes[0], *rows);
        if (out.element == values::Element::f32)
            return matmul_work<float>(cpu, in(0), in(1), out, sizes, layout, threads);
        if (out.element == values::Element::f64)
            return matmul_work<double>(cpu, in(0), in(1), out, sizes, layout, threads);
        return none("the product is only there for f32 and f64");
    }
    if (reference.kind == Reference::Kind::reduce && word_of(reference.op, variant) == "sum" && cpu != "blas") {
        if (in(0).count() < std::uint64_t(sizes[0]) || out.count() < 1)
            return wrong("a buffer is shorter than the sizes say");
        switch (out.element) {
            case values::Element::i32:
                return sum_work<std::int32_t>(cpu, in(0), out, sizes[0], threads);
            case values::Element::i64:
                return sum_work<std::int64_t>(cpu, in(0), out, sizes[0], threads);
            case values::Element::f32:
                return sum_work<float>(cpu, in(0), out, sizes[0], threads);
            case values::Element::f64:
                return sum_work<double>(cpu, in(0), out, sizes[0], threads);
            default:
                return none("the sum is only there for i32, i64, f32 and f64");
        }
    }
    return none("only the references matmul and sum have one");
}

std::string cpu_name() { return host::processor_name(); }

}  // namespace warpwright::ladder
