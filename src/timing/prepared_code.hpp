// A kernel's code as the simulation asks for it: of each operation what every issue looks at stands together, computed
// once for a device. Private to this room.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/parameters.hpp"
#include "timing/scheduled_warps.hpp"

namespace warpwright::timing {

struct PreparedOp {
    const machine::Op* op = nullptr;
    const simt::Details* ptx = nullptr;  ///< as in Op
    double latency = 0;                  ///< from the issue to the result, where it is `plain`
    double cycles = 0;                   ///< of its scheduler's part of its pipe
    std::uint32_t in = 0, in_end = 0;    ///< in PreparedCode::operands
    std::uint32_t out = 0, out_end = 0;  ///< in PreparedCode::results
    Want want, want_of_part;             ///< the second while the special function unit takes parts of it
    machine::Pipe pipe = machine::Pipe::none;
    std::uint8_t issues = 1, special = 0, part = 0;  ///< as in Op
    Stall why = Stall::wait;                         ///< where whoever reads its result waits, where it is `plain`
    bool plain = false;   ///< beside taking its pipe it makes results, which are there after the latency
    bool branch = false;  ///< a branch that does nothing else
    bool repeats = false, product = false, accesses = false, wide_constant = false;
};

/// What is issued one operation after the other: a block of code, several turns of a loop, a region.
struct PreparedBody {
    const machine::Block* block = nullptr;
    std::uint32_t first = 0, size = 0;  ///< in PreparedCode::ops
    std::uint32_t slot = 0;             ///< its first, among all instructions
};

class PreparedCode {
public:
    struct Operand {
        std::uint32_t value;
        double late;  ///< cycles beyond the result's latency
    };

    /// An operation with fewer reads a value besides that is there from the begin, and one without a result writes one
    /// that nobody reads: so they are alike, whoever has few.
    static constexpr std::size_t kLeastOperands = 3;

    PreparedCode(const Parameters& parameters, const machine::Code& code);

    const PreparedBody& of_block(std::size_t block) const { return bodies_[block]; }
    const PreparedBody& of_unrolled(std::size_t which) const { return bodies_[unrolled_ + which]; }
    const PreparedBody& of_region(std::size_t which) const { return bodies_[regions_ + which]; }
    const PreparedOp* ops(const PreparedBody& body) const { return ops_.data() + body.first; }
    const Operand* operands() const { return operands_.data(); }
    const std::uint32_t* results() const { return results_.data(); }
    std::uint32_t slots() const { return slots_; }              ///< of all bodies
    std::uint32_t values() const { return nobody_reads_ + 1; }  ///< all ids are below this

private:
    void add(const Parameters& p, const machine::Block& block);
    PreparedOp prepared(const Parameters& p, const machine::Op& op);

    std::vector<PreparedBody> bodies_;
    std::vector<PreparedOp> ops_;
    std::vector<Operand> operands_;
    std::vector<std::uint32_t> results_;
    std::size_t unrolled_ = 0, regions_ = 0;
    std::uint32_t slots_ = 0;
    std::uint32_t always_there_, nobody_reads_;
};

/// Cycles that an operation keeps a scheduler's part of the pipe busy. A product of a warpgroup reads shared memory,
/// which has one way out.
double cycles_of(const Parameters& p, const machine::Op& op, machine::Pipe pipe);

}  // namespace warpwright::timing
