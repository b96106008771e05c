// A loaded PTX module: its parsed text, its variables in device memory, and the code made for its kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/shared/device_memory.hpp"
#include "machine/trace.hpp"
#include "simt/details.hpp"

namespace warpwright::engine {

struct KernelCode;

/// A loaded PTX module: parsed text, its variables in device memory.
struct Program : std::enable_shared_from_this<Program> {
    ptx::Module module;
    /// Its instructions as the lowering decodes them; code and what was traced point to them.
    std::shared_ptr<simt::Decoded> decoded = std::make_shared<simt::Decoded>();
    std::string key;                       ///< content hash of the text
    std::vector<std::uint64_t> variables;  ///< device address by variable; 0 = not in global memory
    std::vector<bool> stays;               ///< by variable: its memory is that of another device's module
    DeviceMemory* memory = nullptr;
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<KernelCode>> code;  ///< compiled kernels by kernel and shape
    /// Of these, those that were launched last: to name a shape takes longer than to find it here.
    std::vector<std::pair<ptx::SymbolId, std::shared_ptr<KernelCode>>> recent;
    std::string text;  ///< where other hosts may need it
    ~Program();

    /// What an assembler said that a function spills; nothing where none was asked. For the model of time.
    std::optional<machine::Spills> told_spills(const std::string& function) const;
    void tell_spills(const std::string& function, const machine::Spills& spills);

private:
    mutable std::mutex told_mutex_;
    std::map<std::string, machine::Spills> told_;  ///< by function
};

}  // namespace warpwright::engine
