// PTX on a real device: the driver compiles it, the machine code is kept on disk, and loaded again after a context was
// lost.
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "device/cuda/context.hpp"
#include "ptx/signatures.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::device::cuda {

class CudaModule final : public Module {
public:
    /// Compiles or takes from `cache`. Errors of the driver's compiler keep its text and name the line of the PTX.
    static Result<std::shared_ptr<CudaModule>> load(std::shared_ptr<ContextHolder> context, DiskCache& cache,
                                                    std::string name, std::string ptx);
    ~CudaModule() override;

    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const override;

    /// The kernel's properties, or an error that lists the kernels there are.
    Result<const KernelInfo*> kernel(const std::string& name) const;
    /// Its handle in the current context; loads the module again if the context is new.
    Result<Function> function(const std::string& name);
    /// Whether it calls printf.
    bool prints(const std::string& kernel) const { return printing_.contains(kernel); }
    Location where() const { return {name_, 0, 0}; }
    ContextHolder& context() { return *context_; }

private:
    explicit CudaModule(std::shared_ptr<ContextHolder> context) : context_(std::move(context)) {}
    Result<void> enter();
    Result<void> describe(const std::vector<ptx::EntrySignature>& signatures);

    std::shared_ptr<ContextHolder> context_;
    std::string name_, image_;  ///< image: machine code, or PTX with its closing 0
    ModuleHandle handle_ = nullptr;
    unsigned generation_ = 0;
    std::map<std::string, Function> functions_;
    std::vector<KernelInfo> kernels_;
    std::set<std::string> printing_;
};

/// The optimisation level of the driver's compiler, 0 to 4, if the PTX asks for one in a comment, "// ptxas: -O1"; else
/// -1. It is for kernels whose order of instructions was chosen with care: the higher levels change it.
int asked_level(std::string_view ptx);

/// The key of a text's machine code: its compiler and target.
std::string machine_code_key(const CudaDeviceInfo& info, const std::string& ptx);

/// The driver's compiler log as one error: its first error line, and the line of the text that it names.
Error jit_error(const std::string& log, Error fallback);

}  // namespace warpwright::device::cuda
