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
    const machine::BlockTrace* block = nullptr;
    const machine::WarpTrace* trace = nullptr;
    std::size_t event = 0;      ///< of the block of code that it is in; of the first turn where a loop is unrolled
    std::size_t next = 0;       ///< event of the block of code that follows
    std::size_t last_part = 0;  ///< event of the last block of code of a region; else that of the block
    const machine::Block* body = nullptr;     ///< what the block of code, several turns of it, or its region consist of
    const machine::Region* region = nullptr;  ///< null: it is in none
    std::vector<std::size_t> parts;           ///< of the region: the events of its blocks; kSkipped
    std::uint32_t slot = 0;                   ///< its first, among all instructions
    std::uint32_t place_in_code = 0;          ///< the same where the instructions of a region stand once
    std::uint32_t op = 0;                     ///< in that block
    unsigned part = 0;                        ///< issues of the operation that are done
    double round = 0;                         ///< cycles of the loop's round that it is in
    unsigned place = 0, scheduler = 0;
    unsigned listed = 0;                        ///< where its scheduler has it
    std::size_t age = 0;                        ///< how many warps of the multiprocessor began before it
    double next_access = 0, next_constant = 0;  ///< no earlier is its next access, its next constant of 64 bits
    double last = 0;                            ///< its last issue
    double earliest = 0;                        ///< when its next operation's operands are there
    Stall why = Stall::wait;
    double held = 0;  ///< it goes on no earlier, whatever its operands
    Stall held_why = Stall::wait;
    bool waits = false, done = true;
    unsigned barrier = 0;                      ///< where it waits
    std::uint32_t mbarrier = 0;                ///< where it waits for a phase
    double writes = 0;                         ///< when its stores are over
    Groups copies, bulk, bulk_read, products;  ///< bulk copies to global memory: done, and read from shared memory
    std::uint32_t logged = 0;                  ///< its index in the log
    const simt::Details* issued = nullptr;     ///< last
    std::uint32_t issued_slot = 0;             ///< its number
    std::vector<double> ready;                 ///< by value
    std::vector<Stall> ready_why;
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

class Simulation {
public:
    Simulation(const Parameters& parameters, const machine::LaunchTrace& trace, const SmConditions& conditions,
               WarpLog* log);
    SimulationResult run();

private:
    using Pipe = machine::Pipe;
    using Op = machine::Op;

    // The schedulers (schedulers.cpp).
    void step();
    Warp* choose(unsigned scheduler, double& next);
    bool is_quiet(unsigned scheduler, double& next) const;
    double possible(Want want, unsigned scheduler) const;
    static Want want_of(const Warp& w);
    void note_wake(const Warp& w);
    void list_again();
    Pipe pipe_of(Pipe pipe, unsigned scheduler) const;
    void account(const Warp& w);
    void add_stall(std::uint32_t slot, Stall state, double cycles);
    void issue(Warp& w);
    unsigned turns(const Warp& w, const Op& op) const;
    double round_of(Warp& w, const Op& op);
    double cycles_of(const Op& op, Pipe pipe) const;
    void occupy(Warp& w, const Op& op);
    void go_on_without_barriers();

    // What an operation does (operations.cpp).
    /// The access that the operation makes, if it is of a kind (Event::kAccess, kAsync, ...); null where there is none.
    static const machine::Event* event_of(const Warp& w, const Op& op, std::uint32_t kind);
    void finish(Warp& w, const Op& op);
    double access(Warp& w, const Op& op, Stall& why);
    double spilled(Warp& w, const Op& op, Stall& why);
    double textured(Warp& w, const Op& op);
    double passes(const Op& op, const machine::Event& e) const;
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

    // Blocks and warps in their traces (progress.cpp).
    void start(unsigned place, double at);
    void start_waiting();
    void look(Warp& w);
    void choose_body(Warp& w);
    bool follow(Warp& w, const machine::Region& region) const;
    void leave(Warp& w);
    /// Whether the warp's operation is of a block that runs under a predicate, which holds for none of its lanes: it
    /// takes an issue slot, and does nothing.
    static bool is_off(const Warp& w) { return w.region && w.parts[w.body->ops[w.op].part] == kSkipped; }
    void enter(Warp& w, std::uint32_t from);
    void wait_for_operands(Warp& w);
    double fetched(std::uint32_t line, double now);
    void end_warp(Warp& w, double at);

    const Parameters& p_;
    const machine::LaunchTrace& trace_;
    const machine::Code& code_;
    MemorySystem memory_;
    std::size_t of_block_ = 0;  ///< warps
    std::vector<BlockSlot> block_slots_;
    std::vector<Warp> warps_;  ///< those of place 0, of place 1, ...
    std::vector<ScheduledWarps> by_scheduler_;
    std::vector<std::array<double, machine::kPipes>> pipe_free_;
    std::vector<std::array<const Warp*, machine::kPipes>> pipe_user_;  ///< who issued to it last
    std::vector<double> special_free_, issue_free_;
    std::vector<const Warp*> greedy_;        ///< the warp that each scheduler issued last
    std::vector<std::uint32_t> first_slot_;  ///< of each block of code, of each that is unrolled, of each region
    double block_interval_ = 0;
    std::vector<double> fetched_;      ///< by line of instructions: when it is there; negative: it is not
    std::deque<std::uint32_t> lines_;  ///< that are there, the first to come first
    double first_fetched_ = 0;         ///< when the first line is there
    double line_free_ = 0;             ///< when the last one is that had to be fetched anew
    std::vector<unsigned> ended_;      ///< places whose block has ended in this step
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
    double last_start_ = -1e9;  ///< of a block
    std::size_t next_ = 0, alive_ = 0;
    SimulationResult out_;
};

}  // namespace warpwright::timing
