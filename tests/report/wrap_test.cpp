// Lines of a width.
#include "report/format.hpp"
#include "report/layout.hpp"

#include <gtest/gtest.h>

namespace warpwright::report {
namespace wrap_test {

TEST(Fold, lines_that_fit_are_left_alone) {
    EXPECT_EQ(fold("a  b\n\n  c\n", 10), "a  b\n\n  c\n");
    EXPECT_EQ(fold("of any width without one", 0), "of any width without one");
}

TEST(Fold, what_is_too_wide_goes_on_below) {
    EXPECT_EQ(fold("  one two three four five six seven", 20), "  one two three four\n    five six seven");
    // Under the column that it stands in, where that leaves room.
    EXPECT_EQ(fold("name    value   the source of the value is long", 44),
              "name    value   the source of the value is\n                long");
    EXPECT_EQ(fold("                 one two three four five", 36),
              "                 one two three four\n                 five");
}

TEST(Fold, a_word_that_is_too_wide_is_broken) { EXPECT_EQ(fold("aaaaaaaaaa", 4), "aaaa\n  aa\n  aa\n  aa"); }

TEST(Fold, a_figure_keeps_its_unit) {
    EXPECT_EQ(fold("it takes about 12 µs here", 17), "it takes about\n  12 µs here");
}

TEST(Fold, chinese_breaks_between_characters_and_not_before_a_mark) {
    EXPECT_EQ(fold("线程块的大小，与寄存器", 12), "线程块的大\n  小，与寄存\n  器");
}

TEST(Fold, colours_take_no_room) {
    EXPECT_EQ(fold("\x1b[31mone\x1b[0m two", 7), "\x1b[31mone\x1b[0m two");
    EXPECT_EQ(fold("\x1b[31mone\x1b[0m two three", 8), "\x1b[31mone\x1b[0m two\n  three");
}

TEST(Parts, keys_stand_in_every_part_and_texts_go_on_below) {
    Layout whole;
    whole.columns = {{"name", "", true}, {"first", ""}, {"second", ""}, {"third", ""}};
    whole.rows = {{{"a"}, {"1"}, {"2"}, {"3"}}, {{"b"}, {"4"}, {"5"}, {"6"}}};
    EXPECT_EQ(in_parts(whole, 0, false, false), whole.text(false, false));
    EXPECT_EQ(in_parts(whole, 20, false, false),
              "name  first  second\n----  -----  ------\na         1       2\nb         4       5\n"
              "\nname  third\n----  -----\na         3\nb         6\n");
    Layout texts;
    texts.columns = {{"key", "", true}, {"what it says", "", true}};
    texts.rows = {{{"a"}, {"one two three four five six"}}};
    EXPECT_EQ(in_parts(texts, 20, false, false),
              "key  what it says\n---  ---------------\na    one two three\n     four five six\n");
}

}  // namespace wrap_test
}  // namespace warpwright::report
