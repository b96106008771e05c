// Lines come from the debugging information of the object that holds the address. Whether a result is used is found by
// disassembling from the return of the call until the result register is read or overwritten, within a fixed number of
// instructions. Functions that are called in between are looked into: on AArch64 their first argument is in the same
// register, and one of the same file may leave it as it is, which its compiler knows (GCC's -fipa-ra).
#include "debuginfo/host_code.hpp"

#include <dlfcn.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "host/self.hpp"

namespace warpwright::debuginfo {

std::vector<HostPlace> host_places(const void* address) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    static auto* symbolizer = [] {
        llvm::symbolize::LLVMSymbolizer::Options options;
        options.UseDIA = false;
        return new llvm::symbolize::LLVMSymbolizer(options);
    }();
    const host::LoadedFile file = host::file_with(address);
    if (file.path.empty()) return {};
    // The address of the call, not of the instruction after it.
    const auto offset = reinterpret_cast<std::uint64_t>(address) - 1 - file.base;
    auto frames = symbolizer->symbolizeInlinedCode(file.path, {offset, llvm::object::SectionedAddress::UndefSection});
    if (!frames) {
        llvm::consumeError(frames.takeError());
        return {};
    }
    std::vector<HostPlace> out;
    for (std::uint32_t k = 0; k < frames->getNumberOfFrames(); ++k) {
        const auto& f = frames->getFrame(k);
        HostPlace place;
        if (f.FunctionName != llvm::DILineInfo::BadString) place.function = f.FunctionName;
        if (f.FileName != llvm::DILineInfo::BadString)
            place.file = f.FileName, place.line = f.Line, place.column = f.Column;
        out.push_back(std::move(place));
    }
    return out;
}

namespace {

/// Follows machine code from the return of a call until the register of its result is read or overwritten.
class Reader {
public:
    static Reader* get() {
        static Reader* reader = [] {
            auto made = std::make_unique<Reader>();
            return made->start() ? made.release() : nullptr;
        }();
        return reader;
    }

    bool is_read(std::span<void* const> stack) {
        std::lock_guard lock(mutex_);
        stack_ = stack;
        seen_.clear();
        left_ = 400;
        return stack.empty() || follow(static_cast<const std::uint8_t*>(stack[0]), 0) == Fate::read;
    }

private:
    /// Depths in a function that is called behind the call. One that is beyond the linker's table may overwrite the
    /// register, so that nobody reads it afterwards.
    static constexpr std::size_t kCallee = ~std::size_t{0}, kBeyond = kCallee - 1;
    enum class Fate { read, dropped, left };  ///< left: a callee came to its end without either

    bool start() {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetDisassembler();
        const auto triple = llvm::sys::getProcessTriple();
        std::string error;
        const auto* target = llvm::TargetRegistry::lookupTarget(triple, error);
        if (!target) return false;
        registers_.reset(target->createMCRegInfo(triple));
        if (!registers_) return false;
        asm_info_.reset(target->createMCAsmInfo(*registers_, triple, llvm::MCTargetOptions()));
        instructions_.reset(target->createMCInstrInfo());
        // All of the processor's extensions: the program may use any.
        subtarget_.reset(target->createMCSubtargetInfo(triple, llvm::sys::getHostCPUName(), ""));
        if (!asm_info_ || !instructions_ || !subtarget_) return false;
        context_ = std::make_unique<llvm::MCContext>(llvm::Triple(triple), asm_info_.get(), registers_.get(),
                                                     subtarget_.get());
        disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
        analysis_.reset(target->createMCInstrAnalysis(instructions_.get()));
        x86_ = llvm::Triple(triple).getArch() == llvm::Triple::x86_64;
        const llvm::StringRef wanted = x86_ ? "RAX" : "X0", counter = "RIP";
        for (unsigned r = 1; r < registers_->getNumRegs(); ++r) {
            if (wanted == registers_->getName(r)) result_ = r;
            if (counter == registers_->getName(r)) counter_ = r;
        }
        return disassembler_ && analysis_ && result_;
    }

    bool is_result(const llvm::MCOperand& o) const {
        return o.isReg() && o.getReg() && registers_->regsOverlap(o.getReg(), result_);
    }

    /// True if the instruction reads and writes it, but the outcome does not depend on it: xor eax, eax.
    bool clears(const llvm::MCInst& i) const {
        const auto name = instructions_->getName(i.getOpcode());
        return (name.starts_with("XOR") || name.starts_with("SUB")) && i.getNumOperands() == 3 &&
               i.getOperand(1).isReg() && i.getOperand(2).isReg() &&
               i.getOperand(1).getReg() == i.getOperand(2).getReg();
    }

    /// The function that AArch64's entry of the linker's table leads to, by its last instruction: adrp x16, SLOT;
    /// ldr x17, [x16, SLOT]; add x16, x16, SLOT; br x17. Null: this is no such entry.
    const std::uint8_t* behind_table(const std::uint8_t* last) const {
        if (x86_) return nullptr;
        std::uint32_t w[3], jump;
        std::memcpy(&jump, last, sizeof jump);
        if (jump != 0xd61f0220u) return nullptr;
        std::memcpy(w, last - sizeof w, sizeof w);
        if ((w[0] & 0x9f00001fu) != 0x90000010u || (w[1] & 0xffc003ffu) != 0xf9400211u) return nullptr;
        const auto pages = static_cast<std::int32_t>(((w[0] >> 5 & 0x7ffffu) << 2 | (w[0] >> 29 & 3u)) << 11) >> 11;
        const auto page = (reinterpret_cast<std::uint64_t>(last - sizeof w) & ~std::uint64_t{0xfff}) +
                          static_cast<std::uint64_t>(std::int64_t{pages} * 4096);
        return static_cast<const std::uint8_t*>(
            host::function_of_slot(reinterpret_cast<const void*>(page + (w[1] >> 10 & 0xfffu) * 8)));
    }

    /// Whether the instruction looks at the register. How compilers align the stack does not.
    bool reads(const llvm::MCInst& i, const llvm::MCInstrDesc& d) const {
        if ((x86_ && instructions_->getName(i.getOpcode()).starts_with("PUSH")) || clears(i)) return false;
        for (unsigned k = d.getNumDefs(); k < i.getNumOperands(); ++k)
            if (is_result(i.getOperand(k))) return true;
        const auto uses = d.implicit_uses();
        return std::any_of(uses.begin(), uses.end(), [&](auto r) { return registers_->regsOverlap(r, result_); });
    }

    bool overwrites(const llvm::MCInst& i, const llvm::MCInstrDesc& d) const {
        for (unsigned k = 0; k < d.getNumDefs() && k < i.getNumOperands(); ++k)
            if (is_result(i.getOperand(k))) return true;
        const auto defs = d.implicit_defs();
        return std::any_of(defs.begin(), defs.end(), [&](auto r) { return registers_->regsOverlap(r, result_); });
    }

    /// Whether a jump goes through x86's table of the linker: the last call of a function.
    bool goes_by_counter(const llvm::MCInst& i) const {
        for (unsigned k = 0; k < i.getNumOperands() && counter_; ++k)
            if (i.getOperand(k).isReg() && i.getOperand(k).getReg() == counter_) return true;
        return false;
    }

    Fate follow(const std::uint8_t* at, std::size_t depth) {
        bool left = false;  // on a way that was taken before
        const auto dropped = [&] { return left ? Fate::left : Fate::dropped; };
        while (left_-- > 0) {
            if (!seen_.insert({at, depth}).second) return dropped();  // a loop that has not read it so far
            llvm::MCInst i;
            std::uint64_t size = 0, target = 0;
            const auto address = reinterpret_cast<std::uint64_t>(at);
            if (disassembler_->getInstruction(i, size, llvm::ArrayRef<std::uint8_t>(at, 16), address, llvm::nulls()) !=
                llvm::MCDisassembler::Success)
                return Fate::read;
            const auto& d = instructions_->get(i.getOpcode());
            if (reads(i, d)) return Fate::read;
            if (d.isReturn()) {
                if (depth == kCallee) return Fate::left;
                if (depth == kBeyond) return Fate::dropped;
                if (depth + 1 >= stack_.size()) return Fate::read;
                at = static_cast<const std::uint8_t*>(stack_[++depth]);
                continue;
            }
            const bool known = analysis_->evaluateBranch(i, address, size, target);
            const auto* to = reinterpret_cast<const std::uint8_t*>(target);
            if (d.isCall()) {
                // One that is not known may overwrite it; on x86 no argument is passed there, elsewhere the first one.
                const auto fate = known ? follow(to, kCallee) : x86_ ? Fate::dropped : Fate::read;
                if (fate != Fate::left) return fate == Fate::read ? fate : dropped();
            } else if (d.isConditionalBranch()) {
                const auto fate = known ? follow(to, depth) : Fate::read;
                if (fate == Fate::read) return fate;
                left = left || fate == Fate::left;
            } else if (d.isBranch() && known) {
                at = to;
                continue;
            } else if (d.isBranch()) {
                if (goes_by_counter(i)) return dropped();
                at = behind_table(at);
                depth = kBeyond;
                if (!at) return Fate::read;
                continue;
            } else if (overwrites(i, d) || d.isTrap()) {
                return dropped();
            }
            at += size;
        }
        return Fate::read;
    }

    std::mutex mutex_;
    std::unique_ptr<llvm::MCRegisterInfo> registers_;
    std::unique_ptr<llvm::MCAsmInfo> asm_info_;
    std::unique_ptr<llvm::MCInstrInfo> instructions_;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
    std::unique_ptr<llvm::MCContext> context_;
    std::unique_ptr<llvm::MCDisassembler> disassembler_;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
    bool x86_ = false;
    unsigned result_ = 0, counter_ = 0;
    std::span<void* const> stack_;
    std::set<std::pair<const std::uint8_t*, std::size_t>> seen_;
    int left_ = 0;
};

}  // namespace

bool result_is_read(std::span<void* const> stack) {
    auto* reader = Reader::get();
    return !reader || reader->is_read(stack);
}

}  // namespace warpwright::debuginfo
