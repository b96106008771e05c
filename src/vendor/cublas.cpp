// cuBLAS: gemm with the library's own choice of algorithm, as its callers get it, and geam for the transpose.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vendor/cublas_api.hpp"
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using namespace cublas;

constexpr std::uint64_t kWorkspace = std::uint64_t{64}
                                     << 20;  ///< twice what NVIDIA suggests for compute capability 9.0

class Cublas : public Library {
public:
    Cublas(device::Device& device, device::VendorQueue& queue) : queue_(queue), workspace_(device) {}
    ~Cublas() override {
        // The destructor of a device that was given up would wait.
        if (handle_ && queue_.native_queue()) (void)table_.destroy(handle_);
    }

    std::string title() const override { return "cuBLAS"; }
    CublasFunctions& table() { return table_; }

    std::string start() {
        if (Status s = table_.create(&handle_); s != 0) return text(s);
        return {};
    }

    Result<void> attach(SharedLibrary library) {
        library_ = std::move(library);
        int version = 0;
        if (Status s = table_.version(handle_, &version); s != 0) return failed(s, "its version");
        name_ = "cuBLAS " + version_words(static_cast<std::uint64_t>(version));
        auto queue = queue_.native_queue();
        if (!queue) return std::move(queue).error();
        if (Status s = table_.set_stream(handle_, queue->stream); s != 0) return failed(s, "its stream");
        // With a workspace of its own it allocates nothing while work is queued or captured.
        if (auto ok = workspace_.take(kWorkspace); !ok) return ok;
        if (Status s = table_.set_workspace(handle_, workspace_.pointer(), kWorkspace); s != 0)
            return failed(s, "its workspace");
        return {};
    }

    Result<Comparator> product(const Product& p, const Operands&) override {
        if (p.a_type.starts_with("e") || p.b_type.starts_with("e"))
            return Error{ErrorKind::limit, "cuBLAS' gemm takes no 8-bit floats", {}, "library = \"cublaslt\" does"};
        auto a = data_type(p.a_type), b = data_type(p.b_type), c = data_type(p.c_type);
        for (auto* type : {&a, &b, &c})
            if (!*type) return std::move(*type).error();
        auto sum = arithmetic(p.a_type, p.b_type, p.c_type, p.compute_type);
        if (!sum) return std::move(sum).error();
        const ColumnMajor x = ColumnMajor::of(p);
        for (std::int64_t v : {x.rows, x.columns, x.inner, x.first_stride, x.second_stride})
            if (v > std::numeric_limits<int>::max())
                return Error{ErrorKind::limit, "cuBLAS' gemm takes sizes below 2^31", {}, ""};
        auto work = [this, x, a = *a, b = *b, c = *c, sum = *sum](const Operands& at) -> Result<device::ForeignWork> {
            auto enqueue = [this, x, a, b, c, sum, at]() -> Result<void> {
                const auto number = [](std::int64_t v) { return static_cast<int>(v); };
                const Status s = table_.gemm(
                    handle_, x.first_transposed ? kTranspose : kKeep, x.second_transposed ? kTranspose : kKeep,
                    number(x.rows), number(x.columns), number(x.inner), sum.one.data(), pointer(at.b), b,
                    number(x.first_stride), pointer(at.a), a, number(x.second_stride), sum.zero.data(), pointer(at.out),
                    c, number(x.result_stride), sum.compute, kDefaultAlgorithm);
                if (s != 0) return failed(s, "gemm");
                return {};
            };
            return device::ForeignWork{name_ + " gemm", std::move(enqueue)};
        };
        return Comparator{std::move(work), name_, "gemm, " + sum->text};
    }

    Result<Comparator> transpose(const Transpose& t, const Operands&) override {
        if (t.type != "f32" && t.type != "f64")
            return Error{ErrorKind::limit, "cuBLAS' geam takes f32 and f64, not " + t.type, {}, ""};
        if (t.m > std::numeric_limits<int>::max() || t.n > std::numeric_limits<int>::max())
            return Error{ErrorKind::limit, "cuBLAS' geam takes sizes below 2^31", {}, ""};
        auto work = [this, t](const Operands& at) -> Result<device::ForeignWork> {
            auto enqueue = [this, t, at]() -> Result<void> {
                const Status s =
                    t.type == "f32" ? geam<float>(table_.geam_f32, t, at) : geam<double>(table_.geam_f64, t, at);
                if (s != 0) return failed(s, "geam");
                return {};
            };
            return device::ForeignWork{name_ + " geam", std::move(enqueue)};
        };
        return Comparator{std::move(work), name_, "geam"};
    }

private:
    /// Column-major, the input is N x M and becomes M x N.
    template <class T, class Function>
    Status geam(Function function, const Transpose& t, const Operands& at) const {
        const int rows = static_cast<int>(t.m), columns = static_cast<int>(t.n);
        const T one = 1, zero = 0;
        T* out = static_cast<T*>(pointer(at.out));
        return function(handle_, kTranspose, kKeep, rows, columns, &one, static_cast<const T*>(pointer(at.a)),
                        std::max(columns, 1), &zero, out, std::max(rows, 1), out, std::max(rows, 1));
    }

    std::string text(Status s) const {
        const char* words = table_.status_text(s);
        return words ? words : fmt::format("status {}", s);
    }
    Error failed(Status s, const char* what) const {
        // 15: CUBLAS_STATUS_NOT_SUPPORTED, 7: CUBLAS_STATUS_INVALID_VALUE, 8: CUBLAS_STATUS_ARCH_MISMATCH.
        const bool refused = s == 15 || s == 7 || s == 8;
        return {refused ? ErrorKind::limit : ErrorKind::internal, fmt::format("cuBLAS, {}: {}", what, text(s)), {}, ""};
    }

    device::VendorQueue& queue_;
    SharedLibrary library_;
    CublasFunctions table_;
    Handle handle_ = nullptr;
    Scratch workspace_;
    std::string name_ = "cuBLAS";
};

}  // namespace

Result<std::unique_ptr<Library>> open_cublas(device::Device& device, const LibrarySearch& search) {
    auto queue = device.need(&device::Device::vendor_queue);
    if (!queue) return std::move(queue).error();
    if (auto native = (*queue)->native_queue(); !native) return std::move(native).error();
    static const Wanted wanted{
        "cuBLAS",
        {"libcublas", "cublas", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"}},
        Setting::cublas,
        "nvidia-cublas"};
    auto out = std::make_unique<Cublas>(device, **queue);
    CublasFunctions& table = out->table();
    const auto load = [&](const SharedLibrary& library) {
        std::string missing;
        WARPWRIGHT_CUBLAS_ENTRY_POINTS(WARPWRIGHT_VENDOR_LOAD)
        return missing;
    };
    auto library = open_library(wanted, search, load, [&] { return out->start(); });
    if (!library) return std::move(library).error();
    if (auto ok = out->attach(std::move(*library)); !ok) return std::move(ok).error();
    return std::unique_ptr<Library>(std::move(out));
}

}  // namespace warpwright::vendor
