// The structures are taken apart by structured bindings: one with a new member does not compile until it is written and
// read here. Both directions run over the same list of members.
#include "predict/known_simulation.hpp"

#include <algorithm>
#include <memory>

#include "support/bytes_of_values.hpp"
#include "support/content_hash.hpp"

namespace warpwright::predict {

namespace {

template <class F, class T>
void members(F&& f, T& value);

/// A ByteWriter that knows this room's structures.
class Writer {
public:
    template <class... T>
    void operator()(const T&... values) {
        (one(values), ...);
    }
    std::string take() { return std::move(bytes_).bytes(); }

private:
    template <class T>
    void one(const T& value) {
        if constexpr (requires { bytes_.add(value); })
            bytes_.add(value);
        else
            members(*this, value);
    }
    template <class T>
    void one(const std::optional<T>& value) {
        bytes_.add(value.has_value());
        if (value) one(*value);
    }
    template <class T>
    void one(const std::vector<T>& values) {
        bytes_.each(values, [this](const T& v) { one(v); });
    }

    ByteWriter bytes_;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    template <class... T>
    void operator()(T&... values) {
        (one(values), ...);
    }
    bool complete() const { return bytes_.complete(); }

private:
    template <class T>
    void one(T& value) {
        if constexpr (requires { bytes_.read(value); })
            bytes_.read(value);
        else
            members(*this, value);
    }
    template <class T>
    void one(std::optional<T>& value) {
        bool there = false;
        bytes_.read(there);
        value.reset();
        if (there) one(value.emplace());
    }
    template <class T>
    void one(std::vector<T>& values) {
        values.clear();
        bytes_.each([&] { one(values.emplace_back()); });
    }

    ByteReader bytes_;
};

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

template <class F, class T>
void members(F&& f, T& value) {
    if constexpr (Is<T, record::Counts>) {
        f(value.values);
    } else if constexpr (Is<T, record::Extent>) {
        auto& [x, y, z] = value;
        f(x, y, z);
    } else if constexpr (Is<T, record::Joined>) {
        auto& [instructions, integer, shared_requests, shared_wavefronts] = value;
        f(instructions, integer, shared_requests, shared_wavefronts);
    } else if constexpr (Is<T, record::Touched>) {
        auto& [read, written, joined] = value;
        f(read, written, joined);
    } else if constexpr (Is<T, Work>) {
        auto& [counts, grid, block, registers, registers_source, shared, local, touched, allocations, launches, trace,
               in_a_row, per_line, compulsory_bytes, tensor_type] = value;
        f(counts, grid, block, registers, registers_source, shared, local, touched, allocations, launches, in_a_row,
          per_line, compulsory_bytes, tensor_type);
    } else if constexpr (Is<T, record::Bottleneck>) {
        auto& [cause, share, file, line, variable, way, evidence, names] = value;
        f(cause, share, file, line, variable, way, evidence, names);
    } else if constexpr (Is<T, record::PredictedLine>) {
        auto& [file, line, stalls] = value;
        f(file, line, stalls);
    } else if constexpr (Is<T, record::Predicted>) {
        f(value.seconds, value.method);
        for (const record::FigureInfo& figure : record::figures()) f(value.*figure.value);
        f(value.peaks, value.stalls, value.causes, value.lines, value.launches, value.simulated, value.error,
          value.error_class, value.outside);
    } else {
        static_assert(Is<T, KnownSimulation>);
        f(value.sampled, value.read, value.written, value.atomics, value.turns, value.work, value.predicted,
          value.asked.lines, value.asked.answers);
    }
}

/// So many lines are asked again at most.
constexpr std::uint64_t kMostAsked = 1u << 20;

/// Adds a line to rows of lines: their first and last ones.
void note(std::vector<unsigned>& rows, unsigned line) {
    for (std::size_t k = 0; k + 1 < rows.size(); k += 2)
        if (rows[k] <= line && line <= rows[k + 1]) return;
    if (!rows.empty() && rows.back() + 1 == line)
        rows.back() = line;
    else
        rows.insert(rows.end(), {line, line});
}

}  // namespace

SourceLine LinesAsked::noting(const SourceLine& source) {
    return [this, &source](const std::string& file, unsigned line) {
        note(lines[file], line);
        return source ? source(file, line) : std::nullopt;
    };
}

std::string LinesAsked::answers_of(const SourceLine& source) const {
    ByteWriter w;
    std::uint64_t left = kMostAsked;
    for (const auto& [file, rows] : lines)
        for (std::size_t k = 0; k + 1 < rows.size(); k += 2)
            for (std::uint64_t line = rows[k]; line <= rows[k + 1] && left > 0; ++line, --left)
                w.add(source ? source(file, static_cast<unsigned>(line)) : std::nullopt);
    return content_hash(w.bytes());
}

std::string bytes_of(const Work& work) {
    Writer w;
    w(work);
    return w.take();
}

std::string encoded(const KnownSimulation& known) {
    Writer w;
    w(known);
    return w.take();
}

std::optional<KnownSimulation> decoded(std::string_view bytes) {
    Reader r(bytes);
    std::optional<KnownSimulation> out(std::in_place);
    r(*out);
    return r.complete() ? std::move(out) : std::nullopt;
}

}  // namespace warpwright::predict
