// Numbers that a kernel passes off as addresses, descriptors, sizes and handles, and what stands around a kernel's
// memory to show whether any of them gets out.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "security/attack.hpp"

namespace security_tests {

/// A kernel's surroundings: what it was given, with nothing on either side of it, and beyond that memory of the device
/// and of the host that it may neither change nor read.
class Surroundings {
public:
    static constexpr std::uint64_t kMine = 4096, kAround = 65536, kGap = 1 << 20, kOut = 128 * 64;
    static constexpr std::uint64_t kSecret = 0x5ec2e75ec2e75ec2;  ///< what stands in the host's memory

    /// The gaps are wider than the rows of a matrix whose distance is one of the small words.
    explicit Surroundings(Victim& victim) : victim_(victim), host_(64, kSecret) {
        before_ = victim.buffer(kAround, 9);
        const auto gap = victim.buffer(kGap, 9);
        mine_ = victim.buffer(kMine, 1);
        const auto other_gap = victim.buffer(kGap, 9);
        out_ = victim.buffer(kOut, 0);
        const auto last_gap = victim.buffer(kGap, 9);
        after_ = victim.buffer(kAround, 9);
        for (const auto at : {gap, other_gap, last_gap}) EXPECT_TRUE(victim.device->release(at).ok());
    }
    Address mine() const { return mine_; }
    Address out() const { return out_; }

    /// Small numbers, ends and beginnings of spaces and windows, what wraps, and the host's own addresses.
    std::vector<std::uint64_t> words() const {
        return {0,
                1,
                2,
                16,
                4080,
                4092,
                4096,
                (1u << 24) - 8,
                1u << 24,
                17u << 24,
                0x7fffffff,
                0x80000000,
                0xfffffff0,
                0xffffffff,
                std::uint64_t{1} << 32,
                std::uint64_t{1} << 40,
                0x3fff3fff3fffull,
                0x7ffe'0000'0000'0000ull,
                0x7ffe'0000'0000'1000ull,
                std::uint64_t{1} << 63,
                ~std::uint64_t{0} << 62,
                ~std::uint64_t{15},
                ~std::uint64_t{0},
                mine_,
                mine_ + kMine - 4,
                mine_ + kMine,
                mine_ - 16,
                reinterpret_cast<std::uint64_t>(host_.data()),
                reinterpret_cast<std::uint64_t>(host_.data()) - mine_,
                reinterpret_cast<std::uint64_t>(&victim_)};
    }
    /// Nothing outside was changed, and nothing of it was told.
    void expect_sound(const std::string& what) {
        EXPECT_TRUE(victim_.is_all(before_, kAround, 9)) << what;
        EXPECT_TRUE(victim_.is_all(after_, kAround, 9)) << what;
        for (const auto word : host_) ASSERT_EQ(word, kSecret) << what << " has written to the host's memory";
        for (const auto& [at, bytes] : {std::pair{mine_, kMine}, std::pair{out_, kOut}}) {
            const auto got = victim_.read(at, bytes);
            std::uint32_t secret = 0;
            std::memcpy(&secret, host_.data(), 4);
            for (std::size_t k = 0; k + 4 <= got.size(); k += 4) {
                std::uint32_t word = 0;
                std::memcpy(&word, got.data() + k, 4);
                ASSERT_NE(word, secret) << what << " has read the host's memory";
            }
        }
    }

private:
    Victim& victim_;
    std::vector<std::uint64_t> host_;
    Address before_ = 0, mine_ = 0, out_ = 0, after_ = 0;
};

}  // namespace security_tests
