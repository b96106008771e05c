// What was checked, as a list of test cases in JUnit's XML, which CI servers show as they show tests.
#pragma once

#include <string>
#include <vector>

namespace warpwright::record {

struct TestCase {
    std::string suite, name;  ///< "classname" and "name"
    std::string failure;      ///< in a line; empty: it passed
    std::string text;         ///< more on the failure
    std::string skipped;      ///< why nothing was checked; empty: it was
    std::string file = {};    ///< of the source, where one is to blame
    unsigned line = 0;
};

struct TestSuite {
    std::string name;
    std::vector<TestCase> cases;
};

/// What XML does not allow is left out of texts. `name`: of all together; empty: none.
std::string junit_xml(const std::vector<TestSuite>& suites, const std::string& name = "");
/// One suite with all of them.
std::string junit_xml(const std::string& name, const std::vector<TestCase>& cases);

/// A text in a cell of a Markdown table, as it stands: neither markup nor the end of the cell.
std::string markdown_cell(const std::string& text);

}  // namespace warpwright::record
