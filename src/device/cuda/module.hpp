// PTX on a real device: compiled by the driver, kept on disk as machine code, loaded again when a context was lost.
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
    /// Compiles or takes from `cache`. Errors of the driver's compiler keep its words and name the line of the text.
    static Result<std::shared_ptr<CudaModule>> load(std::shared_ptr<ContextHolder> context, DiskCache& cache,
                                                    std::string name, std::string ptx);
    ~CudaModule() override;

    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const override;

    /// The kernel's facts, or an error that lists those there are.
    Result<const KernelInfo*> kernel(const std::string& name) const;
    /// Its handle in the context that is now; loads the module again where the context is new.
    Result<Function> function(const std::string& name);
    /// It calls printf.
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

/// How far the driver's compiler shall go, 0 to 4, where the PTX asks for it in a comment, "// ptxas: -O1"; else -1.
/// For kernels whose order of instructions was chosen with care: the higher levels change it.
int asked_level(std::string_view ptx);

/// Key of a text's machine code: what made it and for what.
std::string machine_code_key(const CudaDeviceInfo& info, const std::string& ptx);

/// The driver's compiler log as one error: its first error line, and the line of the text it names.
Error jit_error(const std::string& log, Error fallback);

}  // namespace warpwright::device::cuda
