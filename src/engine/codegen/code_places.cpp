// The column of a debug location is the work; line 1 stands for no instruction, because a line of PTX with an
// instruction comes later. LLVM gives line 0 to what it has merged: that belongs to what stands before it.
#include "engine/codegen/code_places.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>

#include "engine/codegen/linked_places.hpp"

namespace warpwright::engine::codegen {

using host_time::Work;

namespace {

constexpr unsigned kNoLine = 1;

void place(FunctionState& fn, unsigned line, Work work) {
    auto* const scope = fn.function->getSubprogram();
    if (!scope) return;
    const unsigned column = 1 + static_cast<unsigned>(work);
    fn.b.SetCurrentDebugLocation(llvm::DILocation::get(fn.context, std::max(line, kNoLine), column, scope));
}

Work work_of(const simt::Inst& i) {
    using simt::InstKind;
    switch (i.kind) {
        case InstKind::load:
        case InstKind::store:
        case InstKind::copy_async:
            return i.space == simt::Space::shared ? Work::shared : Work::memory;
        case InstKind::atomic:
            return Work::atomics;
        case InstKind::barrier:
        case InstKind::warp_barrier:
        case InstKind::shuffle:
        case InstKind::vote:
        case InstKind::match:
        case InstKind::reduce:
        case InstKind::async_wait:
        case InstKind::elect:
        case InstKind::active_mask:
            return Work::barriers;
        case InstKind::matrix:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
        case InstKind::matrix_move:
        case InstKind::matrix_async:
            return Work::matrix;
        case InstKind::async_op:
        case InstKind::system_call:
        case InstKind::copy_group:
            return Work::units;
        case InstKind::call:
            return Work::branches;
        default:
            return Work::arithmetic;
    }
}

}  // namespace

void begin_places(FunctionState& fn) {
    if (!fn.options.places) return;
    if (!fn.module.getModuleFlag("Debug Info Version")) {
        fn.module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
        fn.module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    }
    llvm::DIBuilder made(fn.module);
    auto* const file = made.createFile("kernel.ptx", "/");
    made.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "warpwright", true, "", 0, "",
                           llvm::DICompileUnit::LineTablesOnly);
    auto* const type = made.createSubroutineType(made.getOrCreateTypeArray({}));
    const auto name = fn.function->getName();
    fn.function->setSubprogram(made.createFunction(file, name, name, file, kNoLine, type, kNoLine,
                                                   llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
    made.finalize();
    place_between(fn, Work::blocks);
}

void place_instruction(FunctionState& fn, const simt::Inst& i) {
    if (fn.options.places) place(fn, i.ptx ? i.ptx->line : kNoLine, work_of(i));
}

void place_end(FunctionState& fn, const simt::Terminator& end) {
    if (fn.options.places) place(fn, end.ptx ? end.ptx->line : kNoLine, Work::branches);
}

void place_between(FunctionState& fn, Work work) {
    if (fn.options.places) place(fn, kNoLine, work);
}

PlacedAs::PlacedAs(FunctionState& fn, Work work) : fn_(fn) {
    if (!fn.options.places) return;
    before_ = fn.b.getCurrentDebugLocation();
    place(fn, before_ ? before_.getLine() : kNoLine, work);
}

PlacedAs::~PlacedAs() {
    if (fn_.options.places) fn_.b.SetCurrentDebugLocation(before_);
}

std::vector<host_time::CodePlace> places_of(const std::string& object, const std::string& symbol, const void* linked) {
    std::vector<host_time::CodePlace> out;
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, symbol));
    if (!file) return llvm::consumeError(file.takeError()), out;
    // Where the symbol lies in its section, all of which was linked as one piece.
    std::uint64_t offset = ~std::uint64_t{0};
    for (const auto& s : (*file)->symbols()) {
        auto name = s.getName();
        auto address = s.getAddress();
        if (name && address && *name == symbol) offset = *address;
        if (!name) llvm::consumeError(name.takeError());
        if (!address) llvm::consumeError(address.takeError());
    }
    if (offset == ~std::uint64_t{0}) return out;
    const auto base = reinterpret_cast<std::uint64_t>(linked) - offset;
    const auto context = llvm::DWARFContext::create(**file);
    for (const auto& unit : context->compile_units()) {
        const auto* table = context->getLineTableForUnit(unit.get());
        for (const auto& row : table ? table->Rows : llvm::DWARFDebugLine::LineTable::RowVector{}) {
            host_time::CodePlace place{base + row.Address.Address, row.Line, Work::arithmetic, row.EndSequence != 0};
            if (!place.none && (row.Line == 0 || row.Column == 0 || row.Column > host_time::kWorks)) continue;
            if (!place.none) place.work = static_cast<Work>(row.Column - 1);
            out.push_back(place);
        }
    }
    // (Where one function ends and another begins, that one counts.)
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return a.address != b.address ? a.address < b.address : a.none && !b.none;
    });
    return out;
}

}  // namespace warpwright::engine::codegen
