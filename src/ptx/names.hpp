// Scopes and the meanings of names in them: a name hides the same name of an outer scope until its own scope closes.
// `%r<27>` is kept as one range, so that a thousand registers cost one entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace warpwright::ptx {

struct Name {
    enum class Kind : std::uint8_t { reg, vector_reg, variable, function };
    Kind kind{};
    std::uint8_t width = 1;  ///< vector_reg: components, in registers id, id + 1, ...
    std::uint32_t id = 0;
    std::uint32_t depth = 0;  ///< scope it was declared in; 0: module
};

class Names {
public:
    void open() { marks_.push_back({exact_log_.size(), range_log_.size()}); }
    void close();
    std::uint32_t depth() const { return static_cast<std::uint32_t>(marks_.size()); }

    /// False when this scope already has the name. `name` must outlive the scope.
    bool declare(std::string_view name, Name what);
    /// Declares prefix0, prefix1, ... prefix(count-1) as registers first, first + 1, ...
    bool declare_range(std::string_view prefix, std::uint32_t first, std::uint32_t count);
    std::optional<Name> find(std::string_view name) const;

private:
    struct Range {
        std::uint32_t first = 0, count = 0, depth = 0;
    };
    struct Mark {
        std::size_t exact, range;
    };
    struct Undo {
        std::string_view name;
        std::optional<Name> before;
    };
    std::optional<Name> find_in_range(std::string_view name) const;

    std::unordered_map<std::string_view, Name> exact_;
    std::unordered_map<std::string_view, std::vector<Range>> ranges_;  ///< innermost scope last
    std::unordered_set<std::string_view> numbered_;                    ///< prefixes of exact names that end in digits
    std::vector<Undo> exact_log_;
    std::vector<std::string_view> range_log_;
    std::vector<Mark> marks_;
};

}  // namespace warpwright::ptx
