// From a loaded program to the host code of one kernel at one block shape: lowering, code generation, the caches.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>

#include "engine/codegen/codegen.hpp"
#include "engine/codegen/jit.hpp"
#include "engine/codegen/linked_places.hpp"
#include "engine/run/better_code.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/scheduler.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/atomic_op.hpp"
#include "engine/shared/executor.hpp"
#include "machine/course.hpp"
#include "machine/spill.hpp"
#include "machine/view.hpp"
#include "simt/passes.hpp"
#include "support/build_id.hpp"
#include "support/cause.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/elapsed.hpp"
#include "support/host_time.hpp"

namespace warpwright::engine {

namespace {

/// EngineOptions::quick_from where no code is quick.
constexpr std::size_t kNeverQuick = ~std::size_t{0};
/// What the key of code that was quick to make ends with.
const std::string kQuick = "-quick";
/// How many times longer than quick code the better one takes to make, about.
constexpr double kBetterCost = 6;

std::string shape_key(const CodegenOptions& o) {
    const auto& b = o.block;
    return std::to_string(b.x) + "x" + std::to_string(b.y) + "x" + std::to_string(b.z) + "/" + std::to_string(b.lanes) +
           std::string(o.counters ? "/c" : "/n") + (o.check ? "k" : "") + (o.trace ? "t" : "") +
           (o.limited ? "i" : "") + (o.places ? "w" : "") + (o.affine_off ? "v" : "a") + (o.linked ? "p" : "") +
           std::to_string(o.converged_from) +
           (o.transaction_bytes == 32 ? "" : "/l" + std::to_string(o.transaction_bytes));
}

/// Marks what is no work of its own in machine code. Sites and instructions name the blocks of their function.
void mark_joined(KernelLayout& layout, const simt::Function& f) {
    const auto joined = machine::joined(f);
    const auto is_joined = [&](std::uint32_t block, const simt::Details* ptx) {
        return std::binary_search(joined.begin(), joined.end(), std::pair(simt::BlockId{block}, ptx));
    };
    for (auto& s : layout.sites)
        s.joined = (s.kind == SiteInfo::Kind::load || s.kind == SiteInfo::Kind::store) &&
                   s.space == simt::Space::shared && is_joined(s.block, s.ptx);
    for (auto& i : layout.insts) i.joined = is_joined(i.block, i.ptx);
}

/// Whether the outcome of an instruction depends on which of two blocks executes it first.
bool depends_on_order(const simt::Inst& i) {
    switch (i.kind) {
        case simt::InstKind::system_call:
            return true;
        case simt::InstKind::async_op:
            return i.ptx->op == simt::Op::cp_reduce_async_bulk;
        case simt::InstKind::atomic:
            break;
        default:
            return false;
    }
    if (i.space == simt::Space::shared) return false;
    if (std::any_of(i.out.begin(), i.out.end(), [](simt::ValueId v) { return v != simt::kNone; })) return true;
    const auto op = atomic_op(*i.ptx, i.type);
    switch (op ? *op : AtomicOp::exch) {
        case AtomicOp::add_int:
        case AtomicOp::min_s:
        case AtomicOp::max_s:
        case AtomicOp::min_u:
        case AtomicOp::max_u:
        case AtomicOp::and_:
        case AtomicOp::or_:
        case AtomicOp::xor_:
            return false;
        default:  // sums of floats are rounded, and the last exchange stays
            return true;
    }
}

bool is_of_texture(const simt::Inst& i) {
    if (i.kind != simt::InstKind::async_op) return false;
    switch (i.ptx->op) {
        case simt::Op::tex:
        case simt::Op::tld4:
        case simt::Op::txq:
        case simt::Op::suld:
        case simt::Op::sust:
        case simt::Op::sured:
        case simt::Op::suq:
            return true;
        default:
            return false;
    }
}

/// Whom a kernel's loops may wait for, over all of its functions.
struct Waiting {
    bool far = false;        ///< a loop looks at what other blocks do
    bool calls = false;      ///< a loop that may wait calls functions
    bool talks = false;      ///< some instruction is one by which warps talk to each other
    bool talks_far = false;  ///< one by which blocks do

    void add(const simt::Function& f) {
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts) {
                if (i.kind == simt::InstKind::call || !simt::talks_to_others(i, true)) continue;
                talks = true;
                talks_far |= simt::talks_to_other_blocks(i);
            }
        for (const auto& loop : f.loops) {
            if (!loop.spins) continue;
            for (const auto b : loop.blocks)
                for (const auto& i : f.blocks[b].insts) {
                    calls |= i.kind == simt::InstKind::call;
                    far |= simt::watches_other_blocks(i);
                }
        }
    }
};

/// Generates code for a kernel and for every function that it calls without inlining, in one module.
Result<void> fill(llvm::Module& module, Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                  KernelCode& code, const std::string& symbol, const WorkLimit& limit) {
    code.options = options;
    code.module = &program.module;
    if (options.trace) {
        code.machine = std::make_shared<machine::Code>();
        code.machine->files = program.module.files;
    }
    std::vector<std::uint32_t> todo{kernel}, done;
    Waiting waiting;
    for (std::size_t n = 0; n < todo.size(); ++n) {
        simt::LowerOptions lowering;
        lowering.build = {options.check, program.decoded};
        lowering.limit = limit;
        auto lowered = simt::lower(program.module, todo[n], lowering);
        if (!lowered) return lowered.error();
        const bool top = n == 0;
        CodegenOptions o = options;
        o.function = !top;
        o.single_warp = options.block.threads() <= options.block.lanes && !options.check;
        o.prefix = symbol + "_f";
        KernelLayout layout;
        layout.first_counter = code.blocks * kBlockCounters;
        layout.first_block = code.blocks;
        layout.first_site = static_cast<std::uint32_t>(code.sites.size());
        layout.first_barrier = static_cast<std::uint32_t>(code.barriers.size());
        layout.first_form = static_cast<std::uint32_t>(code.forms.size());
        const auto name = top ? symbol : o.prefix + std::to_string(todo[n]);
        if (auto r = codegen::write_function(module, *lowered, o, layout, name); !r) return r.error();
        if (limit.over()) return simt::out_of_time(program.module, program.module.functions[todo[n]]);
        if (options.counters) mark_joined(layout, *lowered);
        for (auto s : layout.sites) {
            s.block += code.blocks;
            code.sites.push_back(s);
        }
        for (auto i : layout.insts) {
            i.block += code.blocks;
            code.insts.push_back(i);
        }
        if (options.trace) {
            const auto told = program.told_spills(program.module.functions[todo[n]].name);
            machine::append_within_registers(*code.machine, *lowered, told);
            if (top) {
                code.machine->told = told;
                code.course_known = machine::follows_from_arguments(*lowered);
            }
        }
        code.block_end.insert(code.block_end.end(), layout.block_end.begin(), layout.block_end.end());
        code.block_line.insert(code.block_line.end(), layout.block_line.begin(), layout.block_line.end());
        code.barriers.insert(code.barriers.end(), layout.barriers.begin(), layout.barriers.end());
        code.forms.insert(code.forms.end(), layout.forms.begin(), layout.forms.end());
        if (top) {
            code.frame_bytes = layout.frame_bytes;
            code.static_shared = lowered->static_shared;
            code.shared_places = lowered->placements;
            code.param_offsets = lowered->param_offsets;
            code.on_fibers = lowered->has_calls;
            code.gives_up = layout.gives_up;
        }
        if (lowered->placed) code.placed.push_back(lowered->placed);
        for (const auto& b : lowered->blocks) {
            code.yields.push_back(b.yield);
            code.ordered |= std::any_of(b.insts.begin(), b.insts.end(), depends_on_order);
            code.textures |= std::any_of(b.insts.begin(), b.insts.end(), is_of_texture);
        }
        waiting.add(*lowered);
        code.reads_clock |= simt::reads_clock(*lowered);
        code.times_itself |= layout.times_itself;
        code.ordered |= layout.times_itself;
        code.blocks += layout.blocks;
        // Only a kernel that calls nothing has any, so that they follow all blocks.
        code.places += layout.places;
        if (lowered->local_bytes > kMostLocalBytes)
            return Error{ErrorKind::limit,
                         "the function '" + program.module.functions[todo[n]].name + "' takes " +
                             std::to_string(lowered->local_bytes) + " bytes of local memory per thread, the most is " +
                             std::to_string(kMostLocalBytes),
                         function_place(program.module, todo[n]), "let the host allocate the memory for its arrays",
                         Cause::launch_limit};
        code.local_bytes = std::max(code.local_bytes, lowered->local_bytes);
        for (auto c : lowered->callees)
            if (std::find(todo.begin(), todo.end(), c) == todo.end()) todo.push_back(c);
    }
    code.takes_turns = waiting.far || (waiting.calls && waiting.talks_far);
    if (!waiting.talks) std::fill(code.yields.begin(), code.yields.end(), std::uint8_t{0});
    return {};
}

/// An error of the code as a whole (LLVM's verifier refused it), with the kernel and the line of PTX that it came from:
/// the code is made once more, its instructions marked.
Error located(Jit& jit, Program& program, ptx::SymbolId kernel, CodegenOptions options, const std::string& symbol,
              Error error) {
    if (error.cause == Cause::time_limit) return simt::out_of_time(program.module, program.module.functions[kernel]);
    if (!error.where.file.empty()) return error;
    if (error.kind == ErrorKind::limit) {
        error.where = function_place(program.module, kernel);
        return error;
    }
    if (error.kind != ErrorKind::internal) return error;
    options.mark_lines = true;
    KernelCode again;
    auto marked = jit.object([&](llvm::Module& m) { return fill(m, program, kernel, options, again, symbol, {}); }, 0);
    if (!marked) error = std::move(marked).error();
    const auto& function = program.module.functions[kernel];
    if (error.where.line == 0) error.where.line = function.line;
    error.where.file = program.module.name;
    error.what = "kernel '" + function.name + "': " + error.what;
    return error;
}

/// Samples of this machine's time are told apart by the code's places, where it tells of them.
void tell_places(const Program& program, ptx::SymbolId kernel, const KernelCode& code, const std::string& object,
                 const std::string& symbol, const void* linked) {
    if (!code.options.places) return;
    auto out = std::make_unique<host_time::Code>();
    out->kernel = program.module.functions[kernel].name;
    out->places = codegen::places_of(object, symbol, linked);
    const auto add = [&](const simt::Details* ptx) {
        if (ptx && ptx->source.line && ptx->source.file < program.module.files.size())
            out->sources[ptx->line] = {program.module.files[ptx->source.file], ptx->source.line};
    };
    for (const auto& i : code.insts) add(i.ptx);
    for (const auto* ptx : code.block_line) add(ptx);
    for (const auto* ptx : code.block_end) add(ptx);
    host_time::add_code(std::move(out));
}

std::string code_key(const Program& program, const std::string& shape, const Jit& jit) {
    return ContentHasher().add(program.key).add(shape).add(jit.fingerprint()).add(build_id()).digest();
}

/// The caller has the program's lock.
std::shared_ptr<KernelCode> note_recent(Program& program, ptx::SymbolId kernel,
                                        const std::shared_ptr<KernelCode>& code) {
    constexpr std::size_t kMost = 8;
    if (program.recent.size() >= kMost) program.recent.erase(program.recent.begin());
    program.recent.emplace_back(kernel, code);
    return code;
}

}  // namespace

CodegenOptions Engine::code_options(const LaunchRequest& request, bool trace) const {
    CodegenOptions options;
    options.trace = trace;
    const launch::Extent& block = request.config.block;
    options.block = {block.x, block.y, block.z, options_.lanes};
    options.transaction_bytes = options_.transaction_bytes;
    options.counters = request.options.counters;
    options.check = checkers_ != 0;
    options.limited = options_.most_instructions != 0;
    options.affine_off = options_.affine_off;
    options.places = host_time::on();
    options.linked = request.options.counters && request.options.linked() && !options.check;
    options.permutes = jit_->avx512();
    options.converged_from = options_.converged_from;
    return options;
}

std::string Engine::shape_of(const Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                             bool trace) const {
    return program.module.functions[kernel].name + "/" + shape_key(code_options(request, trace));
}

std::shared_ptr<KernelCode> Engine::code_at_hand(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                                 bool trace) const {
    std::lock_guard lock(program.mutex);
    const auto found = program.code.find(shape_of(program, kernel, request, trace));
    return found == program.code.end() ? nullptr : found->second;
}

bool Engine::is_compiled(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) const {
    return code_at_hand(program, kernel, request, false) != nullptr;
}

Result<std::shared_ptr<KernelCode>> Engine::compile(Program& program, ptx::SymbolId kernel,
                                                    const LaunchRequest& request, bool trace, Make make) {
    auto options = code_options(request, trace);
    const host_time::In compiling(host_time::Work::compiling);
    std::lock_guard lock(program.mutex);
    options.extent = Extent::converged;
    for (const auto& [of, code] : program.recent)
        if (of == kernel && code->options == options) return code;
    const auto shape = program.module.functions[kernel].name + "/" + shape_key(options);
    auto found = program.code.find(shape);
    if (found != program.code.end()) return note_recent(program, kernel, found->second);

    auto code = std::make_shared<KernelCode>();
    const auto began = std::chrono::steady_clock::now();
    auto function = host_code(program, kernel, options, shape + "/converged", *code, request.compiling, make);
    if (!function) return function.error();
    if (!*function) return std::shared_ptr<KernelCode>();
    code->function = *function;
    code->tids = positions_of(options.block);
    if (code->gives_up)
        code->make_whole = [this, &program, kernel, options, shape,
                            weak = std::weak_ptr(code)](KernelCode& of) mutable -> Result<KernelFunction> {
            const host_time::In compiling(host_time::Work::compiling);
            std::lock_guard lock(of.making_whole);
            if (!of.gives_up) return of.function.load();
            options.extent = Extent::whole;
            better_->change(of.better, std::numeric_limits<double>::infinity(), {});  // of code that is given up
            KernelCode same;  // the function excepted: sites, counters and frames do not depend on the extent
            const auto start = std::chrono::steady_clock::now();
            auto whole = host_code(program, kernel, options, shape + "/whole", same, {}, Make::always);
            if (!whole) return whole.error();
            of.function = *whole;
            of.quick = same.quick.load();
            of.gives_up = false;
            if (auto held = weak.lock(); held && of.quick)
                expect_better(program, kernel, options, shape + "/whole", held, seconds_since(start));
            return *whole;
        };
    if (code->quick) {
        std::lock_guard lock(code->making_whole);
        expect_better(program, kernel, options, shape + "/converged", code, seconds_since(began));
    }
    program.code[shape] = code;
    return note_recent(program, kernel, code);
}

/// How many instructions code has at least that begins as quick code. Code that traces runs a few blocks: making it
/// takes longer than running it.
std::size_t Engine::quick_from(const CodegenOptions& options) const {
    return options.trace && options_.quick_from != kNeverQuick ? 0 : options_.quick_from;
}

/// Takes the host code from the cache, or compiles it and stores it; fills in the rest of `code`. Null where it is to
/// be made only if it is in the cache, and is not.
Result<KernelFunction> Engine::host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                         const std::string& shape, KernelCode& code, const WorkLimit& limit,
                                         Make make_it) {
    const auto key = code_key(program, shape, *jit_);
    const std::string symbol = "ww_k" + key;
    auto make = [&](llvm::Module& m) {
        code.clear();  // it may be the second time
        return fill(m, program, kernel, options, code, symbol, limit);
    };
    DiskCache cache(build_id().empty() ? "" : options_.cache_directory, ".host-code");
    const auto quick_from = this->quick_from(options);
    for (const bool quick : {false, true}) {
        // What was to be quick may have become better code, where a frame would have been too large.
        if (quick ? quick_from == kNeverQuick : options_.quick_from == 0) continue;
        const auto hit = cache.get(key + (quick ? kQuick : ""));
        if (!hit) continue;
        code.clear();
        if (auto r = jit_->describe(make); !r) return r.error();
        code.quick = quick;
        // A cache entry that does not link is ignored.
        if (auto linked = jit_->link(*hit, symbol)) {
            tell_places(program, kernel, code, *hit, symbol, *linked);
            return reinterpret_cast<KernelFunction>(*linked);
        }
        cache.remove(key + (quick ? kQuick : ""));
    }
    if (make_it == Make::if_kept) return KernelFunction(nullptr);
    code.clear();
    auto made = jit_->object(make, quick_from, limit);
    if (!made) return located(*jit_, program, kernel, options, symbol, std::move(made).error());
    code.quick = made->quick;
    auto linked = jit_->link(made->bytes, symbol);
    if (!linked) return linked.error();
    tell_places(program, kernel, code, made->bytes, symbol, *linked);
    cache.put(key + (made->quick ? kQuick : ""), made->bytes);
    return reinterpret_cast<KernelFunction>(*linked);
}

Result<KernelFunction> Engine::better_host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                                const std::string& shape) {
    const auto key = code_key(program, shape, *jit_);
    const std::string symbol = "ww_k" + key;
    KernelCode same;
    auto made = jit_->object_in_background(
        [&](llvm::Module& m) { return fill(m, program, kernel, options, same, symbol, {}); });
    if (!made) return made.error();
    auto linked = jit_->link(made->bytes, symbol);
    if (!linked) return linked.error();
    tell_places(program, kernel, same, made->bytes, symbol, *linked);
    if (!build_id().empty()) DiskCache(options_.cache_directory, ".host-code").put(key, made->bytes);
    return reinterpret_cast<KernelFunction>(*linked);
}

/// Has better code take the place of the quick one that `code` has now, and that took so many seconds to make.
void Engine::expect_better(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                           const std::string& shape, const std::shared_ptr<KernelCode>& code, double took) {
    if (options_.better_after < 0) return;
    const double after = options_.better_after > 0 ? std::max(options_.better_after, kBetterCost * took) : 0;
    auto make = [this, weak = program.weak_from_this(), kernel, options, shape, of = std::weak_ptr(code)] {
        const auto held = weak.lock();
        const auto code = of.lock();
        if (!held || !code) return;
        const host_time::In compiling(host_time::Work::compiling);
        const auto better = better_host_code(*held, kernel, options, shape);
        std::lock_guard lock(code->making_whole);
        // Code that cannot be made leaves the quick one; whole code has taken the place of converged code for good.
        if (!better || (options.extent == Extent::converged && !code->gives_up && code->make_whole)) return;
        code->function = *better;
        code->quick = false;
    };
    if (!better_->change(code->better, after, make)) code->better = better_->add(after, std::move(make));
}

}  // namespace warpwright::engine
