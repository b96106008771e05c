// Names of functions are looked up once for each number, since every recorded call asks.
#include "libraries/cupti/callback_ids.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "cudart/state/names.hpp"

namespace warpwright::libraries::cupti {
namespace {

struct Row {
    std::string_view name;
    Domain domain;
    std::uint32_t number;
    const char* shown;
};
constexpr Row kRows[] = {
#define WW_CUPTI_DRIVER(symbol, number) {#symbol, kDriverApi, number, #symbol},
#define WW_CUPTI_RUNTIME(name, version, number) {#name, kRuntimeApi, number, #name "_v" #version},
#include "libraries/cupti/callback_ids.inc"
#undef WW_CUPTI_DRIVER
#undef WW_CUPTI_RUNTIME
};
static_assert(std::all_of(std::begin(kRows), std::end(kRows), [](const Row& r) { return r.number < kMostFunctions; }));

/// Whether a function of another library queues work: it does not make, ask or set something.
bool is_work(std::string_view name) {
    const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
    for (const auto* word : {"Create", "Destroy", "Get", "Set", "Plan", "Size", "Init", "Descr", "Version", "Group"})
        if (has(word)) return false;
    return name.starts_with("cublas") || name.starts_with("cufft") || name.starts_with("curand") ||
           name.starts_with("cusparse") || name.starts_with("cusolver") || name.starts_with("nccl");
}

CallbackId id_of(std::string_view name) {
    static const auto& rows = *[] {
        auto* map = new std::map<std::string_view, CallbackId>;
        for (const Row& r : kRows) map->emplace(r.name, CallbackId{r.domain, r.number});
        return map;
    }();
    const auto found = rows.find(name);
    if (found != rows.end()) return found->second;
    return {kRuntimeApi, is_work(name) ? rows.at("cudaLaunchKernel").number : 0, false};
}

}  // namespace

CallbackId callback_of(unsigned function) {
    static std::mutex mutex;
    // Names may be added while the program runs, and threads call when it ends.
    static auto& known = *new std::vector<CallbackId>;
    const std::lock_guard lock(mutex);
    for (auto k = static_cast<unsigned>(known.size()); k <= function; ++k) known.push_back(id_of(cudart::api_name(k)));
    return known[function];
}

const char* callback_name(std::uint32_t domain, std::uint32_t number) {
    const auto* found = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
        return r.domain == static_cast<Domain>(domain) && r.number == number;
    });
    return found == std::end(kRows) ? nullptr : found->shown;
}

}  // namespace warpwright::libraries::cupti
