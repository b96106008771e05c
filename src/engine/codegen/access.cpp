// The ways to do a load or store: uniform, in runs, through the runtime; and what each counts.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "counters/access.hpp"
#include "engine/codegen/codegen.hpp"
#include "simt/affine.hpp"

namespace warpwright::engine {

using ptx::Space;
using simt::kNone;
using simt::Shape;

namespace {

std::vector<int> iota(int first, int count, int step = 1) {
    std::vector<int> v;
    for (int k = 0; k < count; ++k) v.push_back(first + k * step);
    return v;
}

}  // namespace

void Codegen::uniform_load(Access& a) {
    if (options_.check) {
        V lanes = copy_ == kFull ? full_mask() : mask_;
        auto result = in_two_ways(
            in_order(a),
            [&] {
                V p = host_pointer(a, address_scalar(a));
                std::vector<V> parts;
                for (unsigned k = 0; k < a.count; ++k)
                    parts.push_back(
                        b_.CreateAlignedLoad(element(a.inst->type), field(p, k * a.bytes), llvm::Align(a.bytes)));
                return bundle(parts);
            },
            [&] {
                V lane = copy_ == kFull ? static_cast<V>(i64(0))
                                        : b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::cttz,
                                                             {mask64(lanes), b_.getTrue()});
                auto values = runtime_load_values(a, true);
                for (auto& v : values) v = b_.CreateExtractElement(v, lane);
                return bundle(values);
            });
        for (unsigned k = 0; k < a.count; ++k)
            if (a.inst->out[k] != kNone)
                define(a.inst->out[k], extend_loaded(unbundle(result, k, a.count), a.inst->type, a.inst->out[k]));
        return;
    }
    V address = address_scalar(a);
    V lanes = copy_ == kFull ? full_mask() : mask_;
    check(a, address, a.total(), lanes, a.total());
    V p = host_pointer(a, address);
    auto t = element(a.inst->type);
    // One lane-wide word served to all: one sector, one wavefront (two of them for 16 bytes: measured).
    auto& info = layout_.sites[a.site];
    const unsigned passes =
        a.space == Space::shared ? std::max(1u, shared_cost(a, std::vector<std::uint32_t>(lanes_, 0)).first) : 1;
    info.full_passes = static_cast<int>(passes);
    info.full_excess = 0;
    if (a.space == Space::shared) {
        if (copy_ == kPartial && a.total() > 4 && a.inst->counted && options_.counters) {
            info.partial_passes = -1;
            V addresses = buffer(4, 4 * lanes_);
            b_.CreateAlignedStore(splat(i32(0)), addresses, llvm::Align(64));
            runtime<ww_rt_shared_passes>({i32(layout_.first_site + a.site), addresses, mask64(lanes), i32(1)});
        } else {
            info.partial_passes = a.total() > 4 ? -1 : 1;
        }
    } else {
        info.partial_passes = 1;
    }
    const bool is_volatile =
        a.inst->ptx && (a.inst->ptx->has(ptx::Mod::volatile_) || a.inst->ptx->has(ptx::Mod::relaxed) ||
                        a.inst->ptx->has(ptx::Mod::acquire));
    for (unsigned k = 0; k < a.count; ++k) {
        if (a.inst->out[k] == kNone) continue;
        auto load = b_.CreateAlignedLoad(t, field(p, k * a.bytes), llvm::Align(a.bytes), is_volatile);
        define(a.inst->out[k], extend_loaded(load, a.inst->type, a.inst->out[k]));
    }
}

Codegen::V Codegen::extend_loaded(V x, ptx::Type type, simt::ValueId v) {
    auto want = value_type(v);
    auto have = x->getType()->getScalarType();
    if (ptx::is_signed(type) && want->isIntegerTy() && have->isIntegerTy() &&
        want->getIntegerBitWidth() > have->getIntegerBitWidth())
        return b_.CreateSExt(x, x->getType()->isVectorTy() ? vec(want) : want);
    return x;
}

std::vector<Codegen::V> Codegen::store_values(const Access& a) {
    std::vector<V> values;
    for (unsigned k = 0; k < a.count; ++k) {
        auto t = element(a.inst->type);
        values.push_back(vector_bits(a.inst->in[1 + k], t));
    }
    return values;
}

void Codegen::uniform_store(Access& a) {
    V address = address_scalar(a);
    V lanes = full_mask();
    check(a, address, a.total(), lanes, a.total());
    V p = host_pointer(a, address);
    auto& info = layout_.sites[a.site];
    info.full_passes = a.space == Space::shared
                           ? static_cast<int>(std::max(1u, shared_cost(a, std::vector<std::uint32_t>(lanes_, 0)).first))
                           : 1;
    // All lanes write one place: the highest lane's value stays.
    for (unsigned k = 0; k < a.count; ++k) {
        const auto& o = a.inst->in[1 + k];
        V x = uniform(o) ? scalar_bits(o, element(a.inst->type))
                         : b_.CreateExtractElement(vector_bits(o, element(a.inst->type)), std::uint64_t{lanes_ - 1});
        b_.CreateAlignedStore(x, field(p, k * a.bytes), llvm::Align(a.bytes));
    }
}

std::pair<unsigned, unsigned> Codegen::shared_cost(const Access& a, const std::vector<std::uint32_t>& addresses) const {
    const std::uint64_t mask = lanes_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_) - 1;
    const auto op = a.store ? counters::SharedOp::store : counters::SharedOp::load;
    const auto cost = counters::shared_cost(op, addresses.data(), mask, a.total(), lanes_);
    return {cost.wavefronts, cost.bank_conflicts};
}

/// What one converged execution of a structured access costs. `base`: address of the affine base.
void Codegen::count_passes(const Access& a, V base) {
    auto& info = layout_.sites[a.site];
    if (!a.inst->counted || !options_.counters) return;
    const auto& form = *a.affine;
    const auto lowest = *std::min_element(form.constant.begin(), form.constant.begin() + lanes_);
    if (form.terms.empty() && a.space == Space::shared) {
        // Moving all lanes by a multiple of the access width turns the banks around: the cost stays the same.
        std::vector<std::uint32_t> addresses(lanes_);
        for (unsigned l = 0; l < lanes_; ++l) addresses[l] = static_cast<std::uint32_t>(form.constant[l] - lowest);
        auto [passes, excess] = shared_cost(a, addresses);
        bool same = true;
        for (unsigned shift = a.total(); shift < 4; shift += a.total()) {
            auto moved = addresses;
            for (auto& x : moved) x += shift;
            same &= shared_cost(a, moved) == std::pair(passes, excess);
        }
        if (same) {
            info.full_passes = static_cast<int>(passes);
            info.full_excess = static_cast<int>(excess);
            return;
        }
    }
    if (form.terms.empty() && a.space != Space::shared) {
        // The count depends on where in a sector the lowest lane falls: a table of 32.
        std::vector<llvm::Constant*> table;
        bool same = true;
        unsigned first = 0;
        for (unsigned at = 0; at < 32; ++at) {
            std::vector<std::uint64_t> addresses(lanes_);
            for (unsigned l = 0; l < lanes_; ++l)
                addresses[l] = 4096 + at + static_cast<std::uint64_t>(form.constant[l] - lowest);
            const unsigned n =
                at % a.total() == 0 ? counters::global_sectors(addresses.data(), mask_of_all(), a.total(), lanes_) : 0;
            if (at == 0) first = n;
            if (at % a.total() == 0) same &= n == first;
            table.push_back(b_.getInt8(static_cast<std::uint8_t>(n)));
        }
        if (same) {
            info.full_passes = static_cast<int>(first);
            return;
        }
        auto type = llvm::ArrayType::get(b_.getInt8Ty(), 32);
        auto global = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage,
                                               llvm::ConstantArray::get(type, table), "sectors");
        V at = b_.CreateAnd(b_.CreateAdd(base, i64(static_cast<std::uint64_t>(lowest))), i64(31));
        V n = b_.CreateLoad(b_.getInt8Ty(), b_.CreateInBoundsGEP(type, global, {i64(0), at}));
        bump(site_field(a.site, offsetof(Site, passes)), b_.CreateZExt(n, b_.getInt64Ty()));
        return;
    }
    // Offsets scaled at run time.
    std::vector<unsigned> distinct;
    for (unsigned k = 0; k < a.runs.size(); ++k)
        if (a.runs[k].same_as == k) distinct.push_back(k);
    const bool single = std::all_of(distinct.begin(), distinct.end(),
                                    [&](unsigned k) { return !a.runs[k].contiguous || a.runs[k].count == 1; });
    if (a.space != Space::shared && distinct.size() == 2 && single) {
        // Two places, as where a warp spans two rows of a matrix that all lanes of a row read at one column. An aligned
        // element never crosses a sector's end.
        auto sector = [&](unsigned k) { return b_.CreateLShr(run_address(a, a.runs[k], base), i64(5)); };
        V apart = b_.CreateICmpNE(sector(distinct[0]), sector(distinct[1]));
        bump(site_field(a.site, offsetof(Site, passes)), b_.CreateAdd(b_.CreateZExt(apart, b_.getInt64Ty()), i64(1)));
        return;
    }
    if (a.space != Space::shared && distinct.size() <= 2) {
        V total = i64(0), previous_first = nullptr, previous_last = nullptr;
        for (auto k : distinct) {
            V start = run_address(a, a.runs[k], base);
            const std::uint64_t span = a.runs[k].contiguous ? a.runs[k].count * a.total() : a.total();
            V first = b_.CreateLShr(start, i64(5));
            V last = b_.CreateLShr(b_.CreateAdd(start, i64(span - 1)), i64(5));
            total = b_.CreateAdd(total, b_.CreateAdd(b_.CreateSub(last, first), i64(1)));
            if (previous_first) {
                V low = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, first, previous_first);
                V high = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, last, previous_last);
                V overlap = b_.CreateAdd(b_.CreateSub(high, low), i64(1));
                overlap = b_.CreateSelect(b_.CreateICmpULE(low, high), overlap, i64(0));
                total = b_.CreateSub(total, overlap);
            }
            previous_first = first;
            previous_last = last;
        }
        bump(site_field(a.site, offsetof(Site, passes)), total);
        return;
    }
    if (a.space != Space::shared) {
        V addresses = buffer(0, 8 * lanes_);
        b_.CreateAlignedStore(address_vector(*a.inst, a.inst->in[0], a.inst->offset), addresses, llvm::Align(64));
        runtime<ww_rt_global_sectors>({i32(layout_.first_site + a.site), addresses, mask64(full_mask())});
        return;
    }
    // Shared memory, scaled at run time: the cost for the last scales is remembered.
    std::vector<V> keys;
    for (const auto& t : form.terms) keys.push_back(factor(t.scalar, 64));
    V known = b_.getTrue();
    for (std::size_t k = 0; k < keys.size() && k < 2; ++k)
        known = b_.CreateAnd(
            known, b_.CreateICmpEQ(b_.CreateLoad(b_.getInt64Ty(), site_field(a.site, offsetof(Site, key) +
                                                                                         8 * static_cast<unsigned>(k))),
                                   keys[k]));
    if (keys.size() > 2) known = b_.getFalse();
    V cost = in_two_ways(
        known, [&]() -> V { return b_.CreateLoad(b_.getInt64Ty(), site_field(a.site, offsetof(Site, cached))); },
        [&]() -> V {
            V addresses = buffer(4, 4 * lanes_);
            b_.CreateAlignedStore(
                b_.CreateTrunc(address_vector(*a.inst, a.inst->in[0], a.inst->offset), vec(b_.getInt32Ty())), addresses,
                llvm::Align(64));
            V c = rare<ww_rt_shared_passes>({i32(layout_.first_site + a.site), addresses, mask64(full_mask()), i32(0)});
            for (std::size_t k = 0; k < keys.size() && k < 2; ++k)
                b_.CreateStore(keys[k], site_field(a.site, offsetof(Site, key) + 8 * static_cast<unsigned>(k)));
            b_.CreateStore(c, site_field(a.site, offsetof(Site, cached)));
            return c;
        });
    bump(site_field(a.site, offsetof(Site, passes)), b_.CreateAnd(cost, i64(0xffffffff)));
    bump(site_field(a.site, offsetof(Site, excess)), b_.CreateLShr(cost, i64(32)));
}

Codegen::V Codegen::run_address(const Access& a, const Run& r, V base) {
    V x = b_.CreateAdd(base, i64(static_cast<std::uint64_t>(r.offset)));
    for (std::size_t k = 0; k < r.scale.size(); ++k) {
        if (r.scale[k] == 0) continue;
        V s = factor(a.affine->terms[k].scalar, 64);
        x = b_.CreateAdd(x, b_.CreateMul(s, i64(static_cast<std::uint64_t>(r.scale[k]))));
    }
    // Shared addresses live in 32 bits: the base register may have wrapped around on the way. A run whose first lanes
    // are not active may begin below zero.
    if (a.space == Space::shared && value_type(a.inst->in[0].value)->getIntegerBitWidth() == 32)
        x = b_.CreateSExt(b_.CreateTrunc(x, b_.getInt32Ty()), b_.getInt64Ty());
    return x;
}

void Codegen::structured_load(Access& a) {
    const auto t = element(a.inst->type);
    V base = address_scalar(a);
    const std::uint64_t most = [&] {
        std::uint64_t m = a.total();
        for (const auto& r : a.runs) m = std::max<std::uint64_t>(m, r.contiguous ? r.count * a.total() : a.total());
        return m;
    }();
    auto fast = [&]() -> V {
        std::vector<std::vector<V>> parts;  // by run: one vector an element
        for (unsigned k = 0; k < a.runs.size(); ++k) {
            const auto& r = a.runs[k];
            if (r.same_as != k) {
                parts.push_back(parts[r.same_as]);
                continue;
            }
            V address = run_address(a, r, base);
            first_lane_ = r.first;
            const std::uint64_t span = r.contiguous ? r.count * a.total() : a.total();
            if (copy_ == kFull) {
                check(a, address, span, full_mask(), most);
            } else {
                check_masked(a, address, span, most);
            }
            V p = host_pointer(a, address);
            std::vector<V> elements;
            if (r.contiguous) {
                auto wide = llvm::FixedVectorType::get(t, r.count * a.count);
                V all;
                if (copy_ == kFull) {
                    all = b_.CreateAlignedLoad(wide, p, llvm::Align(a.bytes));
                } else {
                    V m = mask_vector(mask_);
                    if (a.count > 1) {
                        std::vector<int> repeat;
                        for (unsigned l = 0; l < lanes_; ++l)
                            for (unsigned e = 0; e < a.count; ++e) repeat.push_back(static_cast<int>(l));
                        m = b_.CreateShuffleVector(m, repeat);
                    }
                    all = b_.CreateMaskedLoad(wide, p, llvm::Align(a.bytes), m, llvm::Constant::getNullValue(wide));
                }
                for (unsigned e = 0; e < a.count; ++e)
                    elements.push_back(
                        a.count == 1 ? all
                                     : b_.CreateShuffleVector(all, iota(static_cast<int>(e), static_cast<int>(r.count),
                                                                        static_cast<int>(a.count))));
            } else {
                for (unsigned e = 0; e < a.count; ++e)
                    elements.push_back(b_.CreateVectorSplat(
                        r.count, b_.CreateAlignedLoad(t, field(p, e * a.bytes), llvm::Align(a.bytes))));
            }
            parts.push_back(elements);
        }
        if (copy_ == kFull)
            count_passes(a, base);
        else
            count_masked(a, base);
        std::vector<V> whole;
        for (unsigned e = 0; e < a.count; ++e) {
            V x = parts[0][e];
            unsigned have = a.runs[0].count;
            for (unsigned k = 1; k < a.runs.size(); ++k) {
                V y = parts[k][e];
                const unsigned n = a.runs[k].count;
                // Both widened to the joint length, then joined.
                std::vector<int> wx = iota(0, static_cast<int>(have)), wy = iota(0, static_cast<int>(n));
                wx.resize(have + n, -1);
                wy.resize(have + n, -1);
                V a1 = b_.CreateShuffleVector(x, wx), b1 = b_.CreateShuffleVector(y, wy);
                std::vector<int> join;
                for (unsigned l = 0; l < have; ++l) join.push_back(static_cast<int>(l));
                for (unsigned l = 0; l < n; ++l) join.push_back(static_cast<int>(have + n + l));
                x = b_.CreateShuffleVector(a1, b1, join);
                have += n;
            }
            whole.push_back(x);
        }
        return bundle(whole);
    };
    V result;
    if (a.affine->assumes.empty() && !options_.check)
        result = fast();
    else
        result = in_two_ways(options_.check ? in_order(a) : assumptions_hold(*a.affine), fast, [&] {
            uncount(a);
            return bundle(runtime_load_values(a, true));
        });
    for (unsigned e = 0; e < a.count; ++e)
        if (a.inst->out[e] != kNone)
            define(a.inst->out[e], extend_loaded(unbundle(result, e, a.count), a.inst->type, a.inst->out[e]));
}

/// Several vectors as one struct value, for a phi.
Codegen::V Codegen::bundle(const std::vector<V>& parts) {
    if (parts.size() == 1) return parts[0];
    std::vector<llvm::Type*> types;
    for (auto p : parts) types.push_back(p->getType());
    V s = llvm::PoisonValue::get(llvm::StructType::get(c_, types));
    for (unsigned k = 0; k < parts.size(); ++k) s = b_.CreateInsertValue(s, parts[k], k);
    return s;
}
Codegen::V Codegen::unbundle(V whole, unsigned k, unsigned count) {
    return count == 1 ? whole : b_.CreateExtractValue(whole, k);
}

/// Some lanes only: when the whole run is no good, the active lanes still may be.
void Codegen::check_masked(const Access& a, V address, std::uint64_t span, std::uint64_t most) {
    check(a, address, span, mask_, most);
}

void Codegen::count_masked(const Access& a, V base) {
    if (!a.inst->counted || !options_.counters) return;
    auto& info = layout_.sites[a.site];
    if (a.space == Space::shared && a.total() == 4) {
        info.partial_passes = 1;
        return;
    }
    V start = run_address(a, a.runs[0], base);
    const V arguments[] = {i32(layout_.first_site + a.site), start, mask64(mask_)};
    if (a.space == Space::shared)
        runtime<ww_rt_shared_contiguous>(arguments);
    else
        runtime<ww_rt_sectors_contiguous>(arguments);
}

void Codegen::structured_store(Access& a) {
    auto values = store_values(a);
    V base = address_scalar(a);
    std::uint64_t most = 0;
    for (const auto& r : a.runs) most = std::max<std::uint64_t>(most, r.count * a.total());
    auto fast = [&]() -> V {
        std::vector<V> addresses;
        for (const auto& r : a.runs) {
            V address = run_address(a, r, base);
            first_lane_ = r.first;
            if (copy_ == kFull)
                check(a, address, r.count * a.total(), full_mask(), most);
            else
                check_masked(a, address, r.count * a.total(), most);
            addresses.push_back(address);
        }
        if (copy_ == kFull)
            count_passes(a, base);
        else
            count_masked(a, base);
        for (unsigned k = 0; k < a.runs.size(); ++k) {
            const auto& r = a.runs[k];
            std::vector<V> part;
            for (auto v : values)
                part.push_back(r.count == lanes_ ? v
                                                 : b_.CreateShuffleVector(
                                                       v, iota(static_cast<int>(r.first), static_cast<int>(r.count))));
            V all = part[0];
            if (a.count > 1) {
                // Interleave: element e of lane l goes to l * count + e.
                unsigned have = 1;
                std::vector<V> level = part;
                V joined = level[0];
                for (unsigned e = 1; e < a.count; ++e) {
                    const int n = static_cast<int>(r.count), h = static_cast<int>(have) * n;
                    std::vector<int> widen = iota(0, n);
                    widen.resize(static_cast<std::size_t>(h), -1);
                    V y = h == n ? level[e] : b_.CreateShuffleVector(level[e], widen);
                    std::vector<int> join;
                    for (int x = 0; x < h; ++x) join.push_back(x);
                    for (int x = 0; x < n; ++x) join.push_back(h + x);
                    joined = b_.CreateShuffleVector(joined, y, join);
                    ++have;
                }
                std::vector<int> order;
                for (unsigned l = 0; l < r.count; ++l)
                    for (unsigned e = 0; e < a.count; ++e) order.push_back(static_cast<int>(e * r.count + l));
                all = b_.CreateShuffleVector(joined, order);
            }
            V p = host_pointer(a, addresses[k]);
            if (copy_ == kFull) {
                b_.CreateAlignedStore(all, p, llvm::Align(a.bytes));
            } else {
                V m = mask_vector(mask_);
                if (a.count > 1) {
                    std::vector<int> repeat;
                    for (unsigned l = 0; l < lanes_; ++l)
                        for (unsigned e = 0; e < a.count; ++e) repeat.push_back(static_cast<int>(l));
                    m = b_.CreateShuffleVector(m, repeat);
                }
                b_.CreateMaskedStore(all, p, llvm::Align(a.bytes), m);
            }
        }
        return nullptr;
    };
    if (a.affine->assumes.empty() && !options_.check) {
        fast();
    } else {
        in_two_ways(options_.check ? in_order(a) : assumptions_hold(*a.affine), fast, [&]() -> V {
            uncount(a);
            runtime_store_values(a, values, true);
            return nullptr;
        });
    }
}

/// The runtime counts this execution itself: takes back what is counted for every execution of the block.
void Codegen::uncount(const Access& a) {
    const auto& info = layout_.sites[a.site];
    if (!info.counted) return;
    const auto passes = copy_ == kFull ? info.full_passes : info.partial_passes;
    const auto excess = copy_ == kFull ? info.full_excess : info.partial_excess;
    if (passes > 0)
        bump(site_field(a.site, offsetof(Site, passes)), i64(static_cast<std::uint64_t>(-std::int64_t{passes})));
    if (passes > 0 && excess > 0)
        bump(site_field(a.site, offsetof(Site, excess)), i64(static_cast<std::uint64_t>(-std::int64_t{excess})));
}

/// What the runtime gets to know of the lanes' addresses: the vector, or an affine form's scalars.
Codegen::V Codegen::runtime_address(const Access& a) {
    if (!a.affine) {
        V addresses = buffer(0, 8 * lanes_);
        b_.CreateAlignedStore(address_vector(*a.inst, a.inst->in[0], a.inst->offset), addresses, llvm::Align(64));
        return addresses;
    }
    V scalars = buffer(7, 8 * 64);
    unsigned at = 0;
    auto put = [&](V x) { b_.CreateAlignedStore(x, field(scalars, 8 * at++), llvm::Align(8)); };
    auto form = std::make_shared<AddressForm>();
    form->constant = a.affine->constant;
    put(address_scalar(a));
    for (const auto& t : a.affine->terms) {
        form->terms.push_back(t.lanes);
        put(factor(t.scalar, 64));
    }
    for (const auto& [w, times] : a.affine->assumes) {
        auto wide = simt::widened(simt::Operand::of(w.value), shapes_.affine.at(w.value), w.is_signed);
        V base = scalar(simt::Operand::of(w.value), b_.getInt32Ty());
        put(w.is_signed ? b_.CreateSExt(base, b_.getInt64Ty()) : b_.CreateZExt(base, b_.getInt64Ty()));
        AddressForm::Widened x{times, w.is_signed, wide->constant, {}};
        for (const auto& t : wide->terms) {
            x.terms.push_back(t.lanes);
            put(factor(t.scalar, 64));
        }
        form->widened.push_back(std::move(x));
    }
    layout_.sites[a.site].form = std::move(form);
    return scalars;
}

std::vector<Codegen::V> Codegen::runtime_load_values(Access& a, bool hardly_ever) {
    V out = buffer(3, 32 * lanes_);
    V mask = copy_ == kFull ? full_mask() : mask_;
    const V arguments[] = {i32(layout_.first_site + a.site), runtime_address(a), mask64(mask), out};
    fail_if_zero(a.affine ? runtime<ww_rt_load_affine>(arguments, hardly_ever)
                          : runtime<ww_rt_load>(arguments, hardly_ever));
    std::vector<V> values;
    auto t = element(a.inst->type);
    for (unsigned e = 0; e < a.count; ++e)
        values.push_back(b_.CreateAlignedLoad(vec(t), field(out, e * a.bytes * lanes_), llvm::Align(a.bytes)));
    return values;
}

void Codegen::runtime_load(Access& a) {
    auto values = runtime_load_values(a, false);
    for (unsigned e = 0; e < a.count; ++e)
        if (a.inst->out[e] != kNone) define(a.inst->out[e], extend_loaded(values[e], a.inst->type, a.inst->out[e]));
}

void Codegen::runtime_store_values(Access& a, const std::vector<V>& values, bool hardly_ever) {
    V data = buffer(3, 32 * lanes_);
    for (unsigned e = 0; e < a.count; ++e)
        b_.CreateAlignedStore(values[e], field(data, e * a.bytes * lanes_), llvm::Align(a.bytes));
    V mask = copy_ == kFull ? full_mask() : mask_;
    const V arguments[] = {i32(layout_.first_site + a.site), runtime_address(a), mask64(mask), data};
    fail_if_zero(a.affine ? runtime<ww_rt_store_affine>(arguments, hardly_ever)
                          : runtime<ww_rt_store>(arguments, hardly_ever));
}

void Codegen::runtime_store(Access& a) { runtime_store_values(a, store_values(a), false); }

}  // namespace warpwright::engine
