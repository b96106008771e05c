// cuSPARSELt: products whose A has two zeros in four. A is compressed once, before the clock starts; the library's own
// search then picks the algorithm. If A did not have its zeros, the result shows it, because it is compared with the
// original A.
#include <fmt/format.h>

#include "vendor/cusparselt_api.hpp"
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using namespace cusparselt;

constexpr std::uint32_t kAlignment = 16;  ///< bytes, of matrices

/// Descriptors and the plan of one product.
struct Planned {
    const CusparseLtFunctions& table;
    Opaque a{}, b{}, c{}, operation{}, selection{}, plan{};
    int matrices = 0;
    bool planned = false;
    Scratch workspace;

    Planned(const CusparseLtFunctions& t, device::Device& device) : table(t), workspace(device) {}
    Planned(const Planned&) = delete;
    Planned& operator=(const Planned&) = delete;
    ~Planned() {
        if (planned) (void)table.plan_destroy(&plan);
        const Opaque* list[] = {&a, &b, &c};
        for (int i = 0; i < matrices; ++i) (void)table.matrix_destroy(list[i]);
    }
};

class CusparseLt : public Library {
public:
    CusparseLt(device::Device& device, device::VendorQueue& queue) : device_(device), queue_(queue) {}
    ~CusparseLt() override {
        if (started_ && queue_.native_queue()) (void)table_.destroy(&handle_);
    }

    std::string title() const override { return "cuSPARSELt"; }
    CusparseLtFunctions& table() { return table_; }

    std::string start() {
        int version[3] = {};
        for (int i : {kMajorVersion, kMinorVersion, kPatch})
            if (table_.property(i, &version[i]) != 0) return "it does not report its version";
        if (version[0] == 0 && version[1] < 6)
            return fmt::format("version {}.{}.{} is too old, 0.6 is needed", version[0], version[1], version[2]);
        if (Status s = table_.create(&handle_); s != 0) return text(s);
        started_ = true;
        name_ = fmt::format("cuSPARSELt {}.{}.{}", version[0], version[1], version[2]);
        return {};
    }
    void attach(SharedLibrary library) { library_ = std::move(library); }

    Result<Comparator> product(const Product& p, const Operands& at) override {
        if (!p.sparse)
            return Error{
                ErrorKind::limit, "cuSPARSELt multiplies a pruned A only", {}, "the reference has no sparse = \"2:4\""};
        if (p.a_type == "f32")
            return Error{ErrorKind::limit, "cuSPARSELt wants one zero in two of f32, not two in four", {}, ""};
        auto sum = arithmetic(p.a_type, p.b_type, p.c_type, p.compute_type);
        if (!sum) return std::move(sum).error();
        int compute = kComputeF32;
        if (sum->compute == ComputeType::i32) compute = kComputeI32;
        if (sum->compute == ComputeType::f16) compute = kComputeF16;
        // alpha and beta are f32 whatever the terms are added in.
        const float one = 1, zero = 0;
        auto queue = queue_.native_queue();
        if (!queue) return std::move(queue).error();
        void* stream = queue->stream;

        auto planned = plan(p, compute);
        if (!planned) return std::move(planned).error();
        const std::shared_ptr<Planned> x = std::move(*planned);

        auto compressed = compress(*x, at.a, stream);
        if (!compressed) return std::move(compressed).error();
        // The search tries the algorithms and keeps the best in the plan.
        void* streams[] = {stream};
        const bool searched = table_.search(&handle_, &x->plan, &one, (*compressed)->pointer(), pointer(at.b), &zero,
                                            pointer(at.out), pointer(at.out), nullptr, streams, 1) == 0;
        std::size_t workspace = 0;
        if (const Status s = table_.workspace(&handle_, &x->plan, &workspace); s != 0) return failed(s, "workspace");
        if (auto ok = x->workspace.take(workspace); !ok) return std::move(ok).error();

        auto work = [this, x, stream](const Operands& at) -> Result<device::ForeignWork> {
            auto compressed = compress(*x, at.a, stream);
            if (!compressed) return std::move(compressed).error();
            auto enqueue = [this, x, stream, at, a = *compressed]() -> Result<void> {
                const float one = 1, zero = 0;
                void* streams[] = {stream};
                const Status s = table_.multiply(&handle_, &x->plan, &one, a->pointer(), pointer(at.b), &zero,
                                                 pointer(at.out), pointer(at.out), x->workspace.pointer(), streams, 1);
                if (s != 0) return failed(s, "matmul");
                return {};
            };
            return device::ForeignWork{name_ + " matmul", std::move(enqueue)};
        };
        return Comparator{std::move(work), name_,
                          sum->text + (searched ? "; the fastest by its own search" : "; its default algorithm")};
    }

private:
    /// The library's own description of a product that it takes.
    Result<std::shared_ptr<Planned>> plan(const Product& p, int compute) {
        auto a = data_type(p.a_type), b = data_type(p.b_type), c = data_type(p.c_type);
        for (auto* type : {&a, &b, &c})
            if (!*type) return std::move(*type).error();
        auto x = std::make_shared<Planned>(table_, device_);
        const auto rows = [](bool t, std::int64_t r, std::int64_t other) { return t ? other : r; };
        const std::int64_t ar = rows(p.a_transposed, p.m, p.k), ac = rows(p.a_transposed, p.k, p.m);
        const std::int64_t br = rows(p.b_transposed, p.k, p.n), bc = rows(p.b_transposed, p.n, p.k);
        Status s = table_.structured(&handle_, &x->a, ar, ac, ac, kAlignment, *a, kRowMajor, kHalf);
        if (s == 0) x->matrices = 1, s = table_.dense(&handle_, &x->b, br, bc, bc, kAlignment, *b, kRowMajor);
        if (s == 0) x->matrices = 2, s = table_.dense(&handle_, &x->c, p.m, p.n, p.n, kAlignment, *c, kRowMajor);
        if (s == 0)
            x->matrices = 3,
            s = table_.operation(&handle_, &x->operation, p.a_transposed ? kTranspose : kKeep,
                                 p.b_transposed ? kTranspose : kKeep, &x->a, &x->b, &x->c, &x->c, compute);
        if (s == 0) s = table_.selection(&handle_, &x->selection, &x->operation, 0);
        if (s == 0) s = table_.plan(&handle_, &x->plan, &x->operation, &x->selection);
        if (s != 0) return refused(s);
        x->planned = true;
        return x;
    }

    /// A without its zeros, as the plan wants it.
    Result<std::shared_ptr<Scratch>> compress(const Planned& x, device::Address a, void* stream) {
        auto out = std::make_shared<Scratch>(device_);
        Scratch buffer(device_);
        std::size_t bytes = 0, more = 0;
        if (Status s = table_.compressed_size(&handle_, &x.plan, &bytes, &more); s != 0)
            return failed(s, "compressed size");
        if (auto ok = out->take(bytes); !ok) return std::move(ok).error();
        if (auto ok = buffer.take(more); !ok) return std::move(ok).error();
        if (Status s = table_.compress(&handle_, &x.plan, pointer(a), out->pointer(), buffer.pointer(), stream); s != 0)
            return failed(s, "compressing A");
        // Its buffer is freed when it has run.
        std::byte first{};
        if (auto ok = device_.read({&first, 1}, out->address()); !ok) return std::move(ok).error();
        return out;
    }

    std::string text(Status s) const {
        const char* words = table_.status_text(s);
        return words ? words : fmt::format("status {}", s);
    }
    Error refused(Status s) const {
        return {ErrorKind::limit, "cuSPARSELt does not take this product: " + text(s), {}, ""};
    }
    Error failed(Status s, const char* what) const {
        return {ErrorKind::internal, fmt::format("cuSPARSELt, {}: {}", what, text(s)), {}, ""};
    }

    device::Device& device_;
    device::VendorQueue& queue_;
    SharedLibrary library_;
    CusparseLtFunctions table_;
    Opaque handle_{};
    bool started_ = false;
    std::string name_ = "cuSPARSELt";
};

}  // namespace

Result<std::unique_ptr<Library>> open_cusparselt(device::Device& device, const LibrarySearch& search) {
    auto queue = device.need(&device::Device::vendor_queue);
    if (!queue) return std::move(queue).error();
    if (auto native = (*queue)->native_queue(); !native) return std::move(native).error();
    static const Wanted wanted{"cuSPARSELt",
                               {"libcusparseLt", "cusparselt", {"libcusparseLt.so.0", "libcusparseLt.so"}},
                               Setting::cusparselt,
                               "nvidia-cusparselt-cu13"};
    auto out = std::make_unique<CusparseLt>(device, **queue);
    CusparseLtFunctions& table = out->table();
    const auto load = [&](const SharedLibrary& library) {
        std::string missing;
        WARPWRIGHT_CUSPARSELT_ENTRY_POINTS(WARPWRIGHT_VENDOR_LOAD)
        return missing;
    };
    auto library = open_library(wanted, search, load, [&] { return out->start(); });
    if (!library) return std::move(library).error();
    out->attach(std::move(*library));
    return std::unique_ptr<Library>(std::move(out));
}

}  // namespace warpwright::vendor
