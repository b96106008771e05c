// Opens each library when it is first asked for, and remembers the error of one that is missing. A task that a library
// lacks is refused here, by the base class.
#include "vendor/libraries.hpp"

#include "device/cuda/driver.hpp"

namespace warpwright::vendor {
namespace {

Error does_not(const std::string& library, const char* what) {
    return {ErrorKind::limit, library + " does not " + what, {}, ""};
}

}  // namespace

Result<Comparator> Library::product(const Product&, const Operands&) { return does_not(title(), "multiply matrices"); }
Result<Comparator> Library::transpose(const Transpose&, const Operands&) {
    return does_not(title(), "transpose matrices");
}
Result<Comparator> Library::copy(const Copy&, const Operands&) { return does_not(title(), "copy"); }

Libraries::Libraries(device::Device& device, std::chrono::milliseconds timeout) : device_(device), timeout_(timeout) {}
Libraries::~Libraries() = default;

Result<Library*> Libraries::get(const std::string& name) {
    auto it = slots_.find(name);
    if (it == slots_.end()) {
        auto opened = [&]() -> Result<std::unique_ptr<Library>> {
            if (name == "cublas") return open_cublas(device_, LibrarySearch::of_machine(Setting::cublas));
            if (name == "cublaslt")
                return open_cublaslt(device_, LibrarySearch::of_machine(Setting::cublaslt), timeout_);
            if (name == "cusparselt") return open_cusparselt(device_, LibrarySearch::of_machine(Setting::cusparselt));
            if (name == "memcpy") return open_copy(device_, device::cuda::driver_candidates());
            return Error{ErrorKind::usage,
                         "there is no library '" + name + "'",
                         {},
                         "libraries: cublas, cublaslt, cusparselt, memcpy"};
        }();
        Slot slot;
        if (opened)
            slot.library = std::move(*opened);
        else
            slot.error = opened.error();
        it = slots_.emplace(name, std::move(slot)).first;
    }
    if (it->second.error) return *it->second.error;
    return it->second.library.get();
}

}  // namespace warpwright::vendor
