// Pieces of the HTML report: blocks as markup, and the data that the page's script reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// Escaped text in which `back quotes` became <code>.
std::string inline_html(std::string_view text);

/// A JSON string, safe inside a <script> element as well.
std::string json_string(std::string_view text);
/// Shortest form that reads back the same; null for what is not finite.
std::string json_number(double value);

/// Blocks as the document's first language has them, by name: further languages point to those that are the same.
struct SharedBlocks {
    std::map<std::string, std::string> markup, data;
};

/// Puts a page's blocks out as HTML and gathers what the script needs.
class HtmlBlocks {
public:
    /// `first`: in the document's first language.
    HtmlBlocks(const record::shown::Page& page, const Words& words, std::string& data, SharedBlocks& shared, bool first)
        : page_(page), words_(words), data_(data), shared_(shared), first_(first) {}

    std::string section(const record::shown::Section& section, const std::string& id);

private:
    std::string block(const record::shown::Paragraph& paragraph);
    std::string block(const record::shown::Table& table);
    std::string block(const record::shown::Plot& plot);
    std::string block(const record::shown::CellMap& map);
    std::string block(const record::shown::Timeline& timeline);
    std::string block(const record::shown::Listing& listing);

    /// The opening of a block's figure with its title; `kind` is its class and the script's hook.
    std::string open(const char* kind, const std::string& id, const std::string& title,
                     const std::string& basis = {}) const;
    std::string caption(const std::string& text) const;
    std::string name(const std::string& id) const;
    void give(const std::string& name, const std::string& json);
    std::string once(const record::shown::Block& block);

    const record::shown::Page& page_;
    const Words& words_;
    std::string& data_;  ///< members of a JSON object: "id": {...}, each after the first with a comma before
    SharedBlocks& shared_;
    const bool first_;
    bool listing_shown_ = false;
};

}  // namespace warpwright::report
