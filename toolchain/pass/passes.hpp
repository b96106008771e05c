// The passes that our plugin adds to clang's pipeline (plugin.cpp), a function for each file.
#pragma once

#include <llvm/Passes/PassBuilder.h>

/// Accesses of 16 bytes stay in one piece (wide_accesses.cpp).
void add_wide_accesses(llvm::PassBuilder& builder);

/// `__cluster_dims__` reaches the PTX text (cluster_dimensions.cpp).
void add_cluster_dimensions(llvm::PassBuilder& builder);
