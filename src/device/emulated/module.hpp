// A module on the emulated device. Internal to this room.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/ptxas/ptxas.hpp"
#include "device/launch.hpp"
#include "engine/run/engine.hpp"

namespace warpwright::device {

/// Who is asked for the registers of a module's kernels, and what it needs for that. Without `ptxas` nobody is.
struct Assembling {
    std::shared_ptr<compile::Ptxas> ptxas;
    std::string text;  ///< the module's
    int compute_capability = 0;
};

class EmulatedModule final : public Module {
public:
    /// The kernels of a loaded program, in order of appearance. With `lazy` they have only names and parameters until
    /// they are asked for by name.
    EmulatedModule(engine::Engine& engine, std::shared_ptr<engine::Program> program, bool lazy, Assembling assembling);

    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const override;
    Holds holds(const std::string& name) const override;
    Result<const KernelInfo*> kernel(const std::string& name) override;

    engine::Program& program() const { return *program_; }
    /// The function that a kernel of kernels() is, and the kernel that a function is (null if it is none).
    ptx::SymbolId function(const KernelInfo& kernel) const;
    const KernelInfo* kernel(ptx::SymbolId function);
    /// Why the registers of kernels that were asked for are not known: the assembler did not finish in time.
    std::optional<Error> failure();

private:
    void add(ptx::SymbolId id);
    void learn(std::size_t i);
    void take_assembled(std::size_t i);
    void assemble(std::size_t i);

    engine::Engine& engine_;
    std::shared_ptr<engine::Program> program_;
    std::vector<KernelInfo> kernels_;
    std::vector<ptx::SymbolId> ids_;  ///< of kernels_, ascending
    std::vector<bool> known_;         ///< which kernels_ have all their properties
    std::unordered_map<std::string, std::size_t> index_;
    std::mutex mutex_;
    // Guarded by mutex_.
    Assembling assembling_;
    bool whole_;                          ///< all kernels are assembled at once
    std::size_t tried_ = 0;               ///< how often the assembler was asked
    compile::AssembledModule assembled_;  ///< what it has said
    std::optional<Error> failure_;
};

}  // namespace warpwright::device
