// Values come back as they were written, and no bytes make the reader do anything else than say that they are others.
#include "support/bytes_of_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warpwright {
namespace bytes_of_values_test {

struct All {
    bool yes = false;
    double number = 0;
    std::uint16_t small = 0;
    std::string text;
    std::optional<std::string> maybe, none;
    std::array<std::uint64_t, 3> three{};
    std::vector<std::pair<std::string, unsigned>> pairs;
    std::map<std::string, double> by_name;

    bool operator==(const All&) const = default;
    template <class Bytes, class Self>
    static void with(Bytes& b, Self& s) {
        b.all(s.yes, s.number, s.small, s.text, s.maybe, s.none, s.three, s.pairs, s.by_name);
    }
};

std::string written() {
    const All some{true, 0.1, 77, std::string("a\0b", 3), "there", {}, {1, 2, 3}, {{"x", 1}, {"", 2}}, {{"k", -0.0}}};
    ByteWriter w;
    All::with(w, some);
    return std::move(w).bytes();
}

bool reads(std::string_view bytes, All& out) {
    ByteReader r(bytes);
    All::with(r, out);
    return r.complete();
}

TEST(BytesOfValues, ComeBack) {
    All out;
    ASSERT_TRUE(reads(written(), out));
    EXPECT_EQ(out.text.size(), 3u);
    EXPECT_EQ(out.maybe, "there");
    EXPECT_EQ(out.three[2], 3u);
    EXPECT_EQ(out.pairs[1].second, 2u);
    EXPECT_TRUE(std::signbit(out.by_name.at("k"))) << "to the last bit";
    ByteWriter again;
    All::with(again, out);
    EXPECT_EQ(again.bytes(), written());
}

TEST(BytesOfValues, APartOrMoreIsRefused) {
    const std::string all = written();
    for (std::size_t n = 0; n < all.size(); ++n) {
        All out;
        EXPECT_FALSE(reads(std::string_view(all).substr(0, n), out)) << n;
    }
    All out;
    EXPECT_FALSE(reads(all + "x", out));
}

TEST(BytesOfValues, DamageIsNoMoreThanOtherValues) {
    const std::string all = written();
    for (std::size_t n = 0; n < all.size(); ++n)
        for (const int byte : {0, 1, 0x7f, 0xff}) {
            std::string damaged = all;
            damaged[n] = static_cast<char>(byte);
            All out;
            (void)reads(damaged, out);
        }
    ByteWriter w;
    w.add(std::numeric_limits<std::uint64_t>::max());  // of elements
    std::vector<std::string> many;
    ByteReader r(w.bytes());
    r.read(many);
    EXPECT_FALSE(r.complete());
    EXPECT_TRUE(many.empty());
}

}  // namespace bytes_of_values_test
}  // namespace warpwright
