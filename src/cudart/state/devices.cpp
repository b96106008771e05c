// The devices of the machine that the program sees, their links and their access to each other. All are one emulated
// device, which knows of each allocation and each launch to which of them it belongs.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>

#include "cudart/state/opened_memory.hpp"
#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"
#include "support/settings.hpp"

namespace warpwright::cudart {
namespace {

/// The one device whose UUID, as nvidia-smi prints it, begins so.
std::optional<unsigned> device_of_uuid(std::string_view beginning, unsigned count) {
    std::optional<unsigned> found;
    for (unsigned number = 0; number < count; ++number) {
        if (!text_of(uuid_of(number)).starts_with(beginning)) continue;
        if (found) return std::nullopt;
        found = number;
    }
    return found;
}

/// A device as CUDA_VISIBLE_DEVICES names it: by its number, which a sign, letters or blanks within end, or by its
/// UUID.
std::optional<unsigned> device_named(std::string_view word, unsigned count) {
    const auto first = word.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::nullopt;
    word.remove_prefix(first);
    constexpr std::string_view kUuid = "GPU-";
    if (word.starts_with(kUuid)) return device_of_uuid(word.substr(0, word.find_last_not_of(" \t") + 1), count);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
    if (error != std::errc{} || rest.find_first_not_of(" \t") != std::string_view::npos) return std::nullopt;
    return number;
}

/// Up to the first that there is not, or that was named before.
std::vector<unsigned> devices_named(std::string_view text, unsigned count) {
    std::vector<unsigned> out;
    for (;;) {
        const auto comma = text.find(',');
        const auto device = device_named(text.substr(0, comma), count);
        if (!device || *device >= count) break;
        if (std::find(out.begin(), out.end(), *device) != out.end()) return {};
        out.push_back(*device);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return out;
}

std::atomic<bool> opened{false};

}  // namespace

void memory_opened() { opened = true; }

const std::vector<unsigned>& Runtime::visible() {
    std::call_once(visible_once_, [&] {
        const unsigned count = std::min(settings.devices, device::kMostDevices);
        if (settings::is_set(Setting::cuda_visible_devices)) {
            const auto chosen = settings::text(Setting::cuda_visible_devices);
            visible_ = devices_named(chosen, count);
            // No device at all is what an empty text and -1 ask for.
            if (!visible_.empty() || chosen.empty() || chosen.front() == '-') return;
            // Where the machine has one, the text speaks of another machine's GPUs (a scheduler's, a shell's).
            if (count == 1) {
                visible_ = {0};
                say(std::string(settings::variable(Setting::cuda_visible_devices)) + " is '" + chosen +
                    "', and the machine has 1 emulated device, number 0: the program sees that one");
            } else {
                say(Error{ErrorKind::no_device,
                          std::string(settings::variable(Setting::cuda_visible_devices)) + " is '" + chosen +
                              "', and the machine has " + std::to_string(count) + " emulated devices",
                          {},
                          "numbers from 0 on, or the UUIDs that nvidia-smi -L prints, joined by commas; run --devices "
                          "N for more devices"});
            }
            return;
        }
        for (unsigned k = 0; k < count; ++k) visible_.push_back(k);
    });
    return visible_;
}

const arch::LinkModel& Runtime::link() {
    std::call_once(link_once_, [&] {
        const auto& m = model();
        const auto best = arch::link_of(m, settings.devices);
        topology_ = settings.topology.value_or(best.direct ? arch::Topology::nvlink : arch::Topology::pcie);
        auto link = arch::link_of(m, settings.devices, topology_);
        if (!link) {
            say(link.error().text() + "; PCI Express is used");
            topology_ = arch::Topology::pcie;
            link = arch::link_of(m, settings.devices, topology_);
        }
        link_ = *link;
    });
    return link_;
}

arch::Topology Runtime::topology() {
    (void)link();
    return topology_;
}

bool Runtime::set_access(unsigned device, unsigned peer, bool access) {
    const std::uint32_t bit = 1u << peer;
    const auto before = access ? of_[device].peers.fetch_or(bit) : of_[device].peers.fetch_and(~bit);
    return ((before & bit) != 0) != access;
}

std::uint64_t Runtime::reach(unsigned device) {
    // A bit that no device has: kernels may reach memory that is open to them, which is then told apart from their own.
    constexpr std::uint64_t kOpened = std::uint64_t{1} << 63;
    if (devices() < 2) return ~std::uint64_t{0};
    return std::uint64_t{of_[device].peers} | std::uint64_t{1} << device | (opened ? kOpened : 0);
}

namespace {
std::int64_t steady_now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }
}  // namespace

void Runtime::stick(cudaError_t error) {
    const auto now = steady_now();
    for (auto& on : of_) {
        std::int64_t never = 0;
        on.stuck_since.compare_exchange_strong(never, now);
        cudaError_t none = cudaSuccess;
        on.sticky.compare_exchange_strong(none, error);
    }
}
cudaError_t Runtime::sticky() const { return of_[current_device()].sticky; }

cudaError_t Runtime::known_error() const {
    constexpr std::int64_t kLongUntold = 1'000'000'000;
    const auto& on = of_[current_device()];
    if (const auto known = on.known.load(); known != cudaSuccess || on.sticky == cudaSuccess) return known;
    const auto since = on.stuck_since.load();
    return since != 0 && steady_now() - since >= kLongUntold ? on.sticky.load() : cudaSuccess;
}

void Runtime::unstick() {
    for (auto& on : of_) on.sticky = cudaSuccess, on.known = cudaSuccess, on.stuck_since = 0;
}

}  // namespace warpwright::cudart
