// Shared by the libraries' files: opening a library, and memory that lives as long as its user. Internal to this
// room.
#pragma once

#include <functional>

#include "support/settings.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::vendor {

/// A library's names in messages.
struct Wanted {
    const char* title;  ///< "cuBLAS"
    LibraryName name;
    Setting setting;    ///< that names it
    const char* wheel;  ///< "nvidia-cublas": what pip installs
};

/// The first library that has all entry points and that `start` accepts (null = success, else the reason). `load`
/// returns the name of the first missing entry point, or an empty text.
Result<SharedLibrary> open_library(const Wanted& wanted, const LibrarySearch& search,
                                   const std::function<std::string(const SharedLibrary&)>& load,
                                   const std::function<std::string()>& start);

/// Loads a symbol for each member of a table; returns the name of the first that is missing.
#define WARPWRIGHT_VENDOR_LOAD(member, symbol, ...) \
    if (missing.empty() && !library.get(table.member, symbol)) missing = symbol;

/// "13.1.0" of 130100 (cuBLAS' numbers).
std::string version_words(std::uint64_t version);

/// Device memory.
class Scratch {
public:
    explicit Scratch(device::Device& device) : device_(device) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        if (address_) (void)device_.release(address_).ok();
    }
    Result<void> take(std::uint64_t bytes) {
        auto address = device_.allocate(bytes);
        if (!address) return std::move(address).error();
        address_ = *address;
        return {};
    }
    device::Address address() const { return address_; }
    void* pointer() const { return reinterpret_cast<void*>(address_); }

private:
    device::Device& device_;
    device::Address address_ = 0;
};

inline void* pointer(device::Address a) { return reinterpret_cast<void*>(a); }

/// The three matrices of a product as column-major libraries see them: C^T = B^T A^T, so B is their first factor.
struct ColumnMajor {
    std::int64_t rows = 0, columns = 0, inner = 0;  ///< of the result: N and M; K
    bool first_transposed = false, second_transposed = false;
    std::int64_t first_stride = 0, second_stride = 0, result_stride = 0;  ///< "leading dimensions", at least 1

    static ColumnMajor of(const Product& p);
};

}  // namespace warpwright::vendor
