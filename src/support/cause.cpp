// The table of causes: the name of each, CUDA's number for it and the words for people. One table, so that the C
// interface, the runtime libraries and reports cannot differ.
#include "support/cause.hpp"

namespace warpwright {

const std::vector<CauseInfo>& causes() {
    using C = Cause;
    // The numbers are those of driver_types.h: 1 invalid value, 2 memory allocation, 9 invalid configuration, 100 no
    // device, 209 no kernel image, 700 illegal address, 701 launch out of resources, 702 launch timeout, 709 context is
    // destroyed, 710 assert, 714 hardware stack, 715 illegal instruction, 716 misaligned address, 717 invalid address
    // space, 719 launch failure, 720 cooperative launch too large, 912 invalid cluster size.
    static const std::vector<CauseInfo> table = {
        {C::none, "none", 0, "an error"},
        {C::out_of_bounds, "out-of-bounds", 700, "an access out of bounds"},
        {C::null_pointer, "null-pointer", 700, "an access through a null pointer"},
        {C::misaligned, "misaligned", 716, "a misaligned access"},
        {C::read_only, "read-only", 700, "a store to memory that kernels may only read"},
        {C::invalid_handle, "invalid-handle", 700, "an invalid handle or descriptor"},
        {C::illegal_instruction, "illegal-instruction", 715, "an illegal instruction"},
        {C::invalid_operand, "invalid-operand", 715, "an operand that the instruction does not allow"},
        {C::assertion, "assertion", 710, "a failed assertion"},
        {C::trap, "trap", 719, "a trap"},
        {C::barrier, "barrier", 719, "a barrier used against its rules"},
        {C::deadlock, "deadlock", 719, "a deadlock"},
        {C::time_limit, "time-limit", 702, "the time limit"},
        {C::stack_overflow, "stack-overflow", 719, "calls nested too deep"},
        {C::no_peer_access, "no-peer-access", 700, "memory of another device without access to it"},
        {C::invalid_free, "invalid-free", 700, "a free of memory that is not allocated"},
        {C::cancelled, "cancelled", 709, "the end of the process"},
        {C::launch_limit, "launch-limit", 9, "a limit of the device"},
        {C::shared_limit, "shared-limit", 1, "more shared memory than a block may have"},
        {C::register_limit, "register-limit", 701, "more registers than a block may have"},
        {C::cluster_size, "cluster-size", 912, "a cluster that is not allowed"},
        {C::cooperative_limit, "cooperative-limit", 720, "a cooperative grid that cannot be resident"},
        {C::out_of_memory, "out-of-memory", 2, "no device memory left"},
        {C::no_driver, "no-driver", 100, "no driver"},
        {C::no_ptx, "no-ptx", 209, "no PTX"},
        {C::missing_source, "missing-source", 0, "an included file that is missing"},
    };
    return table;
}

Cause cause_of_cuda(std::int32_t code) {
    for (const auto& row : causes())
        if (code != 0 && row.cuda == code) return row.cause;
    return Cause::none;
}

const CauseInfo& info(Cause cause) { return causes()[static_cast<std::size_t>(cause)]; }

}  // namespace warpwright
