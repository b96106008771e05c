// What the lanes of a fetch or of a surface access touch, for the trace of their block (machine/trace.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "counters/texture.hpp"
#include "engine/runtime/texture/texture.hpp"

namespace warpwright::engine {

/// Where the hardware would keep a byte of an element. Linear memory stays as it is. Of an array, 64 bytes of eight
/// rows lie together, and in them a sector is 16 bytes of two rows (NVIDIA Tegra X1 Technical Reference Manual, "Pixel
/// Memory Formats", block linear), so that what is near in two dimensions shares sectors.
std::uint64_t texel_address(const TextureState& t, const TextureLevel& level, std::uint64_t byte, std::uint64_t y,
                            std::uint64_t z);

class TouchedTexels {
public:
    void lane(unsigned number) { lane_ = number; }
    /// An element; outside (a negative place) nothing is touched.
    void note(const TextureState& t, const TextureLevel& level, std::int64_t x, std::int64_t y, std::int64_t z);
    /// Bytes of a row, from `byte` on.
    void note_bytes(const TextureState& t, const TextureLevel& level, std::uint64_t byte, std::uint64_t y,
                    std::uint64_t z, unsigned bytes);
    /// The unit takes `turns` turns more for the lane.
    void sample(unsigned turns) { samples_[lane_] += turns; }

    const std::vector<counters::TexelRead>& places() const { return places_; }
    /// Turns of the unit by lane: at least one.
    std::array<unsigned, 64> turns() const {
        auto out = samples_;
        for (unsigned& turns : out) turns = turns > 0 ? turns : 1;
        return out;
    }

private:
    unsigned lane_ = 0;
    std::vector<counters::TexelRead> places_;
    std::array<unsigned, 64> samples_{};
};

}  // namespace warpwright::engine
