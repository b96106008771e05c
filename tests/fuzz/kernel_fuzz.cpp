// Any PTX: it ends with an error that is its own, or its kernels run, and all kinds of host code that are made for them
// (optimised or quick to make, for each instruction set, with the checkers) give the same results, counts and faults.
// Run: ww_fuzz_kernel -dict=tests/fuzz/ptx.dict tests/fuzz/corpus/kernel
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "against_gpu.hpp"
#include "common/mutate_ptx.hpp"
#include "device/emulated/emulated.hpp"
#include "fuzz_target.hpp"
#include "record/finding.hpp"
#include "support/cause.hpp"

using namespace warpwright;
using fuzz::complain;

namespace {

/// One way to make and run code. The first two are the same, at other addresses: an input whose results differ between
/// them asks for addresses or the time, and nothing can be said of it.
struct Way {
    const char *name, *code, *cpu;
    bool checked = false, counted = true;
    const char* schedule = nullptr;
};
constexpr Way kWays[] = {{"optimised", "best", ""},
                         {"again", "best", ""},
                         {"quick", "quick", ""},
#if defined(__x86_64__)
                         {"AVX2", "best", "x86-64-v3"},
                         {"plain x86-64", "best", "x86-64"},
#else
                         {"plain", "best", "generic"},
#endif
                         {"both", "both", ""},
                         {"not counted", "best", "", false, false},
                         {"in another order", "best", "", false, true, "reverse"},
                         {"checked", "best", "", true}};
constexpr std::size_t kFirstOther = 2;

/// Linked code stays as long as its device, so devices are made anew after so many inputs.
constexpr unsigned kInputsOfADevice = 200;
constexpr std::uint64_t kBufferBytes = 16384;
/// The value of parameters that are no buffers: of the oracle's forms, how many threads there are at most.
constexpr std::uint64_t kCount = 192;
constexpr std::chrono::milliseconds kTime{300};

std::unique_ptr<device::Device> make_device(const Way& way) {
    ::setenv("WARPWRIGHT_CODE", way.code, 1);
    way.schedule ? ::setenv("WARPWRIGHT_SCHEDULE", way.schedule, 1) : ::unsetenv("WARPWRIGHT_SCHEDULE");
    device::EmulatedOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{64} << 20;
    options.cpu = way.cpu;
    if (way.checked) options.checkers = record::kKernelCheckers;
    auto made = device::make_emulated(options);
    if (!made) complain(made.error().text());
    return std::move(*made);
}

device::Device& device_of(std::size_t way) {
    static std::unique_ptr<device::Device> devices[std::size(kWays)];
    static unsigned inputs[std::size(kWays)];
    if (!devices[way] || ++inputs[way] > kInputsOfADevice) {
        devices[way] = nullptr;
        devices[way] = make_device(kWays[way]);
        inputs[way] = 0;
    }
    return *devices[way];
}

struct Outcome {
    std::optional<Error> error;
    std::vector<std::byte> memory;
    std::optional<record::Counts> counts;
    std::string output;
    bool clean = true;  ///< the checkers found nothing
};

/// The buffers of one launch; they are freed at its end.
class Buffers {
public:
    explicit Buffers(device::Device& device) : device_(device) {}
    ~Buffers() {
        for (const auto at : at_) (void)device_.release(at).ok();
    }
    Result<device::Address> add() {
        const auto made = device_.allocate(kBufferBytes);  // variables of modules may have taken all there is
        if (!made) return made.error();
        const auto at = *made;
        std::vector<std::uint32_t> values(kBufferBytes / 4);
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] =
                k % 3 == 2 ? 0x3f800000u + static_cast<std::uint32_t>(k << 15) : static_cast<std::uint32_t>(k % 61);
        (void)device_.write(at, std::as_bytes(std::span(values))).ok();
        at_.push_back(at);
        return at;
    }
    std::vector<std::byte> read() {
        std::vector<std::byte> all(at_.size() * kBufferBytes);
        for (std::size_t k = 0; k < at_.size(); ++k)
            (void)device_.read(std::span(all).subspan(k * kBufferBytes, kBufferBytes), at_[k]).ok();
        return all;
    }

private:
    device::Device& device_;
    std::vector<device::Address> at_;
};

device::LaunchConfig config_of(const device::KernelInfo& info, std::uint64_t seed) {
    static constexpr launch::Extent kBlocks[] = {{64, 1, 1}, {32, 1, 1}, {33, 1, 1}, {8, 4, 2}, {7, 5, 3}};
    device::LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = info.required_block.x ? info.required_block : kBlocks[seed % std::size(kBlocks)];
    if (info.required_cluster.x) config.grid = info.required_cluster;
    config.dynamic_shared = 1024;
    return config;
}

Outcome run(device::Device& device, device::Module& module, const device::KernelInfo& info, std::uint64_t seed,
            bool counted = true) {
    Outcome out;
    Buffers buffers(device);
    std::vector<std::byte> parameters;
    for (const auto& p : info.parameters) {
        parameters.resize(std::max<std::size_t>(parameters.size(), std::size_t{p.offset} + p.size));
        if (parameters.size() > 8192) break;
        std::uint64_t value = kCount;
        if (p.size == 8) {
            const auto buffer = buffers.add();
            if (!buffer) return {.error = buffer.error(), .memory = {}, .counts = {}, .output = {}};
            value = *buffer;
        }
        std::memcpy(parameters.data() + p.offset, &value, std::min<std::size_t>(p.size, sizeof value));
    }
    device::LaunchOptions options;
    options.timeout = kTime;
    options.counters = counted;
    auto launched = device.launch(module, info.name, config_of(info, seed), parameters, options);
    if (!launched) {
        out.error = launched.error();
        return out;
    }
    out.output = launched->output;
    if (launched->counts) out.counts = launched->counts->total;
    out.memory = buffers.read();
    if (auto* log = device.finding_log()) {  // a real GPU has none
        out.clean = log->findings().empty();
        log->clear_findings();
    }
    return out;
}

/// Empty where both are the same.
std::string difference(const Outcome& a, const Outcome& b, bool checked) {
    if (checked) return {};  // A checked launch goes on after a fault, and says more.
    if (a.error.has_value() != b.error.has_value())
        return "one ends with an error: " + (a.error ? a.error->text() : b.error->text());
    if (a.error) {
        if (a.error->kind != b.error->kind || a.error->cause != b.error->cause ||
            a.error->where.line != b.error->where.line)
            return "the errors differ: " + a.error->text() + "\n" + b.error->text();
        return {};
    }
    if (a.output != b.output) return "what is printed differs: " + a.output + "\n" + b.output;
    if (a.memory != b.memory) {
        std::size_t k = 0;
        while (a.memory[k] == b.memory[k]) ++k;
        return "memory differs at byte " + std::to_string(k % kBufferBytes) + " of buffer " +
               std::to_string(k / kBufferBytes);
    }
    if (a.counts && b.counts && !(*a.counts == *b.counts)) {
        std::size_t k = 0;
        while (a.counts->values[k] == b.counts->values[k]) ++k;
        return "count " + std::to_string(k) + " differs: " + std::to_string(a.counts->values[k]) + ", " +
               std::to_string(b.counts->values[k]);
    }
    return {};
}

bool timed_out(const Outcome& o) { return o.error && o.error->cause == Cause::time_limit; }

void check_error(const Error& e, std::string_view text) {
    if (e.what.empty()) complain("an error says nothing");
    if (e.kind == ErrorKind::internal) complain(e.text(), std::string(text));
}

Outcome outcome_on(device::Device& device, std::string_view text, std::size_t kernel, std::uint64_t seed,
                   bool counted = true) {
    auto loaded = device.load("fuzz.ptx", std::string(text));
    if (loaded && kernel >= (*loaded)->kernels().size())
        return {.error = Error{}, .memory = {}, .counts = {}, .output = {}};
    if (!loaded) return {.error = loaded.error(), .memory = {}, .counts = {}, .output = {}};
    return run(device, **loaded, (*loaded)->kernels()[kernel], seed, counted);
}

/// Whether what a kernel computes may depend on the order of its blocks and warps although the checkers find nothing:
/// values that atomics give back, and what is asked of the machine.
bool may_depend_on_order(std::string_view text) {
    for (const char* word :
         {"atom", "red", "%clock", "%globaltimer", "%smid", "%warpid", "volatile", "mbarrier", "exch"})
        if (text.find(word) != std::string_view::npos) return true;
    return false;
}

/// The first place of memory that two launches left with other bytes; empty where there is none.
std::string place_that_differs(const std::vector<std::byte>& ours, const std::vector<std::byte>& theirs) {
    const auto at = std::ranges::mismatch(ours, theirs).in1 - ours.begin();
    if (static_cast<std::size_t>(at) == ours.size()) return {};
    const auto word = static_cast<std::size_t>(at) / 8 * 8;
    std::uint64_t here = 0, there = 0;
    std::memcpy(&here, ours.data() + word, sizeof here);
    std::memcpy(&there, theirs.data() + word, sizeof there);
    return fmt::format("bytes {} to {} of buffer {}: {:016x}, on the GPU {:016x}", word % kBufferBytes,
                       word % kBufferBytes + 7, word / kBufferBytes, here, there);
}

/// Where a kernel leaves other memory on the GPU (empty: nowhere), if the language defines what it computes: the
/// checkers find nothing in it, and its results depend on no address. None where that cannot be said, or the GPU's
/// driver refuses it.
std::optional<std::string> difference_on_gpu(fuzz::AgainstGpu& gpu, const std::string& text, std::size_t kernel,
                                             std::uint64_t seed) {
    const auto ours = outcome_on(device_of(0), text, kernel, seed);
    if (ours.error || !difference(ours, outcome_on(device_of(1), text, kernel, seed), false).empty())
        return std::nullopt;
    const auto checked = outcome_on(device_of(std::size(kWays) - 1), text, kernel, seed);
    if (checked.error || !checked.clean) return std::nullopt;
    auto loaded = gpu.device().load("fuzz.ptx", text);
    if (!loaded) {
        gpu.note("refused", loaded.error().text(), text);
        return std::nullopt;
    }
    const auto theirs = run(gpu.device(), **loaded, (*loaded)->kernels()[kernel], seed);
    if (theirs.error) {
        gpu.note("fault", theirs.error->text(), text);
        fuzz::AgainstGpu::end_after_fault();
    }
    gpu.count();
    return place_that_differs(ours.memory, theirs.memory);
}

void compare_with_gpu(fuzz::AgainstGpu& gpu, std::string_view original, std::size_t kernel, std::uint64_t seed) {
    if (!fuzz::why_not_comparable(original).empty() || gpu.known(original)) return;
    const auto text = fuzz::with_registers_set(original);
    if (!text) return;
    const auto found = [&](const std::string& t) { return difference_on_gpu(gpu, t, kernel, seed).value_or(""); };
    if (const auto place = found(*text); !place.empty())
        gpu.note_difference(*text, place, [&](const std::string& t) { return !found(t).empty(); });
}

/// All ways to run one kernel: one other by turns, the checked one, and where they differ both again.
void compare(std::string_view text, std::size_t kernel, std::uint64_t seed) {
    const auto outcome = [&](std::size_t way) {
        return outcome_on(device_of(way), text, kernel, seed, kWays[way].counted);
    };
    const auto first = outcome(0);
    if (first.error) check_error(*first.error, text);
    if (timed_out(first)) return;
    const std::size_t others = std::size(kWays) - kFirstOther;
    for (const auto way : {kFirstOther + seed % (others - 1), std::size(kWays) - 1}) {
        if (kWays[way].schedule && may_depend_on_order(text)) continue;
        const auto other = outcome(way);
        if (other.error) check_error(*other.error, text);
        const auto what = difference(first, other, kWays[way].checked);
        if (what.empty() || timed_out(other)) continue;
        // On devices made anew, all of which stay until the end, so that addresses are others each time: what depends
        // on them does not stay the same.
        bool repeats = true;
        std::vector<std::unique_ptr<device::Device>> kept;
        const auto same = [&](const Outcome& as, std::size_t again) {
            kept.push_back(make_device(kWays[again]));
            return difference(as, outcome_on(*kept.back(), text, kernel, seed, kWays[again].counted), false).empty();
        };
        for (int n = 0; n < 5 && repeats; ++n) repeats = same(first, 0) && same(other, way);
        // What lanes or warps that do not wait for each other write to one place may differ.
        if (repeats && first.memory != other.memory && !outcome(std::size(kWays) - 1).clean) repeats = false;
        if (repeats) complain(std::string(kWays[way].name) + ": " + what, std::string(text));
    }
    if (auto* gpu = fuzz::AgainstGpu::here(); gpu && !first.error) compare_with_gpu(*gpu, text, kernel, seed);
}

}  // namespace

FUZZ_TARGET(kernel) {
    if (text.size() > 16384) return;
    std::uint64_t seed = text.size();
    for (const char c : text) seed = seed * 31 + static_cast<unsigned char>(c);
    std::size_t kernels = 0;
    {
        auto loaded = device_of(0).load("fuzz.ptx", std::string(text));
        if (!loaded) {
            fuzz::check(loaded.error());
            if (auto* gpu = fuzz::AgainstGpu::here(); gpu && gpu->device().load("fuzz.ptx", std::string(text)))
                gpu->note("accepted", loaded.error().what, text);
            return;
        }
        kernels = (*loaded)->kernels().size();
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(kernels, 2); ++k) compare(text, k, seed >> 7);
}

#ifdef WARPWRIGHT_FUZZ_ALONE
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
    const auto text = test::PtxMutator(seed)(std::string(reinterpret_cast<const char*>(data), size));
    if (text.size() > most) return size;
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
#endif
