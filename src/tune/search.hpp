// Searches of a space: each proposes candidates and receives their results. None proposes a point twice, and all are
// the same for the same seed and the same results, on any machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tune/space.hpp"

namespace warpwright::tune {

enum class Method { exhaustive, random, evolutionary, model };

std::string_view method_name(Method method);
/// Absent for an unknown word.
std::optional<Method> find_method(std::string_view name);

class Search {
public:
    virtual ~Search() = default;
    /// At most `most` points to try next, never empty unless the search is over. The caller reports all of them before
    /// the next call.
    virtual std::vector<std::size_t> next(std::size_t most) = 0;
    /// `seconds` is absent if the point was refused, did not run or was wrong.
    virtual void tell(std::size_t index, std::optional<double> seconds) = 0;
    /// Why it is over, if the reason is not that every candidate was tried.
    virtual std::string_view ended() const { return {}; }
};

/// `at_once`: how many points the model-guided search proposes from the same knowledge (1 where they run one by one).
/// The space must outlive it.
std::unique_ptr<Search> make_search(Method method, const Space& space, std::uint64_t seed, std::size_t at_once = 1);

/// Random numbers that are the same everywhere (the standard library's distributions are not).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed + 0x9e3779b97f4a7c15u) {}
    std::uint64_t next();
    std::size_t below(std::size_t end);  ///< from 0; 0 for an `end` of 0
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

}  // namespace warpwright::tune
