// The list of passes is short, and settings of LLVM bound what takes long on such code, because compiling is a part of
// each first launch. Launches and background work have machines of their own, so that neither waits for the other.
#include "engine/codegen/jit.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>

#include "engine/codegen/arith/arith.hpp"
#include "engine/codegen/outline/outline.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/host_stack.hpp"
#include "engine/shared/runtime_functions.hpp"
#include "support/cause.hpp"
#include "support/settings.hpp"

namespace warpwright::engine {

/// What makes code. It serves one compilation at a time.
struct Jit::Machine {
    std::unique_ptr<llvm::TargetMachine> best, quick;  ///< null until code of that kind is made
    std::mutex mutex;
};

struct Jit::State {
    std::function<std::unique_ptr<llvm::TargetMachine>(llvm::CodeGenOptLevel)> make;
    llvm::Triple triple;
    llvm::DataLayout layout{""};
    Machine machine, background;
    std::unique_ptr<llvm::orc::LLJIT> lljit;
    std::string fingerprint;
    bool avx512 = false;
    unsigned libraries = 0;
    std::mutex linking;
};

Jit::Jit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Jit::~Jit() = default;
const std::string& Jit::fingerprint() const { return state_->fingerprint; }
bool Jit::avx512() const { return state_->avx512; }

namespace {

Error internal(const std::string& what, llvm::Error e) {
    return {ErrorKind::internal, what + ": " + llvm::toString(std::move(e)), {}, ""};
}

std::vector<RuntimeSymbol> all_symbols() {
    const auto listed = runtime_symbols();
    std::vector<RuntimeSymbol> all(listed.begin(), listed.end());
    auto add = [&](const char* name, auto* f) { all.push_back({name, reinterpret_cast<void*>(f)}); };
    // Functions that LLVM itself may call.
    add("memset", static_cast<void* (*)(void*, int, std::size_t)>(std::memset));
    add("memcpy", static_cast<void* (*)(void*, const void*, std::size_t)>(std::memcpy));
    add("memmove", static_cast<void* (*)(void*, const void*, std::size_t)>(std::memmove));
    add("fmaf", static_cast<float (*)(float, float, float)>(std::fma));
    add("fma", static_cast<double (*)(double, double, double)>(std::fma));
    add("floorf", static_cast<float (*)(float)>(std::floor));
    add("floor", static_cast<double (*)(double)>(std::floor));
    add("ceilf", static_cast<float (*)(float)>(std::ceil));
    add("ceil", static_cast<double (*)(double)>(std::ceil));
    add("truncf", static_cast<float (*)(float)>(std::trunc));
    add("trunc", static_cast<double (*)(double)>(std::trunc));
    add("rintf", static_cast<float (*)(float)>(std::rint));
    add("rint", static_cast<double (*)(double)>(std::rint));
    add("nearbyintf", static_cast<float (*)(float)>(std::nearbyint));
    add("nearbyint", static_cast<double (*)(double)>(std::nearbyint));
    add("roundeven", roundeven);
    add("roundevenf", roundevenf);
    add("ldexp", static_cast<double (*)(double, int)>(std::ldexp));
#if defined(__x86_64__)
    add("__extendhfsf2", half_to_float);
    add("__truncsfhf2", float_to_half);
#endif
    return all;
}

/// Settings of LLVM for the whole process, once.
void set_llvm_options() {
    static const bool once = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        // Every memory access ends a basic block (its bounds check). If LLVM sank a multiply-add past all of them to
        // the last use of a chain, all its operands would stay alive at once: so sinking is off.
        auto& options = llvm::cl::getRegisteredOptions();
        // The machine combiner mainly reassociates additions, which takes a tenth of the compile time. Moving scalars
        // to mask registers took minutes for kernels with many masks.
        for (auto [name, value] :
             {std::pair{"instcombine-code-sinking", false}, std::pair{"disable-machine-sink", true},
              std::pair{"x86-machine-combiner", false}, std::pair{"disable-x86-domain-reassignment", true}})
            if (auto at = options.find(name); at != options.end())
                static_cast<llvm::cl::opt<bool>*>(at->second)->setValue(value);
        // A value that masked blocks change has a copy at the end of each; joining the copies one after another visits
        // its whole live range every time. LLVM gives up on such ranges after a number of copies: this lowers the
        // number. The scheduler compares the accesses of a block pair by pair; from this many accesses on, it does so
        // in groups of ten.
        for (auto [name, value] :
             {std::pair{"large-interval-size-threshold", 30u}, std::pair{"large-interval-freq-threshold", 8u},
              std::pair{"dag-maps-huge-region", 60u}, std::pair{"dag-maps-reduction-size", 30u}})
            if (auto at = options.find(name); at != options.end())
                static_cast<llvm::cl::opt<unsigned>*>(at->second)->setValue(value);
        return true;
    }();
    (void)once;
}

/// A processor to compile for, by LLVM's name, and the features that are named beside it.
struct Processor {
    std::string name, features;
};

Result<Processor> choose_processor(const std::string& wanted) {
    std::string cpu = wanted.empty() ? "native" : wanted, features;
    const auto host = llvm::sys::getHostCPUFeatures();
    auto host_has = [&](const char* f) {
        auto at = host.find(f);
        return at != host.end() && at->second;
    };
    const std::string host_cpu = llvm::sys::getHostCPUName().str();
    if (cpu == "native") {
        cpu = host_cpu;
        for (const auto& f : host)
            features += (features.empty() ? "" : ",") + std::string(f.second ? "+" : "-") + f.first().str();
    } else if (cpu == "avx2" || cpu == "x86-64-v3") {
        cpu = "x86-64-v3";
        if (!host_has("avx2")) return Error{ErrorKind::usage, "this CPU has no AVX2", {}, "leave --cpu out"};
    } else if (cpu == "avx512" || cpu == "x86-64-v4") {
        cpu = "x86-64-v4";
        features = "-prefer-256-bit";
        if (!host_has("avx512f")) return Error{ErrorKind::usage, "this CPU has no AVX-512", {}, "leave --cpu out"};
    }
    return Processor{cpu, features};
}

}  // namespace

namespace {

/// LLVM's linker alone: what it would compile itself is none of ours, so that it needs no machine for that.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> linker_for(const llvm::Triple& triple,
                                                             const llvm::DataLayout& layout) {
    using Compiler = std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>;
    return llvm::orc::LLJITBuilder()
        .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(triple))
        .setDataLayout(layout)
        .setCompileFunctionCreator([](llvm::orc::JITTargetMachineBuilder machine) -> llvm::Expected<Compiler> {
            return std::make_unique<llvm::orc::ConcurrentIRCompiler>(
                std::move(machine));  // makes none until it is used
        })
        .create();
}

}  // namespace

Result<std::unique_ptr<Jit>> Jit::create(const std::string& wanted) {
    set_llvm_options();
    auto state = std::make_unique<State>();
    const auto triple = llvm::sys::getProcessTriple();
    std::string problem;
    const auto* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target)
        return Error{ErrorKind::no_device, "LLVM has no code generator for " + triple + ": " + problem, {}, ""};
    auto processor = choose_processor(wanted);
    if (!processor) return std::move(processor).error();
    auto& [cpu, features] = *processor;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // only what the code itself asks to fuse
    if (llvm::StringRef(triple).starts_with("x86_64") && (features.find("+avx512f") != std::string::npos))
        features += ",-prefer-256-bit";
    // These are properties of a subtarget without a CPU name: a subtarget of an unknown CPU prints to standard error.
    std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
    if (!info || !info->isCPUStringValid(cpu))
        return Error{ErrorKind::usage,
                     "unknown CPU '" + wanted + "'",
                     {},
                     "native, x86-64, x86-64-v2, avx2, avx512 or an LLVM CPU name"};
    // A program whose code is all on disk needs one of four.
    // Fast selection knows calls and constants of the small code model alone; the linker brings what is far nearer.
    state->make = [target, triple, cpu = cpu, features = features, options](llvm::CodeGenOptLevel level) {
        std::optional<llvm::CodeModel::Model> model;
        if (level == llvm::CodeGenOptLevel::None && llvm::Triple(triple).isX86()) model = llvm::CodeModel::Small;
        return std::unique_ptr<llvm::TargetMachine>(
            target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, model, level, true));
    };
    state->machine.best = state->make(llvm::CodeGenOptLevel::Default);
    const auto& best = *state->machine.best;
    state->triple = best.getTargetTriple();
    state->layout = best.createDataLayout();
    // Every launch asks, and LLVM takes microseconds for the answer.
    state->avx512 = best.getTargetTriple().isX86() && best.getMCSubtargetInfo()->checkFeatures("+avx512f");
    state->fingerprint = std::string("llvm-") + LLVM_VERSION_STRING + "/" + triple + "/" + cpu + "/" + features;
    auto made = linker_for(state->triple, state->layout);
    if (!made) return internal("cannot start LLVM's linker", made.takeError());
    state->lljit = std::move(*made);
    llvm::orc::SymbolMap map;
    for (const auto& s : all_symbols())
        map[state->lljit->mangleAndIntern(s.name)] = {llvm::orc::ExecutorAddr::fromPtr(s.address),
                                                      llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    if (auto e = state->lljit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(map))))
        return internal("cannot define the runtime's symbols", std::move(e));
    return std::unique_ptr<Jit>(new Jit(std::move(state)));
}

namespace {

/// Instruction selection computes the known bits of every integer operation, six operations deep and through both
/// operands of each. On long chains of integer arithmetic that is a third of its time, and hardly ever helps with
/// vectors of arbitrary numbers. A fence on every fourth link of a chain, which costs no instruction, limits the depth.
/// (LLVM has the fence for floats only; the bits do not matter.)
void shorten_chains(llvm::Function& function) {
    constexpr unsigned kLinks = 4;
    llvm::DenseMap<llvm::Value*, unsigned> depth;
    for (auto& block : function) {
        depth.clear();
        for (auto at = block.begin(); at != block.end();) {
            auto& i = *at++;
            auto type = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
            if (!type || !llvm::isa<llvm::BinaryOperator>(i)) continue;
            const bool words = type->getElementType()->isIntegerTy(32), longs = type->getElementType()->isIntegerTy(64);
            if (!words && !longs) continue;
            unsigned d = 1;
            for (auto& o : i.operands())
                if (auto found = depth.find(o.get()); found != depth.end()) d = std::max(d, found->second + 1);
            if (d < kLinks) {
                depth[&i] = d;
                continue;
            }
            llvm::IRBuilder<> b(&block, at);
            auto real = llvm::FixedVectorType::get(words ? b.getFloatTy() : b.getDoubleTy(), type->getNumElements());
            auto cast = b.CreateBitCast(&i, real);
            auto fenced = b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {real}, {cast}), type);
            i.replaceUsesWithIf(fenced, [&](llvm::Use& u) { return u.getUser() != cast; });
        }
    }
}

/// The verifier's findings as one line: the first of them, cut, and the line of PTX that its text is marked with.
Error unsound(const std::string& findings) {
    Location where;
    if (const auto mark = findings.find(kLineMark); mark != std::string::npos)
        where.line = static_cast<std::uint32_t>(std::strtoul(findings.c_str() + mark + kLineMark.size(), nullptr, 10));
    return Error{ErrorKind::internal,
                 "the code made of this kernel is not sound (" +
                     findings.substr(0, std::min<std::size_t>(findings.find('\n'), 120)) + ")",
                 where, "please report this, with the PTX"};
}

Error out_of_time() {
    return Error{ErrorKind::fault, "the code was not made in time", {}, "a longer --timeout", Cause::time_limit};
}

/// The instructions that code which is quick to make does without.
std::uint64_t versions_size(const llvm::Module& module) {
    const auto* size = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(kVersionsSize));
    return size ? size->getZExtValue() : 0;
}

/// Takes one way of each branch between versions; optimise() removes what no branch leads to.
void choose_versions(llvm::Module& module, bool quick) {
    const auto mark = module.getContext().getMDKindID(kVersionsMark);
    for (auto& function : module)
        for (auto& block : function) {
            auto* const end = llvm::dyn_cast_or_null<llvm::BranchInst>(block.getTerminator());
            if (!end || !end->isConditional() || !end->hasMetadata(mark)) continue;
            end->setCondition(llvm::ConstantInt::getBool(module.getContext(), !quick));
            llvm::ConstantFoldTerminator(&block);
        }
}

/// False where its time was over first: the module is then of no use.
bool optimise(llvm::Module& module, llvm::TargetMachine& machine, bool quick, const WorkLimit& limit) {
    bool over = false;
    llvm::PassInstrumentationCallbacks before_each;
    before_each.registerShouldRunOptionalPassCallback([&](llvm::StringRef, const llvm::Any&) {
        over = over || limit.over();
        return !over;
    });
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &before_each);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    // A short list on purpose: the code is already vectorised, and compile time is part of every first launch.
    llvm::FunctionPassManager f;
    // Masked copies behind stubs are empty.
    for (auto& function : module)
        if (!function.isDeclaration()) llvm::EliminateUnreachableBlocks(function);
    f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    f.addPass(llvm::EarlyCSEPass(!quick));
    f.addPass(llvm::SimplifyCFGPass());
    if (!quick) {
        f.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
        f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
        f.addPass(llvm::EarlyCSEPass(true));
    }
    f.addPass(llvm::DCEPass());
    f.addPass(llvm::SimplifyCFGPass());
    for (auto& function : module)
        if (!function.isDeclaration()) {
            f.run(function, functions);
            if (over) return false;
            if (!quick) shorten_chains(function);
        }
    return !limit.over();
}

/// Fast selection knows no other convention than C's. (What a rare call keeps is in memory there between blocks.)
void use_plain_calls(llvm::Module& module) {
    for (auto& function : module) {
        if (function.getCallingConv() != llvm::CallingConv::PreserveAll) continue;
        function.setCallingConv(llvm::CallingConv::C);
        for (auto* user : function.users())
            if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->setCallingConv(llvm::CallingConv::C);
    }
}

/// Fast selection knows no atomic loads. A relaxed one that is volatile is the same instruction without being called
/// so.
void use_plain_loads(llvm::Module& module) {
    for (auto& function : module)
        for (auto& block : function)
            for (auto& i : block)
                if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
                    load && load->isVolatile() && load->getOrdering() == llvm::AtomicOrdering::Monotonic)
                    load->setAtomic(llvm::AtomicOrdering::NotAtomic);
}

/// Code without branches of thousands of instructions, such as an unrolled computation, is one block, and LLVM follows
/// chains of values through the whole rest of a block from each link of them (where an instruction overwrites an
/// operand) and compares what it schedules pair by pair. So long blocks are cut where the passes on the IR are done: by
/// a branch on an argument that is never null, which only LLVM does not know.
void cut_long_blocks(llvm::Function& function) {
    constexpr std::size_t kMostInstructions = 400;
    if (function.arg_empty() || !function.getArg(0)->getType()->isPointerTy() ||
        !function.getReturnType()->isIntegerTy(32))
        return;
    llvm::BasicBlock* never = nullptr;
    for (auto at = function.begin(); at != function.end(); ++at) {
        if (&*at == never || at->size() <= kMostInstructions) continue;
        auto cut = std::next(at->begin(), kMostInstructions);
        if (llvm::isa<llvm::PHINode>(*cut) || cut->isTerminator()) continue;
        if (!never) {
            never = llvm::BasicBlock::Create(function.getContext(), "never", &function);
            llvm::ReturnInst::Create(function.getContext(),
                                     llvm::ConstantInt::get(function.getReturnType(), unsigned(Status::error)), never);
        }
        // What follows is looked at next.
        auto* const rest = at->splitBasicBlock(cut, "rest");
        auto* const end = at->getTerminator();
        llvm::IRBuilder<> b(end);
        b.CreateCondBr(b.CreateIsNotNull(function.getArg(0)), rest, never,
                       llvm::MDBuilder(function.getContext()).createBranchWeights(1 << 20, 1));
        end->eraseFromParent();
    }
}

/// The largest frame above its function's limit that LLVM has told of.
struct FrameSize {
    std::uint64_t bytes = 0;
};

/// LLVM tells of each function whose frame is larger.
void bound_frames(llvm::Module& module, bool quick) {
    for (auto& function : module)
        if (!function.isDeclaration())
            function.addFnAttr(
                "warn-stack-size",
                std::to_string(quick && function.hasFnAttribute(kKernelMark) ? kMostQuickFrame : kMostHostFrame));
}

void note_frame(const llvm::DiagnosticInfo* told, void* to) {
    auto& largest = *static_cast<FrameSize*>(to);
    if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(told))
        largest.bytes = std::max<std::uint64_t>(largest.bytes, frame->getStackSize());
}

/// Jit::object()'s `quick_from` where no code is to be quick to make.
constexpr std::size_t kNeverQuick = ~std::size_t{0};

Error too_large(const FrameSize& frame) {
    return Error{ErrorKind::limit,
                 "the code made of this kernel keeps " + std::to_string(frame.bytes >> 10) +
                     " KiB at a time in one of its functions, the most is " + std::to_string(kMostHostFrame >> 10),
                 {},
                 "write smaller functions, with fewer values in use at once",
                 Cause::stack_overflow};
}

}  // namespace

Result<void> Jit::describe(const Fill& fill) {
    llvm::LLVMContext context;
    llvm::Module module("kernel", context);
    module.setDataLayout(state_->layout);
    return fill(module);
}

Result<ObjectCode> Jit::object(const Fill& fill, std::size_t quick_from, const WorkLimit& limit) {
    auto made = object_on(state_->machine, fill, quick_from, limit);
    // Code that was quick to make keeps each value at a place of its own; functions that kernels call have less room.
    const bool too_large = !made && made.error().cause == Cause::stack_overflow;
    return too_large && quick_from != kNeverQuick ? object_on(state_->machine, fill, kNeverQuick, limit)
                                                  : std::move(made);
}

Result<ObjectCode> Jit::object_in_background(const Fill& fill) {
    return object_on(state_->background, fill, kNeverQuick, {});
}

Result<ObjectCode> Jit::object_on(Machine& machine, const Fill& fill, std::size_t quick_from, const WorkLimit& limit) {
    std::lock_guard lock(machine.mutex);
    llvm::LLVMContext context;
    llvm::Module module("kernel", context);
    module.setDataLayout(state_->layout);
    module.setTargetTriple(state_->triple.str());
    if (auto r = fill(module); !r) return r.error();
    const bool dump = settings::flag(Setting::dump_llvm, false);
    if (dump) llvm::errs() << "; before it is optimised\n" << module;
    std::string broken;
    llvm::raw_string_ostream out(broken);
    if (llvm::verifyModule(module, &out)) return unsound(broken);
    ObjectCode made;
    made.quick = module.getInstructionCount() - versions_size(module) >= quick_from;
    choose_versions(module, made.quick);
    const bool outlined = made.quick && state_->triple.isX86();
    if (outlined) use_plain_calls(module);
    bound_frames(module, made.quick);
    auto& of_kind = made.quick ? machine.quick : machine.best;
    if (!of_kind) of_kind = state_->make(made.quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
    auto& target = *of_kind;
    // LLVM ends functions that use vectors with vzeroupper, even those that promise to keep every register.
    if (target.getTargetTriple().isX86())
        for (auto& function : module)
            if (function.getCallingConv() == llvm::CallingConv::PreserveAll)
                function.addFnAttr("target-features", (target.getTargetFeatureString() + ",-vzeroupper").str());
    if (!optimise(module, target, made.quick, limit)) return out_of_time();
    if (outlined) {
        use_plain_loads(module);
        codegen::outline_vectors(module);
    }
    for (auto& function : module)
        if (!made.quick && !function.isDeclaration()) cut_long_blocks(function);
    if (dump) llvm::errs() << "; optimised\n" << module;
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager emit;
    if (target.addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
        return Error{ErrorKind::internal, "LLVM cannot write object code for this machine", {}, ""};
    FrameSize largest;
    context.setDiagnosticHandlerCallBack(note_frame, &largest);
    emit.run(module);
    if (largest.bytes) return too_large(largest);
    made.bytes.assign(bytes.begin(), bytes.end());
    return made;
}

Result<void*> Jit::link(const std::string& object, const std::string& symbol) {
    std::lock_guard lock(state_->linking);
    auto& library =
        state_->lljit->getExecutionSession().createBareJITDylib("kernel" + std::to_string(state_->libraries++));
    library.addToLinkOrder(state_->lljit->getMainJITDylib());
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, symbol);
    if (auto e = state_->lljit->addObjectFile(library, std::move(buffer)))
        return internal("cannot link compiled code", std::move(e));
    auto found = state_->lljit->lookup(library, symbol);
    if (!found) return internal("cannot link compiled code", found.takeError());
    return found->toPtr<void*>();
}

}  // namespace warpwright::engine
