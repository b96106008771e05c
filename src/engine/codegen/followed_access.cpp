// Where the lanes follow each other, the access is one run (run_access.hpp) from the first lane's address on; else it
// is moved in the order of the site's last request, or the runtime does it, and it is counted as one that had not the
// form for which the cost is known.
#include "engine/codegen/followed_access.hpp"

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/code_places.hpp"
#include "engine/codegen/ordered_access.hpp"
#include "engine/codegen/run_access.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/check_order.hpp"

namespace warpwright::engine::codegen {

using simt::Space;

namespace {

/// More of them in one function would take LLVM longer than they save.
constexpr unsigned kMostFollowed = 48;

bool may_follow(FunctionState& fn, const Access& a) {
    const bool known = a.space == Space::global || a.space == Space::shared;
    if (fn.options.check && (a.space != Space::global || a.total() < 4 || (a.store && a.count > 1) ||
                             fn.lanes * a.total() < shadow::Shadow::kLine || !is_plain(fn, a)))
        return false;
    return fn.at.converged && !a.affine && known && fn.followed++ < kMostFollowed;
}

host_time::Work regular_work(const Access& a) {
    return a.space == Space::shared ? host_time::Work::shared : host_time::Work::memory;
}

/// The access as one run of all lanes.
struct Followed {
    simt::Affine form;
    Access access;
    V base = nullptr;     ///< the first lane's address
    V apart = nullptr;    ///< how far each lane lies from there
    V follows = nullptr;  ///< whether all others follow

    Followed(FunctionState& fn, const Access& a) : access(a) {
        for (unsigned l = 0; l < fn.lanes; ++l) form.constant[l] = static_cast<std::int64_t>(l) * a.total();
        access.affine = &form;
        access.aligned = true;
        access.runs = {Run{0, fn.lanes, true, 0, {}, 0}};
        // Addresses of shared memory in registers of 32 bits wrap there, and are half as many vectors.
        auto* const type = is_narrow(fn, a) ? fn.b.getInt32Ty() : fn.b.getInt64Ty();
        V all = vector(fn, a.inst->in[0], type);
        all = fn.b.CreateAdd(all, fn.splat(llvm::ConstantInt::getSigned(type, a.inst->offset)));
        V first = fn.b.CreateExtractElement(all, std::uint64_t{0});
        base = fn.b.CreateZExt(first, fn.b.getInt64Ty());
        std::vector<llvm::Constant*> further;
        for (unsigned l = 0; l < fn.lanes; ++l) further.push_back(llvm::ConstantInt::get(type, form.constant[l]));
        apart = fn.b.CreateSub(all, fn.splat(first));
        V differ = mask_bits(fn, fn.b.CreateICmpNE(apart, llvm::ConstantVector::get(further)));
        follows = fn.b.CreateICmpEQ(differ, fn.mask_constant(0));
        if (a.space != Space::shared) return;
        // What lies beyond the block's own memory (another block's of its cluster) is the runtime's.
        V start = run_address(fn, access, access.runs[0], base), span = fn.i64(access.run_bytes(access.runs[0]));
        V inside = fn.b.CreateICmpULE(start, fn.b.CreateSub(fn.shared_size, span));
        follows = fn.b.CreateAnd(follows, fn.b.CreateAnd(inside, fn.b.CreateICmpUGE(fn.shared_size, span)));
    }
};

}  // namespace

bool followed_load(FunctionState& fn, const Access& a) {
    if (!may_follow(fn, a)) return false;
    // To look where the lanes' addresses lie belongs to those that have each their own.
    const PlacedAs as(fn, irregular_work(a));
    const Followed run(fn, a);
    V regular = run.follows;
    if (fn.options.check)
        regular = in_two_ways(
            fn, run.follows, [&] { return followed_in_order(fn, run.access, run.base); },
            [&]() -> V { return fn.b.getFalse(); });
    define_loaded(fn, a,
                  in_two_ways(
                      fn, regular,
                      [&] {
                          const PlacedAs as_run(fn, regular_work(a));
                          return load_runs(fn, run.access, run.base);
                      },
                      [&] {
                          count_irregular(fn, a);
                          return load_in_order(fn, a, run.base, run.apart,
                                               [&] { return bundle(fn, runtime_load_values(fn, a, false)); });
                      }));
    return true;
}

bool followed_store(FunctionState& fn, const Access& a) {
    if (!may_follow(fn, a)) return false;
    auto values = store_values(fn, a);
    const PlacedAs as(fn, irregular_work(a));
    const Followed run(fn, a);
    V regular = run.follows;
    if (fn.options.check)
        regular = in_two_ways(
            fn, run.follows, [&] { return followed_store_in_order(fn, run.access, run.base, values[0]); },
            [&]() -> V { return fn.b.getFalse(); });
    in_two_ways(
        fn, regular,
        [&]() -> V {
            const PlacedAs as_run(fn, regular_work(a));
            store_runs(fn, run.access, run.base, values);
            return nullptr;
        },
        [&]() -> V {
            count_irregular(fn, a);
            store_in_order(fn, a, run.base, run.apart, values, [&] { runtime_store_values(fn, a, values, false); });
            return nullptr;
        });
    return true;
}

}  // namespace warpwright::engine::codegen
