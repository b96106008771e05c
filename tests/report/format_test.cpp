#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "report/escape.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"

namespace warpwright::report {
namespace format_test {

TEST(Format, Si) {
    EXPECT_EQ(si(0), "0");
    EXPECT_EQ(si(999), "999");
    EXPECT_EQ(si(1000), "1.00 k");
    EXPECT_EQ(si(1234567), "1.23 M");
    EXPECT_EQ(si(9996), "10.0 k");
    EXPECT_EQ(si(99960), "100 k");
    EXPECT_EQ(si(999600), "1.00 M");
    EXPECT_EQ(si(1.8e19), "18.0 E");
    EXPECT_EQ(si(std::nan("")), "-");
    EXPECT_EQ(si(-1500), "-1.50 k");
}

TEST(Format, Seconds) {
    EXPECT_EQ(seconds(0), "0 s");
    EXPECT_EQ(seconds(1.5), "1.50 s");
    EXPECT_EQ(seconds(0.1432), "143 ms");
    EXPECT_EQ(seconds(4.5e-6), "4.50 µs");
    EXPECT_EQ(seconds(4.5e-6, false), "4.50 us");
    EXPECT_EQ(seconds(0.99999e-3), "1.00 ms");
    EXPECT_EQ(seconds(3e-9), "3.00 ns");
    EXPECT_EQ(seconds(3e-12), "3.00 ps");
    EXPECT_EQ(seconds(12345), "12345 s");
}

TEST(Format, BytesPercentGroupedPlain) {
    EXPECT_EQ(bytes(512), "512 B");
    EXPECT_EQ(bytes(1536), "1.50 KiB");
    EXPECT_EQ(bytes(1024.0 * 1024 * 1024), "1.00 GiB");
    EXPECT_EQ(percent(1), "100 %");
    EXPECT_EQ(percent(0.0999), "10 %");
    EXPECT_EQ(percent(0.0123), "1.2 %");
    EXPECT_EQ(percent(0), "0 %");
    EXPECT_EQ(percent(0.0002), "<0.1 %") << "not 0.0 %: it is not nothing";
    EXPECT_EQ(percent(0.0005), "0.1 %");
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
    EXPECT_EQ(plain(0.25), "0.250");
    EXPECT_EQ(plain(85.3), "85.3");
    EXPECT_EQ(plain(0.0043), "0.0043");
    EXPECT_EQ(plain(0.00022), "0.00022") << "not 0.000";
    EXPECT_EQ(plain(51234.4), "51,234");
}

TEST(Format, FiguresAndUnitsAreGlued) {
    EXPECT_EQ(glued("8.0 % of 16 x 16"), "8.0\u00a0% of 16\u00a0x 16");
    EXPECT_EQ(glued("4.80 TB/s, 3 GB."), "4.80\u00a0TB/s, 3\u00a0GB.");
    EXPECT_EQ(glued("9 µs; 21,0 мкс"), "9\u00a0µs; 21,0\u00a0мкс");
    EXPECT_EQ(glued("32 threads, 2 3, 7 "), "32 threads, 2 3, 7 ") << "long words and figures may go to the next line";
}

TEST(Format, Safe) {
    EXPECT_EQ(safe("plain µ 矩阵"), "plain µ 矩阵");
    EXPECT_EQ(safe("\x1b[31mred"), "\\x1b[31mred");
    EXPECT_EQ(safe("a\nb\tc"), "a b c");
    EXPECT_EQ(safe("a\nb", false), "a\nb");
    EXPECT_EQ(safe(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
    EXPECT_EQ(safe("\xc2\x9b"
                   "1m"),
              "\\x9b1m");                                // C1 control: CSI
    EXPECT_EQ(safe("\xff\xc0\x80"), "\\xff\\xc0\\x80");  // not UTF-8, overlong
    EXPECT_EQ(safe("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
    EXPECT_EQ(safe("\xe2\x80\xae"
                   "abc"),
              "\\u202eabc");                    // right-to-left override
    EXPECT_EQ(safe("\xe2\x82"), "\\xe2\\x82");  // cut off
}

TEST(Format, Width) {
    EXPECT_EQ(display_width("abc"), 3u);
    EXPECT_EQ(display_width("µs"), 2u);
    EXPECT_EQ(display_width("矩阵"), 4u);
    EXPECT_EQ(display_width("ｶﾞ"), 2u) << "halfwidth";
    EXPECT_EQ(display_width("กำ่"), 2u) << "a mark above takes no column";
    EXPECT_EQ(display_width("⌚"), 2u) << "wide below the planes of pictures";
    EXPECT_EQ(display_width("\U0001F321"), 1u) << "a picture that is not wide";
    EXPECT_EQ(display_width("\xff\x01"), 2u) << "place holders";
    EXPECT_EQ(display_width("e\xcc\x81"), 1u);
    EXPECT_EQ(clip("abcdef", 4), "abc…");
    EXPECT_EQ(clip("abcdef", 4, false), "abc~");
    EXPECT_EQ(clip("abcd", 4), "abcd");
    EXPECT_EQ(clip("矩阵乘", 4), "矩…");
}

TEST(Format, Wrap) {
    EXPECT_EQ(wrap("one two  three", 7), (std::vector<std::string>{"one two", "three"}));
    // A figure keeps its unit.
    EXPECT_EQ(wrap("about 47 %, or 12 µs more", 9), (std::vector<std::string>{"about", "47 %, or", "12 µs", "more"}));
    EXPECT_EQ(wrap("run 12 s", 6), (std::vector<std::string>{"run", "12 s"}));
    EXPECT_EQ(wrap("run 12 sums", 6), (std::vector<std::string>{"run 12", "sums"}));
    EXPECT_EQ(wrap("", 7), std::vector<std::string>{});
    EXPECT_EQ(wrap("unbreakable", 3), std::vector<std::string>{"unbreakable"});
}

TEST(ProgressLine, Shows) {
    Progress p(10, "matmul 03_tiled");
    EXPECT_EQ(p.line(0, 80, false), "matmul 03_tiled  [--------------------]  0/10  0:00");
    p.advance(6);
    EXPECT_EQ(p.line(12, 80, false), "matmul 03_tiled  [############--------]  6/10  0:12  about 0:08 left");
    EXPECT_EQ(p.line(12, 40, false), "matmul 03_~  6/10  0:12  about 0:08 left");
    p.done(12);
    EXPECT_EQ(p.line(3700, 80, true), "matmul 03_tiled  [████████████████████]  10/10  1:01:40");
    Progress unknown(0, "tuning");
    unknown.advance(3);
    EXPECT_EQ(unknown.line(5), "tuning  3  0:05");
}

TEST(ProgressLine, NeverWiderThanAskedFor) {
    Progress p(1000, "a rather long label of a rung that goes on");
    p.advance(333);
    for (std::size_t width = 1; width < 120; ++width) EXPECT_LE(display_width(p.line(100, width)), width);
}

TEST(Figures, powers_stand_above_the_line) {
    EXPECT_EQ(with_powers("N^3 + N^2 of 2 10^12"), "N³ + N² of 2 10¹²");
    // Other operators of a program.
    for (const char* text : {"a ^ b", "tile[N^3]", "x^2", "N^", "2^w"}) EXPECT_EQ(with_powers(text), text);
}

TEST(Figures, a_plot_of_several_bases_names_each_once) {
    record::shown::Plot plot;
    plot.series = {{"a", {}, {}, {}, record::Basis::predicted},
                   {"b", {}, {}, {}, record::Basis::measured},
                   {"c", {}, {}, {}, record::Basis::predicted}};
    EXPECT_EQ(bases_of(plot, *Words::load("en")), "predicted, measured");
}

}  // namespace format_test
}  // namespace warpwright::report
