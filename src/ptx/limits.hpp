// The parser's limits, so that no text makes it run out of memory or stack.
#pragma once

#include <cstdint>

namespace warpwright::ptx {

inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;
inline constexpr std::uint32_t kMaxScopes = 128;              ///< nested `{}`
inline constexpr std::uint32_t kMaxExpressionDepth = 64;      ///< nested constant expressions
inline constexpr std::uint32_t kMaxDimensions = 16;           ///< of an array
inline constexpr std::uint32_t kMaxRegisters = 1u << 22;      ///< of a module
inline constexpr std::uint64_t kMaxInstructions = 1u << 21;   ///< of a module; each takes some 700 bytes
inline constexpr std::uint32_t kMaxOperands = 16;             ///< of an instruction
inline constexpr std::uint32_t kMaxVectorElements = 256;      ///< of a vector operand
inline constexpr std::uint32_t kMaxParameters = 4096;         ///< of a function or call
inline constexpr std::uint64_t kMaxBranchTargets = 1u << 22;  ///< of all brx and indirect calls of a module
inline constexpr std::uint32_t kMaxFiles = 1u << 16;          ///< largest `.file` index
inline constexpr std::uint64_t kMaxInitBytes = 256u << 20;    ///< of a module's initialised variables
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 62;

}  // namespace warpwright::ptx
