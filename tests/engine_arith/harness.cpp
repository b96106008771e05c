#include "harness.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "engine/codegen/arith/arith.hpp"
#include "engine/shared/runtime_functions.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::test {

namespace {

using ptx::Operand;

Operand operand_from(const std::string& text) {
    Operand operand;
    if (const auto bar = text.find('|'); bar != std::string::npos) {
        operand.kind = Operand::Kind::pair;
        operand.elements = {operand_from(text.substr(0, bar)), operand_from(text.substr(bar + 1))};
    } else if (std::isdigit(static_cast<unsigned char>(text[0]))) {
        operand.kind = Operand::Kind::integer;
        operand.value = std::stoull(text, nullptr, 0);
    } else {
        operand.kind = Operand::Kind::reg;
        operand.reg = 1;
        operand.minus = text[0] == '-';
        if (const auto dot = text.find('.'); dot != std::string::npos) operand.text = text.substr(dot + 1);
    }
    return operand;
}

std::string random_name() {
    static std::atomic<unsigned> count{0};
    return "instruction" + std::to_string(count++);
}

void fail(llvm::Error error) {
    if (error) throw std::runtime_error(llvm::toString(std::move(error)));
}
template <class T>
T take(llvm::Expected<T> value) {
    if (!value) fail(value.takeError());
    return std::move(*value);
}

struct Host {
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<llvm::orc::LLJIT> jit;
};

Host& host(const std::string& cpu) {
    static std::map<std::string, Host> hosts;
    Host& entry = hosts[cpu];
    if (entry.jit) return entry;
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto builder = take(llvm::orc::JITTargetMachineBuilder::detectHost());
    if (cpu != "native") {
        builder.setCPU(cpu);
        builder.getFeatures() = llvm::SubtargetFeatures();
    }
    entry.machine = take(builder.createTargetMachine());
    entry.jit = take(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
    auto& dylib = entry.jit->getMainJITDylib();
    llvm::orc::SymbolMap symbols;
    auto define = [&](const char* name, void* address) {
        symbols[entry.jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                                     llvm::JITSymbolFlags::Exported};
    };
    for (const auto& symbol : engine::runtime_symbols()) define(symbol.name, symbol.address);
#if defined(__x86_64__)
    define("__extendhfsf2", reinterpret_cast<void*>(engine::half_to_float));
    define("__truncsfhf2", reinterpret_cast<void*>(engine::float_to_half));
#endif
    fail(dylib.define(llvm::orc::absoluteSymbols(std::move(symbols))));
    dylib.addGenerator(take(
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(entry.jit->getDataLayout().getGlobalPrefix())));
    return entry;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder passes(&machine);
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(calls);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, calls, modules);
    passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

unsigned memory_bits(unsigned bits) { return bits < 8 ? 8 : bits; }

// The body of `void f(const void* const* in, void* const* out)`: each array holds one element a lane. Returns the
// error's text.
std::string build(llvm::Module& module, const std::string& name, const simt::Details& inst, unsigned lanes,
                  std::vector<unsigned>& input_bits, std::vector<unsigned>& output_bits) {
    auto& context = module.getContext();
    llvm::IRBuilder<> b(context);
    auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    auto shaped = [&](llvm::Type* scalar) {
        return lanes ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(scalar, lanes)) : scalar;
    };
    auto slot = [&](llvm::Value* base, unsigned i) {
        return b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), base, i));
    };
    llvm::SmallVector<llvm::Value*, 4> operands;
    for (unsigned i = 0; i < engine::source_count(inst); ++i) {
        llvm::Type* scalar = engine::operand_type(inst, i, context);
        const bool written = i + 1 < inst.operands.size();
        if (written && inst.operands[i + 1].kind == simt::Written::Kind::integer) {
            operands.push_back(llvm::ConstantInt::get(shaped(scalar), inst.operands[i + 1].value));
            continue;
        }
        const unsigned bits = scalar->getScalarSizeInBits();
        llvm::Value* from = slot(function->getArg(0), static_cast<unsigned>(input_bits.size()));
        input_bits.push_back(bits);
        if (bits == 1) {
            llvm::Value* bytes = b.CreateAlignedLoad(shaped(b.getInt8Ty()), from, llvm::Align(1));
            operands.push_back(b.CreateTrunc(bytes, shaped(scalar)));
        } else {
            operands.push_back(b.CreateAlignedLoad(shaped(scalar), from, llvm::Align(1)));
        }
    }
    engine::ArithContext arith{b, lanes, function};
    auto results = engine::emit_arith(arith, inst, operands);
    if (!results) return results.error().text();
    if (results->size() != engine::result_count(inst)) return "wrong number of results";
    for (unsigned i = 0; i < results->size(); ++i) {
        llvm::Value* result = (*results)[i];
        llvm::Type* scalar = engine::result_type(inst, i, context);
        if (result->getType() != shaped(scalar)) return "wrong result type";
        if (i == 0 && engine::result_needs_canonical_nan(inst))
            result = engine::canonical_nan(arith, result, ptx::Type::f32);
        const unsigned bits = scalar->getScalarSizeInBits();
        output_bits.push_back(bits);
        if (bits == 1) result = b.CreateZExt(result, shaped(b.getInt8Ty()));
        b.CreateAlignedStore(result, slot(function->getArg(1), i), llvm::Align(1));
    }
    b.CreateRetVoid();
    std::string text;
    llvm::raw_string_ostream stream(text);
    return llvm::verifyModule(module, &stream) ? stream.str() : std::string();
}

}  // namespace

simt::Details instruction(const std::string& spelling, const std::string& operands) {
    auto inst = ptx::spelled(spelling);
    if (!inst) throw std::runtime_error("no instruction " + spelling);
    std::istringstream list(operands);
    for (std::string word; list >> word;) inst->operands.push_back(operand_from(word));
    return simt::decode(*inst);
}

const std::vector<std::string>& cpus() {
    static const std::vector<std::string> names = {
        "native",
#if defined(__x86_64__)
        "x86-64-v3",
        "x86-64",
#endif
    };
    return names;
}

Kernel::Kernel(const simt::Details& inst, unsigned lanes, const std::string& cpu) : lanes_(lanes) {
    Host& on = host(cpu);
    auto context = std::make_unique<llvm::LLVMContext>();
    const std::string name = random_name();
    auto module = std::make_unique<llvm::Module>(name, *context);
    module->setDataLayout(on.jit->getDataLayout());
    module->setTargetTriple(on.machine->getTargetTriple().str());
    const std::string error = build(*module, name, inst, lanes, input_bits_, output_bits_);
    if (!error.empty()) throw std::runtime_error(error);
    optimise(*module, *on.machine);
    fail(on.jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    entry_ = take(on.jit->lookup(name)).toPtr<Entry>();
}

std::vector<Row> Kernel::run(const std::vector<Row>& rows) const {
    const std::size_t step = lanes_ ? lanes_ : 1;
    std::vector<std::vector<std::uint8_t>> in(input_bits_.size()), out(output_bits_.size());
    std::vector<const void*> in_pointers;
    std::vector<void*> out_pointers;
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i].resize(step * 8);
        in_pointers.push_back(in[i].data());
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].resize(step * 8);
        out_pointers.push_back(out[i].data());
    }
    std::vector<Row> results(rows.size());
    for (std::size_t first = 0; first < rows.size(); first += step) {
        const std::size_t count = std::min(step, rows.size() - first);
        for (std::size_t lane = 0; lane < step; ++lane)
            for (std::size_t i = 0; i < in.size(); ++i) {
                const Bits value = rows[first + lane % count][i];
                const unsigned bytes = memory_bits(input_bits_[i]) / 8;
                std::memcpy(in[i].data() + lane * bytes, &value, bytes);
            }
        entry_(in_pointers.data(), out_pointers.data());
        for (std::size_t lane = 0; lane < count; ++lane)
            for (std::size_t i = 0; i < out.size(); ++i) {
                Bits value = 0;
                const unsigned bytes = memory_bits(output_bits_[i]) / 8;
                std::memcpy(&value, out[i].data() + lane * bytes, bytes);
                results[first + lane].push_back(value);
            }
    }
    return results;
}

std::string why_unsupported(const simt::Details& inst) {
    llvm::LLVMContext context;
    llvm::Module module("probe", context);
    std::vector<unsigned> in, out;
    if (!engine::is_arith(inst)) return "not a data instruction";
    return build(module, "probe", inst, 32, in, out);
}

}  // namespace warpwright::test
