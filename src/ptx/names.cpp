// Names are undone scope by scope through a log, so that closing a scope costs as much as it declared. Names with a
// number are looked for in ranges first, and among the others only where some name has the same beginning.
#include "ptx/names.hpp"

#include <string>

namespace warpwright::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "%r12" -> length of "%r"; the whole length when there is no number, or one with a leading zero
// ("%r01" belongs to no range).
std::size_t prefix_length(std::string_view name) {
    std::size_t n = name.size();
    while (n > 0 && is_digit(name[n - 1])) --n;
    if (name.size() - n > 1 && name[n] == '0') return name.size();
    return n;
}

}  // namespace

void Names::close() {
    Mark mark = marks_.back();
    marks_.pop_back();
    while (exact_log_.size() > mark.exact) {
        Undo& last = exact_log_.back();
        if (last.before)
            exact_[last.name] = *last.before;
        else
            exact_.erase(last.name);
        exact_log_.pop_back();
    }
    while (range_log_.size() > mark.range) {
        ranges_[range_log_.back()].pop_back();
        range_log_.pop_back();
    }
    if (marks_.empty()) numbered_.clear();
}

bool Names::declare(std::string_view name, Name what) {
    what.depth = depth();
    if (auto range = find_in_range(name); range && range->depth == what.depth) return false;
    auto [it, fresh] = exact_.try_emplace(name, what);
    if (!fresh && it->second.depth == what.depth) return false;
    exact_log_.push_back({name, fresh ? std::nullopt : std::optional<Name>(it->second)});
    it->second = what;
    if (std::size_t n = prefix_length(name); n != name.size()) numbered_.insert(name.substr(0, n));
    return true;
}

bool Names::declare_range(std::string_view prefix, std::uint32_t first, std::uint32_t count) {
    if (numbered_.contains(prefix)) {
        // Some name might be in both. The parser limits `count`, so all of them can be tested.
        std::string name;
        for (std::uint32_t i = 0; i < count; ++i) {
            name.assign(prefix).append(std::to_string(i));
            auto it = exact_.find(name);
            if (it != exact_.end() && it->second.depth == depth()) return false;
        }
    }
    std::vector<Range>& stack = ranges_[prefix];
    if (!stack.empty() && stack.back().depth == depth()) return false;
    stack.push_back({first, count, depth()});
    range_log_.push_back(prefix);
    return true;
}

std::optional<Name> Names::find_in_range(std::string_view name) const {
    std::size_t n = prefix_length(name);
    if (n == name.size() || name.size() - n > 9) return std::nullopt;
    auto it = ranges_.find(name.substr(0, n));
    if (it == ranges_.end()) return std::nullopt;
    std::uint32_t number = 0;
    for (char c : name.substr(n)) number = number * 10 + static_cast<std::uint32_t>(c - '0');
    for (auto range = it->second.rbegin(); range != it->second.rend(); ++range)
        if (number < range->count) return Name{Name::Kind::reg, 1, range->first + number, range->depth};
    return std::nullopt;
}

std::optional<Name> Names::find(std::string_view name) const {
    std::optional<Name> range = find_in_range(name);
    if (range && !numbered_.contains(name.substr(0, prefix_length(name)))) return range;
    auto it = exact_.find(name);
    if (it == exact_.end()) return range;
    if (range && range->depth > it->second.depth) return range;
    return it->second;
}

}  // namespace warpwright::ptx
