// Code that LLVM's verifier refuses ends in one line that says where in the PTX it comes from, never in LLVM's text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "engine/codegen/jit.hpp"

namespace warpwright::engine {
namespace unsound_test {

TEST(Unsound, code_is_one_line_with_the_place_of_its_instruction) {
    auto jit = Jit::create("native");
    ASSERT_TRUE(jit.ok()) << jit.error().text();
    const auto made = (*jit)->object(
        [](llvm::Module& m) -> Result<void> {
            auto& context = m.getContext();
            auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
            auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "k", m);
            llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
            auto* wrong = b.CreateRet(b.getInt32(1));  // out of a function that returns nothing
            wrong->setMetadata(kLineMark + "42", llvm::MDNode::get(context, {}));
            return {};
        },
        ~std::size_t{0});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().kind, ErrorKind::internal);
    EXPECT_EQ(made.error().where.line, 42u);
    EXPECT_THAT(made.error().what, testing::HasSubstr("is not sound"));
    EXPECT_EQ(made.error().text().find('\n'), std::string::npos);
    EXPECT_LT(made.error().what.size(), 250u);
}

}  // namespace unsound_test
}  // namespace warpwright::engine
