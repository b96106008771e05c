// Pages that hold all their texts in every language and show one: elements with a language of their own, the style that
// hides the others, and the row of buttons that chooses.
#pragma once

#include <string>

#include "text/words.hpp"

namespace warpwright::report {

/// A text between tags of that name, escaped: its wording in each language of the words in an element of its own, of
/// which the page's style shows one. Without tags where the words are of one language, or all wordings are the same.
std::string in_tags(const char* tag, const Text& text, const Words& words);

/// The opening of the document: its root says which language is shown first.
std::string language_root(const Words& words);
/// Rules that show only the chosen language's elements, and the buttons' look; empty for one language.
std::string language_style(const Words& words);
/// A button for each language; empty for one. Without the script they are hidden.
std::string language_row(const Words& words);
/// Shows the page's own language, that of ?lang=, or that of the button pressed; tells it as the event "language".
std::string language_script(const Words& words);

}  // namespace warpwright::report
