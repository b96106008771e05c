// The state of a multiprocessor while it is simulated. Private to this room: multiprocessor.hpp is the way in.
#pragma once

#include <array>
#include <deque>
#include <queue>
#include <unordered_map>
#include <vector>

#include "timing/constant_cache.hpp"
#include "timing/memory.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/prepared_code.hpp"
#include "timing/scheduled_warps.hpp"
#include "timing/warp_log.hpp"

namespace warpwright::timing {

/// Asynchronous work of a warp that is awaited by groups: when each group is over, and all before it.
struct Groups {
    double open = 0;  ///< what belongs to no group yet
    std::vector<double> ended;
    void end();
    /// When at most `pending` groups are under way; of none, all that was begun.
    double after(unsigned pending) const;
};

/// An mbarrier in the shared memory of a block.
struct Mbarrier {
    std::uint32_t at = 0;  ///< offset
    unsigned parity = 0;   ///< of the phase that is not over
    std::int64_t expected = 0, pending = 0, bytes = 0;
};

/// A block of a region that the warp did not run.
inline constexpr std::size_t kSkipped = ~std::size_t{0};

/// A warp that is resident, and where it stands in its trace.
struct Warp {
    // What each issue looks at.
    const PreparedOp* ops = nullptr;  ///< of `body`
    std::uint32_t op = 0, size = 0;   ///< its next one; how many there are
    double last = 0;                  ///< its last issue
    double earliest = 0;              ///< when its next operation's operands are there
    double held = 0;                  ///< it goes on no earlier, whatever its operands
    Stall why = Stall::wait, held_why = Stall::wait;
    bool waits = false, done = true;
    bool in_region = false;                     ///< `region` is not null
    unsigned part = 0;                          ///< issues of the operation that are done
    unsigned scheduler = 0, listed = 0;         ///< where its scheduler has it
    std::uint32_t slot = 0;                     ///< its first, among all instructions
    std::uint32_t place_in_code = 0;            ///< the same where the instructions of a region stand once
    std::uint32_t issued_slot = 0;              ///< number of the instruction issued last
    double next_access = 0, next_constant = 0;  ///< no earlier is its next access, its next constant of 64 bits
    const simt::Details* issued = nullptr;      ///< last
    std::vector<double> ready;                  ///< by value
    std::vector<Stall> ready_why;

    const machine::BlockTrace* block = nullptr;
    const machine::WarpTrace* trace = nullptr;
    std::size_t event = 0;      ///< of the block of code that it is in; of the first turn where a loop is unrolled
    std::size_t next = 0;       ///< event of the block of code that follows
    std::size_t last_part = 0;  ///< event of the last block of code of a region; else that of the block
    const machine::Block* body = nullptr;     ///< what the block of code, several turns of it, or its region consist of
    const machine::Region* region = nullptr;  ///< null: it is in none
    std::vector<std::size_t> parts;           ///< of the region: the events of its blocks; kSkipped
    double round = 0;                         ///< cycles of the loop's round that it is in
    unsigned place = 0;
    unsigned barrier = 0;                      ///< where it waits
    std::uint32_t mbarrier = 0;                ///< where it waits for a phase
    double writes = 0;                         ///< when its stores are over
    Groups copies, bulk, bulk_read, products;  ///< bulk copies to global memory: done, and read from shared memory
    std::uint32_t logged = 0;                  ///< its index in the log
};

/// Room for one block.
struct BlockSlot {
    const machine::BlockTrace* block = nullptr;
    std::size_t number = 0;
    unsigned alive = 0;
    std::array<unsigned, 16> arrived{};
    std::vector<Mbarrier> mbarriers;
    std::unordered_map<std::uint32_t, double> word_free;  ///< words of shared memory with a loop of compare-and-swaps
    double began = 0, ended = 0, freed = 0;
};

struct SchedulerState {
    double issue_free = 0;
    ScheduledWarps warps;
    /// By unit (Want::unit): when its own part is free, and who issued to it last.
    std::array<double, Want::kUnits> unit_free{};
    std::array<const Warp*, machine::kPipes> pipe_user{};
    const Warp* greedy = nullptr;  ///< the warp that it issued last
};

class Simulation {
public:
    Simulation(const Parameters& parameters, const machine::LaunchTrace& trace, const SmConditions& conditions,
               WarpLog* log);
    SimulationResult run(const Enough& enough);

private:
    using Pipe = machine::Pipe;
    using Op = machine::Op;

    // The schedulers (schedulers.cpp).
    void step();
    void ask_shared_units();
    Warp* choose(SchedulerState& scheduler, double& next);
    bool is_quiet(const SchedulerState& scheduler, double& next) const;
    double possible(unsigned unit, const SchedulerState& scheduler) const;
    void note_wake(const Warp& w);
    void list_again();
    Pipe pipe_of(Pipe pipe, const SchedulerState& scheduler) const;
    void account(const Warp& w, const PreparedOp& prepared, bool off);
    Stall throttle(const Warp& w, const PreparedOp& prepared) const;
    bool goes_on_issuing(Warp& w, const PreparedOp& prepared);
    void add_stall(std::uint32_t slot, Stall state, double cycles);
    void issue(Warp& w);
    unsigned turns(const Warp& w, const Op& op) const;
    double round_of(Warp& w, const Op& op);
    void occupy(Warp& w, const PreparedOp& prepared);
    void go_on_without_barriers();

    // What an operation does (operations.cpp).
    /// The access that the operation makes, if it is of a kind (Event::kAccess, kAsync, ...); null where there is none.
    static const machine::Event* event_of(const Warp& w, const Op& op, std::uint32_t kind);
    void finish(Warp& w, const PreparedOp& prepared);
    void set_results(Warp& w, const PreparedOp& prepared, double at, Stall why) const;
    double access(Warp& w, const Op& op, Stall& why);
    double spilled(Warp& w, const Op& op, Stall& why);
    double textured(Warp& w, const Op& op);
    double passes(const Op& op, const machine::Event& e) const;
    double turn(const Op& op, const machine::Event& e) const;
    double fence(const Op& op) const;
    double constant(Warp& w, const Op& op, Stall& why);
    double further_constant() const;
    double indexed_constant(const Warp& w, const machine::Event& e);
    void hold(Warp& w, double until, Stall why);
    void arrive(Warp& w, const Op& op, bool waits);
    double after_barrier() const;
    void release(unsigned place, unsigned barrier);

    // What goes on meanwhile (asynchronous.cpp).
    static Mbarrier* mbarrier(BlockSlot& place, std::uint32_t at);
    void take_steps(Warp& w, const Op& op);
    void take_step(Warp& w, const machine::AsyncStep& s);
    void wait_for_phase(Warp& w, const machine::AsyncStep& s);
    void arrive_at(unsigned place, std::uint32_t at, std::int64_t arrivals, std::int64_t bytes);
    double deliver(double never);

    // What is left to do (least_course.cpp).
    /// What a block asks of the load/store unit (cycles) and of the schedulers (issue slots).
    struct Needs {
        double turns = 0, issues = 0;
    };
    void count_needs();
    Needs needs_of(const machine::BlockTrace& block);
    void add_needs(Needs& needs, const Warp& w);
    LeastCourse least_course() const;

    // Blocks and warps in their traces (progress.cpp).
    void start(unsigned place, double at);
    void start_waiting();
    void look(Warp& w);
    bool next_body(Warp& w);
    void choose_body(Warp& w);
    bool follow(Warp& w, const machine::Region& region) const;
    void leave(Warp& w);
    /// Whether the warp's operation is of a block that runs under a predicate, which holds for none of its lanes: it
    /// takes an issue slot, and does nothing.
    static bool is_off(const Warp& w) { return w.in_region && w.parts[w.ops[w.op].part] == kSkipped; }
    void enter(Warp& w, std::uint32_t from);
    void run_body(Warp& w, const PreparedBody& body);
    void wait_for_operands(Warp& w);
    double fetch(std::uint32_t line, double now);
    void end_warp(Warp& w, double at);

    const Parameters& p_;
    const machine::LaunchTrace& trace_;
    const machine::Code& code_;
    const PreparedCode prepared_;
    MemorySystem memory_;
    std::size_t of_block_ = 0;  ///< warps
    std::vector<BlockSlot> block_slots_;
    std::vector<Warp> warps_;  ///< those of place 0, of place 1, ...
    std::vector<SchedulerState> schedulers_;
    std::array<double, Want::kUnits> shared_free_{};  ///< by unit: when it is free that schedulers share; else 0
    double block_interval_ = 0;
    static constexpr std::uint32_t kLineSlots = 8;  ///< instructions of a line of the instruction cache
    std::vector<double> fetched_;                   ///< by line of instructions: when it is there; negative: it is not
    std::deque<std::uint32_t> lines_;               ///< that are there, the first to come first
    double first_fetched_ = 0;                      ///< when the first line is there
    double line_free_ = 0;                          ///< when the last one is that had to be fetched anew
    std::vector<unsigned> ended_;                   ///< places whose block has ended in this step
    struct Copy {
        std::uint32_t value;
        double at;
        Stall why;
    };
    std::vector<Copy> copies_;
    /// Bytes of a bulk copy, or arrivals, that an mbarrier is told of.
    struct Delivery {
        double at;
        unsigned place;
        std::size_t block;  ///< that was in that place
        std::uint32_t barrier;
        std::int64_t arrivals, bytes;
        bool operator<(const Delivery& other) const { return at > other.at; }  // the earliest is on top
    };
    std::priority_queue<Delivery> deliveries_;
    static constexpr unsigned kPhase = 16;  ///< Warp::barrier of one that waits at an mbarrier
    WarpLog* log_ = nullptr;
    unsigned first_to_ask_ = 0;  ///< the scheduler whose turn it is at the load/store unit
    double now_ = 0, load_store_ = 0, texture_ = 0;
    ConstantCache operands_, loaded_, indexed_;  ///< of operands, of loaded parameters, of what lanes index
    double constant_free_ = 0;
    std::vector<Needs> needs_;  ///< of so many blocks and one more, at least; empty: not known
    double longest_turn_ = 0;   ///< in the load/store unit
    double turns_ = 0;          ///< cycles of it that accesses have taken
    double last_start_ = -1e9;  ///< of a block
    std::size_t next_ = 0, alive_ = 0;
    SimulationResult out_;
};

/// A scheduler whose warps all wait is passed over until the first of them can go on.
inline void Simulation::note_wake(const Warp& w) {
    auto& list = schedulers_[w.scheduler].warps;
    if (w.waits || w.done) return list.set(w.listed, ScheduledWarps::kNever, {});
    if (is_off(w)) return list.set(w.listed, w.earliest, {Want::kNothing, false});
    const PreparedOp& o = w.ops[w.op];
    list.set(w.listed, w.earliest, o.special > w.part ? o.want_of_part : o.want);
}

inline void Simulation::add_stall(std::uint32_t slot, Stall state, double cycles) {
    out_.warp_cycles[static_cast<std::size_t>(state)] += cycles;
    if (slot < out_.by_slot.size()) out_.by_slot[slot][static_cast<std::size_t>(state)] += cycles;
}

inline void Simulation::set_results(Warp& w, const PreparedOp& prepared, double at, Stall why) const {
    const std::uint32_t *result = prepared_.results() + prepared.out, *end = prepared_.results() + prepared.out_end;
    do w.ready[*result] = at, w.ready_why[*result] = why;
    while (++result != end);
}

/// To the next operation: in the block of code that the warp is in, or in those that follow.
inline void Simulation::look(Warp& w) {
    if (w.op >= w.size && !next_body(w)) return;
    wait_for_operands(w);
    note_wake(w);
}

inline void Simulation::wait_for_operands(Warp& w) {
    const PreparedOp& o = w.ops[w.op];
    double earliest = w.last + 1;
    Stall why = Stall::wait;
    const auto wait_for = [&](const PreparedCode::Operand& operand) {
        const double at = w.ready[operand.value] + operand.late;
        const bool later = at > earliest;
        earliest = later ? at : earliest, why = later ? w.ready_why[operand.value] : why;
    };
    const PreparedCode::Operand *operand = prepared_.operands() + o.in, *end = prepared_.operands() + o.in_end;
    if (o.product) {
        // A unit adds one product after the other to the same accumulators.
        for (; operand != end; ++operand)
            if (w.ready_why[operand->value] != Stall::gmma) wait_for(*operand);
    } else {
        static_assert(PreparedCode::kLeastOperands == 3);
        wait_for(operand[0]), wait_for(operand[1]), wait_for(operand[2]);
        for (operand += 3; operand != end; ++operand) wait_for(*operand);
    }
    if (w.held > earliest) earliest = w.held, why = w.held_why;
    if (o.accesses && w.next_access > earliest) earliest = w.next_access, why = Stall::wait;
    if (o.wide_constant && w.next_constant > earliest) earliest = w.next_constant, why = Stall::wait;
    w.held = 0;
    const std::uint32_t line = (w.place_in_code + w.op) / kLineSlots;
    if (line < fetched_.size()) {
        const double at = fetched_[line], there = at >= 0 ? at : fetch(line, w.last + 1);
        if (there > earliest) earliest = there, why = Stall::no_instruction;
    }
    w.earliest = earliest, w.why = why;
}

}  // namespace warpwright::timing
