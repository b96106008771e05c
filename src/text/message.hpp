// What a page says, before it is said in a language: a message is a key and its arguments, and a text is messages with
// names, figures and plain text between them. Printers put texts into the reader's language (words.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpwright {

/// A figure with its unit as English writes it ("1,234.5 GB/s"): texts show it with the signs and units of theirs.
struct Figure {
    std::string text;
    bool operator==(const Figure&) const = default;
};

struct Part;

/// What stands at one place of a page, in no language yet. Plain text converts to it, and texts are put together by +.
class Text {
public:
    Text();
    Text(std::string plain);  // NOLINT(google-explicit-constructor): names of kernels and files are texts as well
    Text(const char* plain);  // NOLINT(google-explicit-constructor)
    Text(Figure figure);      // NOLINT(google-explicit-constructor)
    explicit Text(Part part);
    Text(const Text&);
    Text(Text&&) noexcept;
    Text& operator=(const Text&);
    Text& operator=(Text&&) noexcept;
    ~Text();

    bool empty() const { return parts_.empty(); }
    const std::vector<Part>& parts() const { return parts_; }
    Text& operator+=(const Text& more);
    bool operator==(const Text& other) const;

private:
    std::vector<Part> parts_;  ///< none of them empty
};

inline Text operator+(Text one, const Text& other) { return one += other; }

/// An argument of a message.
using Value = std::variant<std::int64_t, double, Figure, Text>;
using Values = std::vector<std::pair<std::string, Value>>;

/// A key of data/text/<language>/*.toml and its arguments. `english` stands where no language has the key: the title of
/// a user's own ladder, a name that is the same everywhere.
struct Message {
    std::string key;
    Values values = {};
    std::string english = {};
    bool operator==(const Message&) const = default;
};

/// Wordings that a file had: language and text each, the first of which is shown where none is asked for.
struct Wordings {
    std::vector<std::pair<std::string, std::string>> all;
    bool operator==(const Wordings&) const = default;
};

struct Part {
    std::variant<std::string, Figure, Message, Wordings> what;
    bool operator==(const Part&) const = default;
};

/// The text of a key with its arguments.
Text message(std::string key, Values values = {});

/// The text of a key that English has elsewhere, as `english`: what languages lack stands so.
Text message_or(std::string key, const std::string& english);

/// A name that the program itself uses (a resource, a limit, a device), which languages have under "name.<name>"; as it
/// stands where they have none.
Text name_text(const std::string& name);

/// What a ladder's file says in English, which languages have under "ladders.<ladder>.<what>": "title", "about", and
/// of a rung "rung.<rung>.title", "rung.<rung>.why", "rung.<rung>.require".
Text ladder_text(const std::string& ladder, const std::string& what, const std::string& english);

/// "label: text" with the language's colon.
Text labelled(Text label, Text text);

/// A text of several wordings, the first of them shown where another language is asked for; plain text where all are
/// the same.
Text of_wordings(std::vector<std::pair<std::string, std::string>> wordings);

/// The languages of the wordings that the text has, in order; none where no file gave any.
std::vector<std::string> languages_of(const Text& text);

}  // namespace warpwright
