// A pass for clang, loaded into it as a plugin: copies of structures are copies of their fields.
//
// Of `float4 v = p[i]; v.x += 1; o[i] = v;` clang's SROA makes a value of v.x and leaves the other three as one copy
// into a variable and one out of it. MemCpyOpt would join these, but we leave that out, since it makes calls of memset
// of stores in a row (plugin.cpp), and the variable would stay in local memory. nvcc copies field by field. So does
// this pass, where the variable is otherwise only read and written at places that are known, and SROA then goes on.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include "passes.hpp"

namespace {

constexpr std::size_t kMostFields = 16;

struct CopyFields : llvm::PassInfoMixin<CopyFields> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        if (function.hasOptNone()) return llvm::PreservedAnalyses::all();
        const auto& layout = function.getParent()->getDataLayout();
        llvm::SmallVector<llvm::MemCpyInst*, 8> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction); copy && !copy->isVolatile())
                    found.push_back(copy);
        bool changed = false;
        for (auto* copy : found) changed |= split(*copy, layout);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(function, analyses);
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    struct Field {
        llvm::Type* type;
        std::uint64_t at;  ///< bytes behind the start
    };
    using Fields = llvm::SmallVector<Field, kMostFields>;

    static bool split(llvm::MemCpyInst& copy, const llvm::DataLayout& layout) {
        Fields fields;
        if (!fields_of(copy.getRawDest(), copy, layout, fields) &&
            !fields_of(copy.getRawSource(), copy, layout, fields))
            return false;
        auto aliases = copy.getAAMetadata();
        llvm::IRBuilder<> builder(&copy);
        const auto from = copy.getSourceAlign().valueOrOne(), to = copy.getDestAlign().valueOrOne();
        llvm::SmallVector<llvm::LoadInst*, kMostFields> loads;
        for (const auto& [type, at] : fields) {
            auto* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getRawSource(), at);
            loads.push_back(builder.CreateAlignedLoad(type, place, llvm::commonAlignment(from, at)));
            loads.back()->setAAMetadata(aliases.adjustForAccess(at, type, layout));
        }
        for (const auto& [field, load] : llvm::zip_equal(fields, loads)) {
            auto* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getRawDest(), field.at);
            builder.CreateAlignedStore(load, place, llvm::commonAlignment(to, field.at))
                ->setAAMetadata(aliases.adjustForAccess(field.at, field.type, layout));
        }
        copy.eraseFromParent();
        return true;
    }
    /// The fields of a variable that the copy reads or writes as a whole; false where it is another thing.
    static bool fields_of(llvm::Value* side, const llvm::MemCpyInst& copy, const llvm::DataLayout& layout,
                          Fields& fields) {
        auto* variable = llvm::dyn_cast<llvm::AllocaInst>(side);
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
        if (!variable || !length || variable->isArrayAllocation()) return false;
        auto* type = variable->getAllocatedType();
        fields.clear();
        const auto size = length->getZExtValue();
        if (layout.getTypeAllocSize(type) != size || !is_known(*variable) || !add_fields(type, 0, layout, fields))
            return false;
        std::uint64_t end = 0;  // what lies between fields of a union is of another of its members
        for (const Field& field : fields)
            end += field.at == end ? layout.getTypeStoreSize(field.type).getFixedValue() : 0;
        return end == size;
    }
    /// Whether the variable is read and written at constant places alone.
    static bool is_known(const llvm::Value& place) {
        return llvm::all_of(place.users(), [&](const llvm::User* user) {
            if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->isSimple();
            if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
                return store->isSimple() && store->getValueOperand() != &place;
            if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
                return step->hasAllConstantIndices() && is_known(*step);
            if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
                return !copy->isVolatile() && llvm::isa<llvm::ConstantInt>(copy->getLength());
            const auto* other = llvm::dyn_cast<llvm::IntrinsicInst>(user);
            return other && other->isLifetimeStartOrEnd();
        });
    }
    static bool add_fields(llvm::Type* type, std::uint64_t at, const llvm::DataLayout& layout, Fields& fields) {
        if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
            const auto* places = layout.getStructLayout(structure);
            for (unsigned k = 0; k < structure->getNumElements(); ++k)
                if (!add_fields(structure->getElementType(k), at + places->getElementOffset(k), layout, fields))
                    return false;
            return true;
        }
        if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
            const auto size = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
            for (std::uint64_t k = 0; k < array->getNumElements(); ++k)
                if (!add_fields(array->getElementType(), at + k * size, layout, fields)) return false;
            return true;
        }
        if (!type->isSingleValueType() || fields.size() == kMostFields) return false;
        fields.push_back({type, at});
        return true;
    }
};

/// Four bytes that are one vector (uchar4) are copied as one, whichever of them are used.
struct CopyBytes : llvm::PassInfoMixin<CopyBytes> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::MemCpyInst*, 8> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction); copy && is_of_vectors(*copy))
                    found.push_back(copy);
        for (auto* copy : found) {
            llvm::IRBuilder<> builder(copy);
            auto* type = llvm::FixedVectorType::get(builder.getInt8Ty(), kBytes);
            const llvm::Align align(kBytes);
            builder.CreateAlignedStore(builder.CreateAlignedLoad(type, copy->getRawSource(), align), copy->getRawDest(),
                                       align);
            copy->eraseFromParent();
        }
        return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
    }

private:
    static constexpr unsigned kBytes = 4;

    /// Whether four bytes are copied, each a field of its own, from and to places that are aligned to them all.
    static bool is_of_vectors(const llvm::MemCpyInst& copy) {
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
        const auto* fields = copy.getMetadata(llvm::LLVMContext::MD_tbaa_struct);
        if (copy.isVolatile() || !length || length->getZExtValue() != kBytes || !fields ||
            copy.getSourceAlign().valueOrOne() < kBytes || copy.getDestAlign().valueOrOne() < kBytes ||
            fields->getNumOperands() != 3 * kBytes)
            return false;
        for (unsigned k = 0; k < kBytes; ++k)
            if (!llvm::mdconst::extract<llvm::ConstantInt>(fields->getOperand(3 * k + 1))->isOne()) return false;
        return true;
    }
};

}  // namespace

void add_copies(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(CopyBytes()));
    });
    builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(CopyFields());
    });
}
