// Warp IR -> LLVM IR, one function for one kernel and block shape. Every block is written twice: a converged copy in
// which all lanes are active (no masks at all), and a partial copy that runs under a lane mask kept in the pending
// mask of each block (thread frontiers). Uniform values are scalars, affine ones a scalar base, varying ones vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/abi.hpp"
#include "engine/codegen/kernel_layout.hpp"
#include "engine/codegen/runtime_types.hpp"
#include "simt/shape.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

class Codegen {
public:
    Codegen(llvm::Module& module, const simt::Function& f, const CodegenOptions& options, KernelLayout& layout);
    /// Writes the function called `symbol`.
    Result<void> run(const std::string& symbol);

private:
    using V = llvm::Value*;
    using Copy = bool;
    static constexpr Copy kFull = true, kPartial = false;

    // codegen.cpp: blocks, edges, dispatch, waits
    void declare();
    void entry();
    void block(simt::BlockId b, Copy copy);
    void find_stubs();
    bool may_be_picked(simt::BlockId b) const;
    simt::BitSet kept_by_stub(simt::BlockId b) const;
    void stub(simt::BlockId b);
    void after_stub(simt::BlockId b);
    void terminator(simt::BlockId b);
    void edge(simt::BlockId from, simt::BlockId to, V mask);
    void phi_copies(simt::BlockId from, simt::BlockId to, V mask);
    void dispatch(simt::BlockId from, std::vector<simt::BlockId> candidates, bool sure);
    void leave(V mask, bool exit);
    void slow_dispatch();
    simt::BitSet live_with_phis(simt::BlockId b) const;
    void save(const simt::BitSet& values);
    void restore(const simt::BitSet& values);
    void count_block(simt::BlockId b);
    void check_stop(simt::BlockId b);
    V pending(simt::BlockId b);
    V load_pending(simt::BlockId b);
    void store_pending(simt::BlockId b, V mask);
    void add_pending(simt::BlockId b, V mask);
    void fail_if_zero(V ok);

    // codegen_values.cpp
    llvm::Type* value_type(simt::ValueId v);
    llvm::Type* slot_type(simt::ValueId v) { return scalar_kind(v) ? value_type(v) : vec(value_type(v)); }
    llvm::Type* element(ptx::Type type);
    llvm::Type* vec(llvm::Type* t) { return llvm::FixedVectorType::get(t, lanes_); }
    V splat(V scalar) { return b_.CreateVectorSplat(lanes_, scalar); }
    bool uniform(const simt::Operand& o) const;
    bool scalar_kind(simt::ValueId v) const { return shapes_.of[v] != simt::Shape::varying; }
    V read(simt::ValueId v);  ///< scalar (uniform, affine base) or vector, in its register type
    V scalar(const simt::Operand& o, llvm::Type* type);  ///< uniform value or affine base
    V vector(const simt::Operand& o, llvm::Type* type);
    V affine_vector(simt::ValueId v);                             ///< exact, also where an index wraps
    V approximate(const simt::Affine& a, V base, unsigned bits);  ///< base + offsets, no assumptions checked
    V factor(const simt::Product& p, unsigned bits);
    V lane_constant(const simt::LaneVector& v, unsigned bits);
    V assumptions_hold(const simt::Affine& a);
    V constant(const simt::Operand& o, llvm::Type* type);
    V adapt(V value, llvm::Type* element_type);
    void define(simt::ValueId v, V value);  ///< scalar or vector as the shape asks; any element type
    V mask_vector(V mask);
    V mask_bits(V lanes);
    V blend(V mask, V fresh, V old);
    void find_slots();
    void find_nans();
    V canonical(V x, simt::ValueId v);
    V vector_bits(const simt::Operand& o, llvm::Type* type);  ///< NaNs canonical: for whoever sees the bits
    V scalar_bits(const simt::Operand& o, llvm::Type* type);

    // codegen_inst.cpp
    Result<void> inst(simt::BlockId b, const simt::Inst& i);
    Result<void> data(const simt::Inst& i);
    Result<void> special(const simt::Inst& i);
    Result<void> pack(const simt::Inst& i);
    Result<void> unpack(const simt::Inst& i);
    V tid_scalar(unsigned component);

    // codegen_memory.cpp, codegen_access.cpp
    struct Run {
        unsigned first = 0, count = 0;
        bool contiguous = false;
        std::int64_t offset = 0;
        std::vector<std::int64_t> scale;  ///< of each term
        unsigned same_as = 0;             ///< an earlier run at the same addresses, or itself
    };
    struct Access {
        const simt::Inst* inst = nullptr;
        unsigned site = 0;
        unsigned bytes = 0;  ///< an element
        unsigned count = 1;  ///< elements a lane
        unsigned total() const { return bytes * count; }
        ptx::Space space{};
        bool store = false;
        bool aligned = false;   ///< lane offsets are multiples of the access width
        std::vector<Run> runs;  ///< affine addresses; empty when unstructured
        const simt::Affine* affine = nullptr;
    };
    Result<void> memory(const simt::Inst& i);
    Access classify(const simt::Inst& i);
    std::vector<Run> find_runs(const simt::Affine& a, unsigned bytes) const;
    void load(Access& a);
    void store(Access& a);
    void uniform_load(Access& a);
    void uniform_store(Access& a);
    void structured_load(Access& a);
    void structured_store(Access& a);
    /// Lanes one after the other whose places are as far from each other, known when the code is made.
    struct Strided {
        unsigned first = 0, count = 0;
        std::int64_t offset = 0, stride = 0;
    };
    std::vector<Strided> strided(const Access& a) const;
    V strided_in_order(const Access& a, V base);
    bool scatterable(const Access& a) const;
    V scattered_start(Access& a, V base);
    llvm::Function* lane_mover(const Access& a, bool store);
    bool scattered_load(Access& a);
    bool scattered_store(Access& a);
    void runtime_load(Access& a);
    void runtime_store(Access& a);
    void local_load(Access& a);
    void local_store(Access& a);
    Result<void> atomic(const simt::Inst& i);
    bool is_one(simt::Operand o) const;
    Result<void> copy_async(const simt::Inst& i);
    Result<void> parameter(const simt::Inst& i);
    V address_scalar(const Access& a);  ///< of a uniform address or an affine base, offset included, i64
    V address_vector(const simt::Inst& i, const simt::Operand& o, std::int64_t offset);
    V host_pointer(const Access& a, V address);
    void check(const Access& a, V address, std::uint64_t span, V lanes, std::uint64_t most);
    void count_passes(const Access& a, V base);
    std::vector<V> store_values(const Access& a);
    std::vector<V> runtime_load_values(Access& a, bool hardly_ever);
    void runtime_store_values(Access& a, const std::vector<V>& values, bool hardly_ever);
    V run_address(const Access& a, const Run& r, V base);
    V extend_loaded(V x, ptx::Type type, simt::ValueId v);
    std::pair<unsigned, unsigned> shared_cost(const Access& a, const std::vector<std::uint32_t>& addresses) const;
    void check_masked(const Access& a, V address, std::uint64_t span, std::uint64_t most);
    void count_masked(const Access& a, V base);
    V local_words(const Access& a, V address, unsigned e);
    V bits_before(const Access& a, V address, unsigned e);
    void check_local(const Access& a, V address, V size);
    void count_local(const Access& a);
    void uncount(const Access& a);
    V runtime_address(const Access& a);
    V bundle(const std::vector<V>& parts);
    V unbundle(V whole, unsigned k, unsigned count);
    std::uint64_t mask_of_all() const { return lanes_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_) - 1; }
    V site_field(unsigned site, unsigned offset);
    V buffer(unsigned which, std::uint64_t bytes);
    void bump(V pointer, V by);
    static std::uint32_t checked_kind(const Access& a);
    V quiet_at(V address, unsigned each, unsigned words);
    V in_order(const Access& a);  ///< checking: whether the regular access is in order, with its form's assumptions
    std::uint32_t copied_elements(const simt::Inst& i) const;
    void find_copies();
    void check_copies(const simt::Inst& i);
    void check_fence(const simt::Inst& i);
    void check_members(const simt::Inst& i, const simt::Operand& member, V active);
    void check_shuffle(const simt::Inst& i, V active);
    V in_two_ways(V condition, const std::function<V()>& hot, const std::function<V()>& cold);

    // codegen_warp.cpp
    Result<void> warp_op(const simt::Inst& i);
    Result<void> barrier(simt::BlockId b, const simt::Inst& i);
    void warp_wait(simt::BlockId b, const simt::Inst& i);
    Result<void> shuffle(const simt::Inst& i);
    V shuffle_sources(const simt::Inst& i, V& in);
    V permute(V words, V from);
    V barrier_result(const simt::Inst& i);
    V agreed(const simt::Operand& o, V active, unsigned site);
    unsigned barrier_index(const simt::Inst& i);
    std::string function_symbol(std::uint32_t callee) const;
    Result<void> matrix(const simt::Inst& i);
    Result<void> matrix_memory(const simt::Inst& i);
    unsigned put_fragment(V buffer, unsigned word, const simt::Operand& o);
    void take_fragment(V buffer, const std::vector<simt::ValueId>& outs);
    unsigned form_index(const simt::Inst& i, std::shared_ptr<void> form);
    // codegen_hopper.cpp
    void find_phase_waits();
    V lane_inputs(const simt::Inst& i);
    Result<unsigned> async_form(const simt::Inst& i);
    void cluster_address(const simt::Inst& i);
    Result<void> async_op(const simt::Inst& i);
    Result<void> matrix_async(const simt::Inst& i);
    Result<void> async_wait(simt::BlockId b, const simt::Inst& i);
    void phase_wait_partial(simt::BlockId b, const simt::Inst& i);

    Result<void> call(const simt::Inst& i);
    Result<void> system_call(const simt::Inst& i);

    V field(V base, std::size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset); }
    V load_field(llvm::Type* t, V base, std::size_t offset) { return b_.CreateLoad(t, field(base, offset)); }
    /// Calls a listed runtime function; the arguments are those after the context and the frame.
    template <auto* F, std::size_t N>
    V runtime(const V (&arguments)[N], bool hardly_ever = false) {
        static_assert(N == RuntimeSignature<decltype(F)>::named, "the function has another number of parameters");
        return hardly_ever ? call_rarely(runtime_function<F>, arguments) : call(runtime_function<F>, arguments);
    }
    template <auto* F>
    V runtime() {
        static_assert(RuntimeSignature<decltype(F)>::named == 0, "the function has parameters");
        return call(runtime_function<F>, {});
    }
    /// A call that hardly ever happens, through a function that saves every register itself: what is live around it,
    /// whole vectors above all, then stays in registers on the common way.
    template <auto* F, std::size_t N>
    V rare(const V (&arguments)[N]) {
        return runtime<F>(arguments, true);
    }
    V call(const RuntimeFunction& function, llvm::ArrayRef<V> arguments);
    V call_rarely(const RuntimeFunction& function, llvm::ArrayRef<V> arguments);
    llvm::SmallVector<V, 10> all_arguments(const RuntimeFunction& function, llvm::ArrayRef<V> arguments) const;
    V i32(std::uint64_t x) { return b_.getInt32(static_cast<std::uint32_t>(x)); }
    V i64(std::uint64_t x) { return b_.getInt64(x); }
    V mask_constant(std::uint64_t x) { return llvm::ConstantInt::get(mask_type_, x); }
    V full_mask() { return mask_constant(lanes_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_) - 1); }
    V mask64(V mask) { return b_.CreateZExtOrTrunc(mask, b_.getInt64Ty()); }
    llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(c_, name, fn_); }
    Error unsupported(const simt::Inst& i, const std::string& why) const;
    llvm::MDNode* weights(bool first_likely);
    unsigned static_index(const simt::Inst& i);

    llvm::LLVMContext& c_;
    llvm::Module& module_;
    llvm::IRBuilder<> b_;
    const simt::Function& f_;
    const CodegenOptions& options_;
    KernelLayout& layout_;
    simt::Shapes shapes_;
    unsigned lanes_;
    llvm::IntegerType* mask_type_;
    llvm::Function* fn_ = nullptr;
    V ctx_ = nullptr, frame_ = nullptr, resume_ = nullptr, argument_mask_ = nullptr, stack_ = nullptr;
    V counters_ = nullptr, sites_ = nullptr, shared_ = nullptr, shared_size_ = nullptr, local_ = nullptr;
    V quiet_ = nullptr, quiet_start_ = nullptr, quiet_limit_ = nullptr, quiet_mark_ = nullptr;
    std::vector<llvm::BasicBlock*> full_, partial_;
    std::vector<V> slots_;        ///< where a value that crosses blocks is kept
    std::vector<bool> in_frame_;  ///< its slot is its place in the frame
    std::vector<llvm::AllocaInst*> pending_;
    bool many_merges_ = false;  ///< scalars that cross blocks are kept in the frame, for LLVM's sake
    V pending_base_ = nullptr;  ///< the pending masks in memory
    std::vector<bool> crosses_, nan_;
    std::vector<bool> looked_at_;  ///< checking: values that are used for more than to be stored again
    std::vector<V> local_values_;  ///< values known in the block being written
    std::vector<simt::ValueId> local_set_;
    std::vector<simt::ValueId> accumulators_;  ///< what the last wgmma of the block being written left in its buffer
    std::vector<std::vector<simt::ValueId>> extra_;
    std::vector<simt::BitSet> live_;
    std::vector<std::vector<simt::BlockId>> frontier_;
    std::vector<std::uint64_t> save_offset_;
    std::map<unsigned, llvm::AllocaInst*> buffers_;
    std::map<const simt::Inst*, unsigned> site_of_, form_of_;
    llvm::BasicBlock *slow_ = nullptr, *error_ = nullptr, *entry_ = nullptr;
    llvm::SwitchInst* resume_switch_ = nullptr;
    unsigned resume_points_ = 0;
    Copy copy_ = kFull;
    simt::BlockId at_ = 0;
    V mask_ = nullptr;         ///< partial copy: lanes of the block being written
    unsigned first_lane_ = 0;  ///< lane at the start of the run being checked, for messages
    bool ended_ = false;       ///< the block's terminator was already written (barriers, calls)
    bool full_copy_ = true;    ///< the converged copies exist
    std::vector<bool> stub_;   ///< masked copies that converged code does without; empty = none
    std::vector<bool> stub_reached_;
    std::vector<std::uint32_t> phase_class_;  ///< by block; see find_phase_waits
    bool memory_pending_ = false;             ///< strict functions: the runtime chooses among the pending masks
    bool pending_in_frame_ = false;           ///< pending masks live in memory
    const simt::Inst* current_ = nullptr;
};

}  // namespace warpwright::engine
