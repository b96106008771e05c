// How the report of a program says things: in the language of its words, in lines of a width.
#pragma once

#include <string>
#include <vector>

#include "text/words.hpp"

namespace warpwright::report {

class Say {
public:
    /// `width`: columns of a line; 0 for any.
    Say(const Words& words, std::size_t width) : words_(words), width_(width) {}

    const Words& words() const { return words_; }
    std::size_t width() const { return width_; }
    /// Whether the width has room for a table of so many columns.
    bool fits(std::size_t columns) const { return width_ == 0 || columns <= width_; }

    /// The text of a key, in the language of the words.
    std::string operator()(std::string_view key, const Values& values = {}) const { return words_(key, values); }
    std::string render(const Text& text) const { return words_.render(text); }
    /// A name that the program itself uses.
    std::string name(const std::string& name) const { return words_.name(name); }
    /// A sentence that the profile carries in English.
    std::string carried(const std::string& english) const { return words_.render(carried_text(english)); }
    std::string labelled(const std::string& label, const std::string& text) const {
        return words_.labelled(label, text);
    }
    /// A figure with the signs of the language.
    std::string figure(const std::string& english) const { return words_.figure(english); }
    /// nvprof's figures: "12.345us", "1.2346ms"; in other languages with a blank, as they write them.
    std::string time(double seconds) const;

    /// Adds the text as lines that begin with so many blanks; what the width has no room for goes on below, `hang`
    /// blanks further in. Nothing is left out: a word wider than a line is broken.
    void line(std::string& out, std::size_t blanks, const std::string& text, std::size_t hang = 2) const;

    /// A row of a table: its cells with two blanks between them, each as wide as its column; the last one, a name, goes
    /// on below itself, or below the row where little room is left beside it. A row of figures that is itself too wide
    /// is broken between cells.
    struct Column {
        std::size_t width;
        bool left = false;
    };
    void row(std::string& out, const std::vector<Column>& columns, const std::vector<std::string>& cells,
             const std::string& name) const;

private:
    const Words& words_;
    std::size_t width_;
};

}  // namespace warpwright::report
