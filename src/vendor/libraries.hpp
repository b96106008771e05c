// NVIDIA's own libraries as comparators: looked for at their first use, called through C interfaces that we declare
// ourselves. They prepare work for the device's native stream, timed exactly as our kernels are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "support/library_search.hpp"
#include "vendor/data_type.hpp"

namespace warpwright::vendor {

/// The addresses of the matrices. A transpose and a copy have no `b`.
struct Operands {
    device::Address a = 0, b = 0, out = 0;
};

/// C = A B, all row-major: A is M x K or (transposed) stored K x M, B is K x N or stored N x K.
struct Product {
    std::int64_t m = 0, n = 0, k = 0;
    bool a_transposed = false, b_transposed = false;
    std::string a_type, b_type, c_type;  ///< "f32", "bf16", ...
    std::string compute_type;            ///< see arithmetic(); empty: as the types suggest
    bool sparse = false;                 ///< two of each four neighbours of A along K are zero
};

/// The output is N x M, the transpose of the M x N row-major input.
struct Transpose {
    std::int64_t m = 0, n = 0;
    std::string type;
};

struct Copy {
    std::uint64_t bytes = 0;
};

/// A library's prepared operation: everything is allocated and chosen. The library must outlive it and its work.
struct Comparator {
    /// The work on these operands, which can be queued repeatedly.
    std::function<Result<device::ForeignWork>(const Operands&)> work;
    std::string library;  ///< "cuBLAS 13.1.0"
    std::string choice;   ///< "the fastest of 8 algorithms, number 3"; may be empty
};

/// A library in use on one device. Implementations: cublas.cpp, cublaslt.cpp, cusparselt.cpp, copy.cpp.
class Library {
public:
    virtual ~Library() = default;
    /// Each may run on the operands to choose an algorithm: outputs are overwritten, inputs are not. ErrorKind::limit
    /// for operations that the library does not support.
    virtual Result<Comparator> product(const Product& product, const Operands& at);
    virtual Result<Comparator> transpose(const Transpose& transpose, const Operands& at);
    virtual Result<Comparator> copy(const Copy& copy, const Operands& at);
    virtual std::string title() const = 0;
};

/// The libraries of one device, which must outlive this. For use by one thread at a time.
class Libraries {
public:
    /// `timeout` is of one sample while algorithms are tried; 0 = none.
    explicit Libraries(device::Device& device, std::chrono::milliseconds timeout = {});
    ~Libraries();

    /// "cublas", "cublaslt", "cusparselt" or "memcpy", opened when first asked for. ErrorKind::no_device, saying where
    /// it was looked for and what to do, when this machine has none.
    Result<Library*> get(const std::string& name);

private:
    struct Slot {
        std::unique_ptr<Library> library;
        std::optional<Error> error;
    };
    device::Device& device_;
    std::chrono::milliseconds timeout_;
    std::map<std::string, Slot> slots_;
};

/// Opens one of them. `search`: where; tests give their own.
Result<std::unique_ptr<Library>> open_cublas(device::Device& device, const LibrarySearch& search);
Result<std::unique_ptr<Library>> open_cublaslt(device::Device& device, const LibrarySearch& search,
                                               std::chrono::milliseconds timeout);
Result<std::unique_ptr<Library>> open_cusparselt(device::Device& device, const LibrarySearch& search);
/// `piece`: bytes that a larger copy is also tried in.
Result<std::unique_ptr<Library>> open_copy(device::Device& device, const std::vector<std::string>& driver_files,
                                           std::uint64_t piece = std::uint64_t{256} << 20);

}  // namespace warpwright::vendor
