// Shadow memory for the tests of this room.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "shadow/shadow.hpp"

namespace warpwright::shadow {

inline constexpr std::uint64_t kTestedFrom = 0x10000;

inline std::unique_ptr<Shadow> reserved(std::uint64_t bytes, std::uint64_t start = kTestedFrom) {
    auto made = Shadow::reserve(start, bytes);
    EXPECT_TRUE(made);
    return std::move(*made);
}

}  // namespace warpwright::shadow
