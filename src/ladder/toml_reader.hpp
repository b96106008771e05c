// Reads a TOML table key by key, keeping the first problem with its line: for ladders, and for the exercises around
// them.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "ladder/expression.hpp"
#include "support/toml_text.hpp"

namespace warpwright::ladder {

class TomlReader {
public:
    explicit TomlReader(std::string file) : file_(std::move(file)) {}

    const std::optional<Error>& error() const { return error_; }
    void fail(Location where, std::string what, std::string hint = "") {
        if (!error_) error_ = Error{ErrorKind::input, std::move(what), std::move(where), std::move(hint)};
    }
    void fail(Error error) {
        if (!error_) error_ = std::move(error);
    }
    Location at(const toml::node& node) const { return at(node.source()); }
    Location at(const toml::source_region& region) const {
        return Location{region.path ? *region.path : file_, static_cast<unsigned>(region.begin.line),
                        static_cast<unsigned>(region.begin.column)};
    }

    /// Fails at the first key that is not in the list.
    void keys(const toml::table& table, std::initializer_list<std::string_view> allowed, std::string_view what) {
        for (auto&& [key, value] : table) {
            bool known = false;
            for (std::string_view a : allowed) known = known || key.str() == a;
            if (known) continue;
            std::string hint = "known: ";
            for (std::string_view a : allowed) hint += (hint.size() == 7 ? "" : ", ") + std::string(a);
            fail(at(key.source()), "unknown key '" + std::string(key.str()) + "' in " + std::string(what), hint);
        }
    }

    std::optional<std::string> text(const toml::node* node, std::string_view key) {
        if (!node) return std::nullopt;
        if (auto* s = node->as_string()) return s->get();
        fail(at(*node), "'" + std::string(key) + "' must be a string");
        return std::nullopt;
    }
    bool boolean(const toml::node* node, std::string_view key, bool otherwise) {
        if (!node) return otherwise;
        if (auto* b = node->as_boolean()) return b->get();
        fail(at(*node), "'" + std::string(key) + "' must be true or false");
        return otherwise;
    }
    /// A string or a number, parsed as an expression.
    std::optional<Expression> expression(const toml::node* node, std::string_view key) {
        if (!node) return std::nullopt;
        std::string text;
        if (auto* s = node->as_string())
            text = s->get();
        else if (auto* i = node->as_integer())
            text = std::to_string(i->get());
        else if (auto* f = node->as_floating_point())
            text = fmt::format("{:.17g}", f->get());
        else {
            fail(at(*node), "'" + std::string(key) + "' must be an expression (a string or a number)");
            return std::nullopt;
        }
        auto parsed = Expression::parse(text, at(*node));
        if (!parsed) {
            fail(parsed.error());
            return std::nullopt;
        }
        return std::move(*parsed);
    }
    std::vector<std::string> texts(const toml::node* node, std::string_view key) {
        std::vector<std::string> out;
        if (!node) return out;
        auto* array = node->as_array();
        if (!array) {
            fail(at(*node), "'" + std::string(key) + "' must be a list of strings");
            return out;
        }
        for (const toml::node& item : *array)
            if (auto s = text(&item, key)) out.push_back(*s);
        return out;
    }
    const toml::table* table(const toml::node* node, std::string_view key) {
        if (!node) return nullptr;
        if (auto* t = node->as_table()) return t;
        fail(at(*node), "'" + std::string(key) + "' must be a table");
        return nullptr;
    }
    /// The tables of an array of tables ([[key]]).
    std::vector<const toml::table*> tables(const toml::node* node, std::string_view key) {
        std::vector<const toml::table*> out;
        if (!node) return out;
        if (auto* array = node->as_array())
            for (const toml::node& item : *array) {
                if (auto* t = item.as_table())
                    out.push_back(t);
                else
                    fail(at(item), "'" + std::string(key) + "' must be a list of tables");
            }
        else
            fail(at(*node), "'" + std::string(key) + "' must be a list of tables");
        return out;
    }

private:
    std::string file_;
    std::optional<Error> error_;
};

}  // namespace warpwright::ladder
