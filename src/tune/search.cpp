// Four ways to propose points: all in order, random, an evolution with the best as parents, and a model of times
// (surrogate.hpp) whose expected improvement chooses. One generator of random numbers serves all, so that a seed
// repeats a search.
#include "tune/search.hpp"

#include <algorithm>

#include "tune/searches.hpp"

namespace warpwright::tune {

namespace {

constexpr std::string_view kNames[] = {"exhaustive", "random", "evolutionary", "model"};

/// Proposes the candidates in a predetermined order.
class InOrder final : public Search {
public:
    explicit InOrder(std::vector<std::size_t> order) : order_(std::move(order)) {}
    std::vector<std::size_t> next(std::size_t most) override {
        const std::size_t end = std::min(order_.size(), at_ + most);
        std::vector<std::size_t> out(order_.begin() + static_cast<std::ptrdiff_t>(at_),
                                     order_.begin() + static_cast<std::ptrdiff_t>(end));
        at_ = end;
        return out;
    }
    void tell(std::size_t, std::optional<double>) override {}

private:
    std::vector<std::size_t> order_;
    std::size_t at_ = 0;
};

/// The best so far are parents, and stay until better ones come (a "plus" selection, so the best is never lost). A
/// child takes each axis from either of two parents; then some axes change, numbers mostly to the next value.
class Evolution final : public Search {
public:
    Evolution(const Space& space, std::uint64_t seed)
        : space_(space), random_(seed), untried_(space.candidates()), is_tried_(space.size(), false) {
        // Enough to see each axis at several values, but few of a small space.
        const std::size_t all = untried_.size();
        parents_ = std::clamp<std::size_t>(all / 8, 2, 8);
        first_ = std::min(all, std::clamp<std::size_t>(all / 6, 4, 16));
    }

    std::vector<std::size_t> next(std::size_t most) override {
        std::vector<std::size_t> out;
        while (out.size() < most && !untried_.empty()) {
            // The first ones are random, and so are all until something has run.
            const std::size_t index = proposed_ < first_ || pool_.empty() ? any() : child();
            take(index);
            ++proposed_;
            out.push_back(index);
        }
        return out;
    }

    void tell(std::size_t index, std::optional<double> seconds) override {
        if (!seconds) return;
        const auto at = std::upper_bound(pool_.begin(), pool_.end(), *seconds,
                                         [](double s, const Scored& other) { return s < other.seconds; });
        pool_.insert(at, {index, *seconds});
        if (pool_.size() > parents_) pool_.resize(parents_);
    }

private:
    struct Scored {
        std::size_t index;
        double seconds;
    };

    std::size_t any() { return untried_[random_.below(untried_.size())]; }
    void take(std::size_t index) {
        is_tried_[index] = true;
        untried_.erase(std::lower_bound(untried_.begin(), untried_.end(), index));
    }
    /// The better of two random ones.
    const Scored& parent() { return pool_[std::min(random_.below(pool_.size()), random_.below(pool_.size()))]; }

    std::size_t child() {
        for (int attempt = 0; attempt < 40; ++attempt) {
            const Point a = space_.point(parent().index), b = space_.point(parent().index);
            Point c = a;
            for (std::size_t i = 0; i < c.size(); ++i)
                if (random_.below(2)) c[i] = b[i];
            const std::size_t changes = 1 + random_.below(2);
            for (std::size_t n = 0; n < changes; ++n) mutate(c);
            const std::size_t index = space_.index(c);
            if (space_.is_candidate(index) && !is_tried_[index]) return index;
        }
        return any();  // all neighbours of the parents are known
    }

    void mutate(Point& p) {
        const std::size_t dimensions = space_.dimensions();
        if (dimensions == 0) return;
        std::size_t wanted = random_.below(dimensions), axis = 0;
        for (;; ++axis) {
            if (space_.axes()[axis].values.size() < 2) continue;
            if (wanted-- == 0) break;
        }
        const auto values = static_cast<std::uint32_t>(space_.axes()[axis].values.size());
        if (space_.ordered(axis) && random_.unit() < 0.75) {
            const bool up = p[axis] == 0 || (p[axis] + 1 < values && random_.below(2) == 1);
            p[axis] = up ? p[axis] + 1 : p[axis] - 1;
        } else {
            p[axis] = static_cast<std::uint32_t>(random_.below(values));
        }
    }

    const Space& space_;
    Random random_;
    std::vector<std::size_t> untried_;  ///< ascending
    std::vector<bool> is_tried_;
    std::vector<Scored> pool_;  ///< the parents, best first
    std::size_t parents_, first_, proposed_ = 0;
};

}  // namespace

std::uint64_t
Random::next() {  // splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::size_t Random::below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(next() % end); }

std::string_view method_name(Method method) { return kNames[static_cast<int>(method)]; }

std::optional<Method> find_method(std::string_view name) {
    for (int i = 0; i < 4; ++i)
        if (kNames[i] == name) return static_cast<Method>(i);
    return std::nullopt;
}

std::unique_ptr<Search> make_search(Method method, const Space& space, std::uint64_t seed, std::size_t at_once) {
    switch (method) {
        case Method::evolutionary:
            return std::make_unique<Evolution>(space, seed);
        case Method::model:
            return make_guided(space, at_once);
        case Method::exhaustive:
            return std::make_unique<InOrder>(space.candidates());
        case Method::random:
            break;
    }
    std::vector<std::size_t> order = space.candidates();
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return std::make_unique<InOrder>(std::move(order));
}

}  // namespace warpwright::tune
