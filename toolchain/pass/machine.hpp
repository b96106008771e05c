// What is done to kernels in the back end, between the selection of instructions and that of registers.
#pragma once

#include <llvm/CodeGen/MachineFunction.h>

/// Elements of shared memory at constant distances from each other get an address of their own where nvcc's have one,
/// and memory instructions compute the sums with constants of other blocks anew. Returns whether anything was changed.
bool address_as_nvcc(llvm::MachineFunction& function);

/// Bytes that were loaded are not cut to bytes again. Returns whether anything was changed.
bool bytes_as_nvcc(llvm::MachineFunction& function);
