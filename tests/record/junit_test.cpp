// JUnit's XML and cells of Markdown: whatever a text has in it, the file stays what it is.
#include "record/junit.hpp"

#include <gtest/gtest.h>

namespace warpwright::record {
namespace junit_test {

TEST(Junit, CountsAndEscapes) {
    const std::string xml = junit_xml("a & b", {{"s", "passes", "", "", ""},
                                                {"s", "f<1>", "is \"wrong\"\nhere", "a\x01 line\n]]>", "", "k.cu", 3},
                                                {"s", "later", "", "", "not there"}});
    EXPECT_EQ(xml, R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="a &amp; b" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="s" name="passes"/>
    <testcase classname="s" name="f&lt;1&gt;" file="k.cu" line="3">
      <failure message="is &quot;wrong&quot; here">a line
]]&gt;</failure>
    </testcase>
    <testcase classname="s" name="later">
      <skipped message="not there"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(Markdown, ACellIsItsText) {
    EXPECT_EQ(markdown_cell("a|b\n<img> `x` [l](u) @all"), "a\\|b &lt;img\\> \\`x\\` \\[l\\]\\(u\\) \\@all");
}

}  // namespace junit_test
}  // namespace warpwright::record
