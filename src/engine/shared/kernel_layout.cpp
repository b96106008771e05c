// The loops over the lanes are plain ones, which the compiler vectorises for several levels of the CPU. What a wrapped
// index of 32 bits changes is added exactly.
#include "engine/shared/kernel_layout.hpp"
#include "support/clones.hpp"

namespace warpwright::engine {

/// Exact in every lane, also where a 32-bit index wraps before it is widened.
WARPWRIGHT_CLONES
void AddressForm::addresses(const std::int64_t* scalars, unsigned lanes, std::uint64_t* out) const {
    const auto base = static_cast<std::uint64_t>(*scalars++);
    for (unsigned l = 0; l < lanes; ++l) out[l] = base + static_cast<std::uint64_t>(constant[l]);
    for (const auto& t : terms) {
        const auto s = static_cast<std::uint64_t>(*scalars++);
        for (unsigned l = 0; l < lanes; ++l) out[l] += s * static_cast<std::uint64_t>(t[l]);
    }
    for (const auto& w : widened) {
        std::int64_t taken[simt::kMaxLanes];
        const auto narrow = *scalars++;
        const auto times = static_cast<std::uint64_t>(w.times) *
                           (w.is_scaled ? static_cast<std::uint64_t>(*scalars++) : std::uint64_t{1});
        for (unsigned l = 0; l < lanes; ++l) taken[l] = narrow + w.constant[l];
        for (const auto& t : w.terms) {
            const auto s = *scalars++;
            for (unsigned l = 0; l < lanes; ++l) taken[l] += s * t[l];
        }
        for (unsigned l = 0; l < lanes; ++l) {
            const auto exact = w.is_signed ? std::int64_t{static_cast<std::int32_t>(taken[l])}
                                           : std::int64_t{static_cast<std::uint32_t>(taken[l])};
            out[l] += static_cast<std::uint64_t>(exact - taken[l]) * times;
        }
    }
}

}  // namespace warpwright::engine
