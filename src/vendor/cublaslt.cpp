// cublasLt: every algorithm that its heuristics propose is tried, and the fastest is the comparator. Only cublasLt
// multiplies 8-bit floats.
#include <fmt/format.h>

#include "vendor/cublaslt_api.hpp"
#include "vendor/fastest.hpp"
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using namespace cublaslt;

constexpr std::uint64_t kWorkspace = std::uint64_t{64} << 20;
constexpr int kProposals = 64;
constexpr int kKeep = 0, kTranspose = 1;  // cublasOperation_t

/// Descriptors of one product.
struct Described {
    const CublasLtFunctions& table;
    Operation operation = nullptr;
    Layout first = nullptr, second = nullptr, result = nullptr;
    Preference preference = nullptr;

    explicit Described(const CublasLtFunctions& t) : table(t) {}
    Described(const Described&) = delete;
    Described& operator=(const Described&) = delete;
    ~Described() {
        if (preference) (void)table.preference_destroy(preference);
        for (Layout l : {first, second, result})
            if (l) (void)table.layout_destroy(l);
        if (operation) (void)table.operation_destroy(operation);
    }

    Status make(const ColumnMajor& x, DataType a, DataType b, DataType c, const Arithmetic& sum,
                device::Address scale) {
        const auto set = [&](int attribute, const auto& value) {
            return table.operation_set(operation, attribute, &value, sizeof value);
        };
        const auto layout = [&](Layout& to, DataType type, std::int64_t rows, std::int64_t columns,
                                std::int64_t stride) {
            return table.layout_create(&to, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                                       stride);
        };
        const int first_op = x.first_transposed ? kTranspose : kKeep,
                  second_op = x.second_transposed ? kTranspose : kKeep;
        Status s = table.operation_create(&operation, sum.compute, sum.scale);
        if (s == 0) s = set(kTransposeA, first_op);
        if (s == 0) s = set(kTransposeB, second_op);
        if (s == 0 && scale) s = set(kScalePointerA, scale);
        if (s == 0 && scale) s = set(kScalePointerB, scale);
        if (s == 0 && sum.fast_sum) s = set(kFastSum, std::int8_t{1});
        if (s == 0)
            s = layout(first, b, x.first_transposed ? x.inner : x.rows, x.first_transposed ? x.rows : x.inner,
                       x.first_stride);
        if (s == 0)
            s = layout(second, a, x.second_transposed ? x.columns : x.inner, x.second_transposed ? x.inner : x.columns,
                       x.second_stride);
        if (s == 0) s = layout(result, c, x.rows, x.columns, x.result_stride);
        if (s == 0) s = table.preference_create(&preference);
        const std::uint64_t most = kWorkspace;
        if (s == 0) s = table.preference_set(preference, kMaxWorkspaceBytes, &most, sizeof most);
        return s;
    }
};

class CublasLt : public Library {
public:
    CublasLt(device::Device& device, device::VendorQueue& queue, std::chrono::milliseconds timeout)
        : device_(device), queue_(queue), timeout_(timeout), workspace_(device), scale_(device) {}
    ~CublasLt() override {
        if (handle_ && queue_.native_queue()) (void)table_.destroy(handle_);
    }

    std::string title() const override { return "cublasLt"; }
    CublasLtFunctions& table() { return table_; }

    std::string start() {
        if (Status s = table_.create(&handle_); s != 0) return text(s);
        return {};
    }

    Result<void> attach(SharedLibrary library) {
        library_ = std::move(library);
        name_ = "cublasLt " + version_words(table_.version());
        if (auto ok = workspace_.take(kWorkspace); !ok) return ok;
        // The scale factor of 8-bit inputs, in device memory.
        if (auto ok = scale_.take(sizeof(float)); !ok) return ok;
        const float one = 1;
        return device_.write(scale_.address(), std::as_bytes(std::span(&one, 1)));
    }

    Result<Comparator> product(const Product& p, const Operands& at) override {
        auto a = data_type(p.a_type), b = data_type(p.b_type), c = data_type(p.c_type);
        for (auto* type : {&a, &b, &c})
            if (!*type) return std::move(*type).error();
        auto sum = arithmetic(p.a_type, p.b_type, p.c_type, p.compute_type);
        if (!sum) return std::move(sum).error();
        const bool eight = p.a_type.starts_with("e");
        if (eight && (p.a_transposed || !p.b_transposed))
            return Error{ErrorKind::limit,
                         "cublasLt multiplies 8-bit floats of layout NT alone (rows of A by rows of B)",
                         {},
                         ""};
        auto queue = queue_.native_queue();
        if (!queue) return std::move(queue).error();
        std::shared_ptr<Described> d;
        std::vector<Proposal> proposals;
        Status s = 0;
        // If 8-bit inputs need a scale factor, they get 1; elsewhere it would only cost time.
        for (const device::Address scale : {device::Address{0}, eight ? scale_.address() : 0}) {
            d = std::make_shared<Described>(table_);
            if (s = d->make(ColumnMajor::of(p), *a, *b, *c, *sum, scale); s != 0)
                return failed(s, "describing the product");
            proposals.resize(kProposals);
            int found = 0;
            s = table_.propose(handle_, d->operation, d->first, d->second, d->result, d->result, d->preference,
                               kProposals, proposals.data(), &found);
            proposals.resize(s == 0 ? static_cast<std::size_t>(std::max(found, 0)) : 0);
            if (!proposals.empty()) break;
        }
        if (proposals.empty())
            return Error{ErrorKind::limit,
                         fmt::format("cublasLt has no algorithm for this product{}", s != 0 ? ": " + text(s) : ""),
                         {},
                         ""};
        std::erase_if(proposals, [](const Proposal& x) { return x.state != 0 || x.workspace > kWorkspace; });
        const auto work_of = [this, d, sum = *sum, stream = queue->stream](const Proposal& x, const Operands& at) {
            auto enqueue = [this, d, sum, stream, algorithm = x.algorithm, bytes = x.workspace, at]() -> Result<void> {
                const Status s =
                    table_.multiply(handle_, d->operation, sum.one.data(), pointer(at.b), d->first, pointer(at.a),
                                    d->second, sum.zero.data(), pointer(at.out), d->result, pointer(at.out), d->result,
                                    &algorithm, workspace_.pointer(), bytes, stream);
                if (s != 0) return failed(s, "matmul");
                return {};
            };
            return device::ForeignWork{name_ + " matmul", std::move(enqueue)};
        };
        std::vector<device::ForeignWork> works;
        for (const Proposal& x : proposals) works.push_back(work_of(x, at));
        auto best = fastest(queue_, works, timeout_);
        if (!best) return std::move(best).error();
        auto work = [work_of, chosen = proposals[*best]](const Operands& at) -> Result<device::ForeignWork> {
            return work_of(chosen, at);
        };
        return Comparator{
            std::move(work), name_,
            fmt::format("{}; the fastest of {} algorithms, number {}", sum->text, works.size(), *best + 1)};
    }

private:
    std::string text(Status s) const {
        const char* words = table_.status_text(s);
        return words ? words : fmt::format("status {}", s);
    }
    Error failed(Status s, const char* what) const {
        const bool refused = s == 15 || s == 7 || s == 8;  // as in cublas.cpp
        return {
            refused ? ErrorKind::limit : ErrorKind::internal, fmt::format("cublasLt, {}: {}", what, text(s)), {}, ""};
    }

    device::Device& device_;
    device::VendorQueue& queue_;
    std::chrono::milliseconds timeout_;
    SharedLibrary library_;
    CublasLtFunctions table_;
    Handle handle_ = nullptr;
    Scratch workspace_, scale_;
    std::string name_ = "cublasLt";
};

}  // namespace

Result<std::unique_ptr<Library>> open_cublaslt(device::Device& device, const LibrarySearch& search,
                                               std::chrono::milliseconds timeout) {
    auto queue = device.need(&device::Device::vendor_queue);
    if (!queue) return std::move(queue).error();
    if (auto native = (*queue)->native_queue(); !native) return std::move(native).error();
    static const Wanted wanted{
        "cublasLt",
        {"libcublasLt", "cublas", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"}},
        Setting::cublaslt,
        "nvidia-cublas"};
    auto out = std::make_unique<CublasLt>(device, **queue, timeout);
    CublasLtFunctions& table = out->table();
    const auto load = [&](const SharedLibrary& library) {
        std::string missing;
        WARPWRIGHT_CUBLASLT_ENTRY_POINTS(WARPWRIGHT_VENDOR_LOAD)
        return missing;
    };
    auto library = open_library(wanted, search, load, [&] { return out->start(); });
    if (!library) return std::move(library).error();
    if (auto ok = out->attach(std::move(*library)); !ok) return std::move(ok).error();
    return std::unique_ptr<Library>(std::move(out));
}

}  // namespace warpwright::vendor
