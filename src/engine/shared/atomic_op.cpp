// The modifier decides first and the type second, because exchanges and logic treat all types as bits. A combination
// that no rule names is an error.
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

Result<AtomicOp> atomic_op(const simt::Details& inst, simt::Type type) {
    using simt::Mod;
    using T = simt::Type;
    auto bad = [&] { return Error{ErrorKind::input, "this atomic operation and type is not supported", {}, ""}; };
    if (inst.has(Mod::cas)) return AtomicOp::cas;
    if (inst.has(Mod::exch)) return AtomicOp::exch;
    if (inst.has(Mod::and_)) return AtomicOp::and_;
    if (inst.has(Mod::or_)) return AtomicOp::or_;
    if (inst.has(Mod::xor_)) return AtomicOp::xor_;
    if (inst.has(Mod::inc)) return AtomicOp::inc;
    if (inst.has(Mod::dec)) return AtomicOp::dec;
    if (inst.has(Mod::add)) switch (type) {
            case T::f16:
                return AtomicOp::add_f16;
            case T::f16x2:
                return AtomicOp::add_f16x2;
            case T::bf16:
                return AtomicOp::add_bf16;
            case T::bf16x2:
                return AtomicOp::add_bf16x2;
            case T::f32:
                return AtomicOp::add_f32;
            case T::f64:
                return AtomicOp::add_f64;
            default:
                return AtomicOp::add_int;
        }
    const bool min = inst.has(Mod::min);
    if (!min && !inst.has(Mod::max)) return bad();
    switch (type) {
        case T::s32:
        case T::s64:
            return min ? AtomicOp::min_s : AtomicOp::max_s;
        case T::u32:
        case T::u64:
            return min ? AtomicOp::min_u : AtomicOp::max_u;
        case T::f16:
            return min ? AtomicOp::min_f16 : AtomicOp::max_f16;
        case T::f16x2:
            return min ? AtomicOp::min_f16x2 : AtomicOp::max_f16x2;
        case T::bf16:
            return min ? AtomicOp::min_bf16 : AtomicOp::max_bf16;
        case T::bf16x2:
            return min ? AtomicOp::min_bf16x2 : AtomicOp::max_bf16x2;
        default:
            return bad();
    }
}

}  // namespace warpwright::engine
