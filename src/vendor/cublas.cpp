// cuBLAS: gemm by the library's own choice of algorithm, as a caller of it gets, and geam for the transpose.
#include <fmt/format.h>

#include <limits>

#include "vendor/cublas_api.hpp"
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using namespace cublas;

constexpr std::uint64_t kWorkspace = std::uint64_t{64} << 20;  ///< twice what NVIDIA suggests for compute capability 9.0

class Cublas : public Library {
public:
    explicit Cublas(device::Device& device) : device_(device), workspace_(device) {}
    ~Cublas() override {
        // A device that was given up would keep us waiting.
        if (handle_ && device_.native_queue()) (void)table_.destroy(handle_);
    }

    std::string title() const override { return "cuBLAS"; }
    Table& table() { return table_; }

    std::string start() {
        if (Status s = table_.create(&handle_); s != 0) return text(s);
        return {};
    }

    Result<void> attach(SharedLibrary library) {
        library_ = std::move(library);
        int version = 0;
        if (Status s = table_.version(handle_, &version); s != 0) return failed(s, "its version");
        name_ = "cuBLAS " + version_words(static_cast<std::uint64_t>(version));
        auto queue = device_.native_queue();
        if (!queue) return std::move(queue).error();
        if (Status s = table_.set_stream(handle_, queue->stream); s != 0) return failed(s, "its stream");
        // With a workspace of its own it allocates nothing while work is queued or captured.
        if (auto ok = workspace_.take(kWorkspace); !ok) return ok;
        if (Status s = table_.set_workspace(handle_, workspace_.pointer(), kWorkspace); s != 0)
            return failed(s, "its workspace");
        return {};
    }

    Result<Comparator> product(const Product& p) override {
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
        auto enqueue = [this, p, x, a = *a, b = *b, c = *c, sum = *sum]() -> Result<void> {
            const auto number = [](std::int64_t v) { return static_cast<int>(v); };
            const Status s =
                table_.gemm(handle_, x.first_transposed ? kTranspose : kKeep, x.second_transposed ? kTranspose : kKeep,
                            number(x.rows), number(x.columns), number(x.inner), sum.one.data(), pointer(p.b), b,
                            number(x.first_stride), pointer(p.a), a, number(x.second_stride), sum.zero.data(),
                            pointer(p.c), c, number(x.result_stride), sum.compute, kDefaultAlgorithm);
            if (s != 0) return failed(s, "gemm");
            return {};
        };
        return Comparator{{name_ + " gemm", std::move(enqueue)}, name_, sum->text};
    }

    Result<Comparator> transpose(const Transpose& t) override {
        if (t.type != "f32" && t.type != "f64")
            return Error{ErrorKind::limit, "cuBLAS' geam takes f32 and f64, not " + t.type, {}, ""};
        if (t.m > std::numeric_limits<int>::max() || t.n > std::numeric_limits<int>::max())
            return Error{ErrorKind::limit, "cuBLAS' geam takes sizes below 2^31", {}, ""};
        // Column-major, `from` is N x M and becomes M x N.
        auto enqueue = [this, t]() -> Result<void> {
            const int rows = static_cast<int>(t.m), columns = static_cast<int>(t.n);
            Status s;
            if (t.type == "f32") {
                const float one = 1, zero = 0;
                s = table_.geam_f32(handle_, kTranspose, kKeep, rows, columns, &one,
                                    static_cast<const float*>(pointer(t.from)), columns, &zero,
                                    static_cast<const float*>(pointer(t.to)), rows, static_cast<float*>(pointer(t.to)), rows);
            } else {
                const double one = 1, zero = 0;
                s = table_.geam_f64(handle_, kTranspose, kKeep, rows, columns, &one,
                                    static_cast<const double*>(pointer(t.from)), columns, &zero,
                                    static_cast<const double*>(pointer(t.to)), rows, static_cast<double*>(pointer(t.to)), rows);
            }
            if (s != 0) return failed(s, "geam");
            return {};
        };
        return Comparator{{name_ + " geam", std::move(enqueue)}, name_, "geam"};
    }

private:
    std::string text(Status s) const {
        const char* words = table_.status_text(s);
        return words ? words : fmt::format("status {}", s);
    }
    Error failed(Status s, const char* what) const {
        // 15: CUBLAS_STATUS_NOT_SUPPORTED, 7: CUBLAS_STATUS_INVALID_VALUE, 8: CUBLAS_STATUS_ARCH_MISMATCH.
        const bool refused = s == 15 || s == 7 || s == 8;
        return {refused ? ErrorKind::limit : ErrorKind::internal, fmt::format("cuBLAS, {}: {}", what, text(s)), {}, ""};
    }

    device::Device& device_;
    SharedLibrary library_;
    Table table_;
    Handle handle_ = nullptr;
    Scratch workspace_;
    std::string name_ = "cuBLAS";
};

}  // namespace

Result<std::unique_ptr<Library>> open_cublas(device::Device& device, const LibrarySearch& search) {
    auto queue = device.native_queue();
    if (!queue) return std::move(queue).error();
    static const Wanted wanted{"cuBLAS",
                               {"libcublas", "cublas", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"}},
                               "WARPWRIGHT_CUBLAS",
                               "nvidia-cublas"};
    auto out = std::make_unique<Cublas>(device);
    Table& table = out->table();
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
