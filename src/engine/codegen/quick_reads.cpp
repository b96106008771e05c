// Marks are bytes, one for each word, so that those of a warp's access are one vector.
#include "engine/codegen/quick_reads.hpp"

#include "engine/shared/abi.hpp"
#include "engine/shared/check_order.hpp"

namespace warpwright::engine::codegen {

namespace {

/// Whether all bytes of a vector are 1.
V all_hold(FunctionState& fn, V each) { return each->getType()->isVectorTy() ? fn.b.CreateAndReduce(each) : each; }

/// The marks of `words` words: a byte, or a vector of bytes.
llvm::Type* marks_type(FunctionState& fn, unsigned words) {
    llvm::Type* byte = fn.b.getInt8Ty();
    return words == 1 ? byte : llvm::FixedVectorType::get(byte, words);
}
V all_marks(FunctionState& fn, V mark, unsigned words) {
    return words == 1 ? mark : fn.b.CreateVectorSplat(words, mark);
}

}  // namespace

V quiet_at(FunctionState& fn, const Place& p, unsigned each) {
    V in = fn.b.CreateSub(p.address, fn.quiet_start), inside = fn.b.CreateICmpULT(in, fn.quiet_limit);
    V at = fn.b.CreateGEP(fn.b.getInt8Ty(), fn.quiet, fn.b.CreateLShr(fn.b.CreateSelect(inside, in, fn.i64(0)), 2));
    V marks = fn.b.CreateAlignedLoad(marks_type(fn, p.words), at, llvm::Align(1));
    V quiet = all_hold(fn, fn.b.CreateICmpEQ(marks, all_marks(fn, fn.quiet_mark, p.words)));
    V aligned = fn.b.CreateICmpEQ(fn.b.CreateAnd(p.address, fn.i64(each - 1)), fn.i64(0));
    return fn.b.CreateAnd(fn.b.CreateAnd(inside, aligned), quiet);
}

CalmRead calm_at(FunctionState& fn, const std::vector<Place>& places, unsigned each) {
    CalmRead r;
    r.calm = fn.b.CreateICmpEQ(fn.b.CreateAnd(places[0].address, fn.i64(each - 1)), fn.i64(0));
    std::uint64_t entries = 0;
    for (const auto& p : places) {
        V bytes = fn.i64(std::uint64_t{p.words} * 4);
        V room = fn.b.CreateSub(fn.calm_limit, bytes);
        V inside = fn.b.CreateAnd(fn.b.CreateICmpUGE(fn.calm_limit, bytes), fn.b.CreateICmpULE(p.address, room));
        V at = fn.b.CreateLShr(fn.b.CreateSelect(inside, p.address, fn.i64(0)), 2);
        r.marks.push_back(fn.b.CreateGEP(fn.b.getInt8Ty(), fn.calm_states, at));
        V marks = fn.b.CreateAlignedLoad(marks_type(fn, p.words), r.marks.back(), llvm::Align(1));
        V states = fn.b.CreateAnd(marks, all_marks(fn, fn.b.getInt8(shadow::CalmLog::kState), p.words));
        V calm = fn.b.CreateICmpEQ(states, all_marks(fn, fn.b.getInt8(shadow::CalmLog::kCalm), p.words));
        r.calm = fn.b.CreateAnd(r.calm, fn.b.CreateAnd(inside, all_hold(fn, calm)));
        entries += p.shapes.size();
    }
    r.count = fn.load_field(fn.b.getInt64Ty(), fn.calm_log, offsetof(shadow::CalmLog, count));
    r.calm = fn.b.CreateAnd(r.calm, fn.b.CreateICmpULE(r.count, fn.i64(shadow::CalmLog::kMost - entries)));
    return r;
}

void log_reads(FunctionState& fn, const CalmRead& r, const std::vector<Place>& places, std::uint32_t site,
               std::uint32_t kind) {
    const auto log_field = [&](llvm::Type* t, std::size_t offset) { return fn.load_field(t, fn.calm_log, offset); };
    V mark = log_field(fn.b.getInt8Ty(), offsetof(shadow::CalmLog, mark));
    V log = log_field(fn.b.getPtrTy(), offsetof(shadow::CalmLog, log));
    V tick = fn.b.CreateLoad(fn.b.getInt32Ty(), log_field(fn.b.getPtrTy(), offsetof(shadow::CalmLog, tick)));
    static_assert(sizeof(shadow::LoggedAccess) == 16);
    V entry = fn.b.CreateGEP(fn.b.getInt8Ty(), log, fn.b.CreateShl(r.count, 4));
    std::uint64_t entries = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto& p = places[k];
        fn.b.CreateAlignedStore(all_marks(fn, mark, p.words), r.marks[k], llvm::Align(1));
        for (const auto shape : p.shapes) {
            const auto put = [&](V x, std::size_t offset) {
                fn.b.CreateAlignedStore(x, fn.field(entry, entries * sizeof(shadow::LoggedAccess) + offset),
                                        llvm::Align(4));
            };
            put(fn.b.CreateTrunc(p.address, fn.b.getInt32Ty()), offsetof(shadow::LoggedAccess, at));
            put(fn.b.CreateOr(fn.shape_of_warp, fn.i32((shape | kind) & kPureShape)),
                offsetof(shadow::LoggedAccess, shape));
            put(fn.i32(shadow::CalmLog::site_in(site)), offsetof(shadow::LoggedAccess, site));  // and no stride
            put(tick, offsetof(shadow::LoggedAccess, tick));
            ++entries;
        }
    }
    fn.b.CreateStore(fn.b.CreateAdd(r.count, fn.i64(entries)), fn.field(fn.calm_log, offsetof(shadow::CalmLog, count)));
}

}  // namespace warpwright::engine::codegen
