// Values that come out of memory, or tell the time or the place of a block, are marked, and with them all that is
// computed from one, until nothing is added any more. The course follows from the arguments where no branch, no address
// and no set of lanes that wait for each other is marked.
#include "machine/course.hpp"

#include <algorithm>
#include <vector>

namespace warpwright::machine {

namespace {

using simt::InstKind;
using S = simt::SpecialReg;

/// Whether a special register is the same in each launch of one shape.
bool is_of_shape(S s) {
    constexpr S kOfShape[] = {S::tid_x,       S::tid_y,       S::tid_z,       S::ntid_x,      S::ntid_y,
                              S::ntid_z,      S::ctaid_x,     S::ctaid_y,     S::ctaid_z,     S::nctaid_x,
                              S::nctaid_y,    S::nctaid_z,    S::laneid,      S::warpid,      S::nwarpid,
                              S::lanemask_eq, S::lanemask_le, S::lanemask_lt, S::lanemask_ge, S::lanemask_gt};
    return std::find(std::begin(kOfShape), std::end(kOfShape), s) != std::end(kOfShape);
}

class Course {
public:
    explicit Course(const simt::Function& f) : f_(f), marked_(f.values.size(), 0) {
        for (bool more = true; more;) {
            more = false;
            for (const auto& block : f_.blocks)
                for (const auto& i : block.insts) more |= mark(i);
        }
    }

    bool is_known() const {
        return std::all_of(f_.blocks.begin(), f_.blocks.end(), [&](const simt::Block& block) {
            return is_free(block.end.condition) &&
                   std::all_of(block.insts.begin(), block.insts.end(), [&](const auto& i) { return is_known(i); });
        });
    }

private:
    bool is_free(const simt::Operand& o) const { return !o.is_value() || !marked_[o.value]; }
    bool are_free(const std::vector<simt::Operand>& in, std::size_t from = 0) const {
        return std::all_of(in.begin() + static_cast<std::ptrdiff_t>(std::min(from, in.size())), in.end(),
                           [&](const auto& o) { return is_free(o); });
    }

    /// Whether what the instruction results in may differ though its operands do not.
    static bool is_a_source(const simt::Inst& i) {
        switch (i.kind) {
            case InstKind::special:
                return !is_of_shape(i.special);
            case InstKind::active_mask:
            case InstKind::elect:
            case InstKind::shuffle:
            case InstKind::vote:
            case InstKind::match:
            case InstKind::reduce:
                return false;
            default:
                return !simt::facts(i.kind).pure;
        }
    }
    bool mark(const simt::Inst& i) {
        bool more = false;
        if (!is_a_source(i) && are_free(i.in)) return false;
        for (const auto v : i.out) {
            if (v == simt::kNone || marked_[v]) continue;
            marked_[v] = 1, more = true;
        }
        return more;
    }

    /// Of what an instruction makes its warp do, and where it goes in memory.
    bool is_known(const simt::Inst& i) const {
        switch (i.kind) {
            case InstKind::store:
            case InstKind::atomic:
                return is_free(i.in.front());
            case InstKind::load:
            case InstKind::matrix_load:
            case InstKind::copy_async:
            case InstKind::barrier:
            case InstKind::warp_barrier:
            case InstKind::param:
                return are_free(i.in);
            // Their lanes wait for each other; which do is said last, and for shuffles behind three operands.
            case InstKind::shuffle:
                return are_free(i.in, 3);
            case InstKind::vote:
            case InstKind::match:
            case InstKind::reduce:
                return are_free(i.in, 1);
            case InstKind::elect:
                return are_free(i.in);
            case InstKind::active_mask:
            case InstKind::matrix:
            case InstKind::matrix_move:
            case InstKind::copy_group:
            case InstKind::prefetch:
            case InstKind::fence:
            case InstKind::nop:
                return true;
            default:
                return simt::facts(i.kind).pure;
        }
    }

    const simt::Function& f_;
    std::vector<char> marked_;
};

}  // namespace

bool follows_from_arguments(const simt::Function& f) { return !f.has_calls && !f.strict && Course(f).is_known(); }

}  // namespace warpwright::machine
