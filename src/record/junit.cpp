// Texts come from programs and sources: everything is escaped here.
#include "record/junit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpwright::record {
namespace {

std::string xml(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (byte >= 0x20 || c == '\n' || c == '\t')
            out += c;
    }
    return out;
}

std::string attribute(const char* name, const std::string& value) {
    std::string one_line = value;
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    return fmt::format(" {}=\"{}\"", name, xml(one_line));
}

std::string counts_of(const std::vector<const TestCase*>& cases) {
    const auto failed = std::count_if(cases.begin(), cases.end(), [](const auto* c) { return !c->failure.empty(); });
    const auto skipped = std::count_if(cases.begin(), cases.end(), [](const auto* c) { return !c->skipped.empty(); });
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", cases.size(), failed, skipped);
}

std::string case_xml(const TestCase& c) {
    std::string out = "    <testcase" + attribute("classname", c.suite) + attribute("name", c.name);
    if (!c.file.empty()) out += attribute("file", c.file);
    if (c.line) out += attribute("line", std::to_string(c.line));
    if (!c.failure.empty())
        return out + ">\n      <failure" + attribute("message", c.failure) + ">" + xml(c.text) +
               "</failure>\n    </testcase>\n";
    if (!c.skipped.empty())
        return out + ">\n      <skipped" + attribute("message", c.skipped) + "/>\n    </testcase>\n";
    return out + "/>\n";
}

}  // namespace

std::string junit_xml(const std::vector<TestSuite>& suites, const std::string& name) {
    std::vector<const TestCase*> all;
    std::string inner;
    for (const TestSuite& s : suites) {
        std::vector<const TestCase*> own;
        std::string cases;
        for (const TestCase& c : s.cases) own.push_back(&c), cases += case_xml(c);
        inner += "  <testsuite" + attribute("name", s.name) + counts_of(own) + ">\n" + cases + "  </testsuite>\n";
        all.insert(all.end(), own.begin(), own.end());
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + (name.empty() ? "" : attribute("name", name)) +
           counts_of(all) + ">\n" + inner + "</testsuites>\n";
}

std::string junit_xml(const std::string& name, const std::vector<TestCase>& cases) {
    return junit_xml({{name, cases}});
}

std::string markdown_cell(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            out += ' ';
            continue;
        }
        if (c == '<') {
            out += "&lt;";
            continue;
        }
        if (c == '&') {
            out += "&amp;";
            continue;
        }
        constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~>@";
        if (kMarkup.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

}  // namespace warpwright::record
