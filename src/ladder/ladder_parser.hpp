// The parser of ladder.toml, internal to this room: one function per table, which fill a Ladder; the reader keeps the
// first problem with its place. parse.cpp has the ladder's own tables, the other files those that their names say.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "ladder/ladder.hpp"
#include "ladder/toml_reader.hpp"

namespace warpwright::ladder {

/// A rung's keys, then those of [defaults].
struct Layers {
    std::vector<const toml::table*> tables;
    const toml::node* operator[](std::string_view key) const {
        for (const toml::table* t : tables)
            if (t)
                if (const toml::node* node = t->get(key)) return node;
        return nullptr;
    }
};

#define WARPWRIGHT_LAUNCH_KEYS \
    "entry", "grid", "block", "cluster", "shared", "arguments", "repeat", "cooperative", "programmatic", "ahead"

class LadderParser {
public:
    explicit LadderParser(std::string file) : file_(std::move(file)), reader_(file_) {}

    Result<Ladder> run(const toml::table& root);

private:
    std::string required_text(const toml::table& table, std::string_view key);
    void problem();
    /// `usual = { T = ["f32"] }`: the values of the ladder's axes that run by default.
    void usual();
    std::vector<Axis> axes(const toml::table& table);
    /// `type = { axis = "T", f32 = "tf32" }`: the axis's name becomes `type`, the types of its words `types`.
    void types_by_axis(const toml::table& t, std::string& type, std::map<std::string, std::string>& types,
                       bool tf32 = false);
    /// For a table by the words of an axis: checks that the axis exists and has the words.
    void check_words(const std::string& name, const std::map<std::string, std::string>& by_word, const Location& where);
    void buffer(const toml::table& t);
    /// An element type, tf32, or an axis of the ladder or the rung.
    void check_type(const std::string& text, const Location& where, const std::vector<Axis>& axes);

    std::array<Expression, 3> extent(const toml::node* node, std::string_view key);
    std::vector<Expression> list(const toml::table& t, const char* key, std::size_t most);
    Argument tensor_map(const toml::table& t);
    Argument argument(const toml::node& node);
    Launch launch(const Layers& layers, const Location& where);

    void rung(const toml::table& t);
    /// The kernel's source with its launches, the CPU's loop, or the library that a rung runs.
    void work(const toml::table& t, const Layers& layers, Rung& r);
    /// The devices and sizes for which a rung runs.
    void conditions(const toml::table& t, Rung& r);
    /// `unit = { axis = "T", f32 = "tf32" }`: for that word of the axis; the others have the unit of their type.
    void units_by_axis(const toml::table& t, Rung& r);
    /// A word for a unit, or an axis of them.
    void check_unit(const std::string& text, const Location& where, const std::vector<Axis>& axes);
    Tolerance tolerance(const toml::table& t);
    void lets(const toml::table& t, Rung& r);
    void defines(const toml::table& t, Rung& r);

    void reference(const toml::table& t);
    void only_for(const toml::table& t, const char* key, const std::string& is, const char* wanted);
    /// One of the words, or an axis of the ladder that has only such words.
    std::string choice(const toml::table& t, const char* key, const std::string& otherwise,
                       std::initializer_list<std::string_view> words);

    std::string file_;
    TomlReader reader_;
    Ladder ladder_;
    const toml::table* root_ = nullptr;
    const toml::table* defaults_ = nullptr;
    std::vector<Axis> rung_axes_;  ///< of the rung that is being read
};

}  // namespace warpwright::ladder
