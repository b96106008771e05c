// Each run is one vector access, and shuffles join the runs and separate the elements of a lane. Where the pattern
// rests on assumptions, or accesses are checked, a branch leads to the general way.
#include "engine/codegen/run_access.hpp"

#include <algorithm>

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

namespace {

std::vector<int> iota(int first, int count, int step = 1) {
    std::vector<int> v;
    for (int k = 0; k < count; ++k) v.push_back(first + k * step);
    return v;
}

/// The active lanes, each repeated for every element.
V element_mask(FunctionState& fn, const Access& a) {
    V m = mask_vector(fn, fn.at.mask);
    if (a.count == 1) return m;
    std::vector<int> repeat;
    for (unsigned l = 0; l < fn.lanes; ++l)
        for (unsigned e = 0; e < a.count; ++e) repeat.push_back(static_cast<int>(l));
    return fn.b.CreateShuffleVector(m, repeat);
}

/// Loads a run's elements: one vector of its lanes for each.
std::vector<V> load_run(FunctionState& fn, const Access& a, const Run& r, V base) {
    const auto t = element(fn, a.inst->type);
    V address = run_address(fn, a, r, base);
    fn.at.first_lane = r.first;
    check_bounds(fn, a, address, a.run_bytes(r), fn.active(), longest_run(a));
    V p = host_pointer(fn, a, address);
    std::vector<V> elements;
    const bool again = looks_again(*a.inst);
    if (!r.contiguous) {
        for (unsigned e = 0; e < a.count; ++e)
            elements.push_back(fn.b.CreateVectorSplat(
                r.count, fn.b.CreateAlignedLoad(t, fn.field(p, e * a.bytes), llvm::Align(a.bytes), again)));
        return elements;
    }
    auto wide = llvm::FixedVectorType::get(t, r.count * a.count);
    V all = fn.at.converged ? static_cast<V>(fn.b.CreateAlignedLoad(wide, p, llvm::Align(a.bytes), again))
                            : fn.b.CreateMaskedLoad(wide, p, llvm::Align(a.bytes), element_mask(fn, a),
                                                    llvm::Constant::getNullValue(wide));
    if (a.count == 1) return {all};
    for (unsigned e = 0; e < a.count; ++e)
        elements.push_back(fn.b.CreateShuffleVector(
            all, iota(static_cast<int>(e), static_cast<int>(r.count), static_cast<int>(a.count))));
    return elements;
}

/// Element e of all lanes, joined from the runs.
V join_runs(FunctionState& fn, const Access& a, const std::vector<std::vector<V>>& parts, unsigned e) {
    V x = parts[0][e];
    unsigned have = a.runs[0].count;
    for (unsigned k = 1; k < a.runs.size(); ++k) {
        V y = parts[k][e];
        const unsigned n = a.runs[k].count;
        // Both are widened to the joint length, then joined.
        std::vector<int> wx = iota(0, static_cast<int>(have)), wy = iota(0, static_cast<int>(n));
        wx.resize(have + n, -1);
        wy.resize(have + n, -1);
        V a1 = fn.b.CreateShuffleVector(x, wx), b1 = fn.b.CreateShuffleVector(y, wy);
        std::vector<int> join;
        for (unsigned l = 0; l < have; ++l) join.push_back(static_cast<int>(l));
        for (unsigned l = 0; l < n; ++l) join.push_back(static_cast<int>(have + n + l));
        x = fn.b.CreateShuffleVector(a1, b1, join);
        have += n;
    }
    return x;
}

void count_runs(FunctionState& fn, const Access& a, V base) {
    if (fn.at.converged)
        count_converged(fn, a, base);
    else
        count_masked(fn, a, base);
}

}  // namespace

V load_runs(FunctionState& fn, const Access& a, V base) {
    std::vector<std::vector<V>> parts;  // by run: one vector per element
    for (unsigned k = 0; k < a.runs.size(); ++k) {
        const auto& r = a.runs[k];
        parts.push_back(r.same_as != k ? parts[r.same_as] : load_run(fn, a, r, base));
    }
    count_runs(fn, a, base);
    std::vector<V> whole;
    for (unsigned e = 0; e < a.count; ++e) whole.push_back(join_runs(fn, a, parts, e));
    return bundle(fn, whole);
}

namespace {

/// The elements of a run's lanes in the order of memory: element e of lane l goes to l * count + e.
V interleave(FunctionState& fn, const Access& a, const Run& r, const std::vector<V>& values) {
    std::vector<V> part;
    for (auto v : values)
        part.push_back(r.count == fn.lanes
                           ? v
                           : fn.b.CreateShuffleVector(v, iota(static_cast<int>(r.first), static_cast<int>(r.count))));
    V joined = part[0];
    if (a.count == 1) return joined;
    for (unsigned e = 1; e < a.count; ++e) {
        const int n = static_cast<int>(r.count), h = static_cast<int>(e) * n;
        std::vector<int> widen = iota(0, n);
        widen.resize(static_cast<std::size_t>(h), -1);
        V y = h == n ? part[e] : fn.b.CreateShuffleVector(part[e], widen);
        std::vector<int> join;
        for (int x = 0; x < h; ++x) join.push_back(x);
        for (int x = 0; x < n; ++x) join.push_back(h + x);
        joined = fn.b.CreateShuffleVector(joined, y, join);
    }
    std::vector<int> order;
    for (unsigned l = 0; l < r.count; ++l)
        for (unsigned e = 0; e < a.count; ++e) order.push_back(static_cast<int>(e * r.count + l));
    return fn.b.CreateShuffleVector(joined, order);
}

void store_run(FunctionState& fn, const Access& a, const Run& r, V address, const std::vector<V>& values) {
    V all = interleave(fn, a, r, values);
    V p = host_pointer(fn, a, address);
    if (fn.at.converged)
        fn.b.CreateAlignedStore(all, p, llvm::Align(a.bytes));
    else
        fn.b.CreateMaskedStore(all, p, llvm::Align(a.bytes), element_mask(fn, a));
}

}  // namespace

void store_runs(FunctionState& fn, const Access& a, V base, const std::vector<V>& values) {
    std::vector<V> addresses;
    for (const auto& r : a.runs) {
        V address = run_address(fn, a, r, base);
        fn.at.first_lane = r.first;
        check_bounds(fn, a, address, a.run_bytes(r), fn.active(), longest_run(a));
        addresses.push_back(address);
    }
    count_runs(fn, a, base);
    for (unsigned k = 0; k < a.runs.size(); ++k) store_run(fn, a, a.runs[k], addresses[k], values);
}

void run_load(FunctionState& fn, const Access& a) {
    V base = address_scalar(fn, a);
    auto fast = [&] { return load_runs(fn, a, base); };
    if (is_regular(fn, a)) return define_loaded(fn, a, fast());
    V regular = fn.options.check ? regular_in_order(fn, a) : assumptions_hold(fn, *a.affine);
    define_loaded(fn, a, in_two_ways(fn, regular, fast, [&] { return irregular_load(fn, a); }));
}

void run_store(FunctionState& fn, const Access& a) {
    auto values = store_values(fn, a);
    V base = address_scalar(fn, a);
    auto fast = [&]() -> V {
        store_runs(fn, a, base, values);
        return nullptr;
    };
    if (is_regular(fn, a)) {
        fast();
        return;
    }
    V regular = fn.options.check ? regular_in_order(fn, a) : assumptions_hold(fn, *a.affine);
    in_two_ways(fn, regular, fast, [&]() -> V {
        irregular_store(fn, a, values);
        return nullptr;
    });
}

}  // namespace warpwright::engine::codegen
