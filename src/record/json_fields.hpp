// Writes and reads JSON through one description of a type's members. A type lists its members in
//
//     template <class V> void fields(V& v, Time& t) { v("median_s", t.median_s); v.skip("cache", t.cache); }
//
// and both directions use that: v(key, member) is always written; v.skip leaves out a member that holds nothing (no
// value, no text, an empty list, 0, false); v.null writes null for it; v.when(there, key, member) decides itself. All
// may be missing when read, and are then not changed. Only for .cpp files: it includes the JSON library.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "record/bottleneck_text.hpp"
#include "record/metrics.hpp"
#include "record/record.hpp"

namespace warpwright::record {

/// The first error in a text: where ("records[2].grid"), and what.
struct JsonProblem {
    std::string path, what;
    bool any() const { return !what.empty(); }
};

template <class T>
bool holds_nothing(const T& v) {
    if constexpr (std::is_arithmetic_v<T>)
        return !(v > T{});
    else if constexpr (requires { v.empty(); })
        return v.empty();
    else
        return !v;
}

template <class V>
void fields(V& v, LineCounts& l) {
    v("file", l.file), v("line", l.line), v("counts", l.counts);
}

template <class V>
void fields(V& v, PredictedLine& l) {
    v("file", l.file), v("line", l.line), v("stalls", l.stalls);
}

template <class V>
void fields(V& v, Predicted& p) {
    v("seconds", p.seconds), v("method", p.method);
#define WARPWRIGHT_FIGURE(key, ...) v.skip(#key, p.key);
#include "record/predicted.inc"
    v.skip("peaks", p.peaks), v.skip("stalls", p.stalls), v.skip("lines", p.lines);
    const bool of_launches = p.launches != 1 || p.simulated != 0;
    v.when(of_launches, "launches", p.launches), v.when(of_launches, "simulated", p.simulated);
    v.skip("error", p.error), v.skip("error_class", p.error_class), v.skip("outside", p.outside);
}

/// A name of record/causes.inc.
struct CauseName {
    std::string text;
};
template <class Json>
void put(Json& out, const CauseName& name) {
    out = name.text;
}
template <class Json, class R>
void take(R& r, const Json& node, const std::string& path, CauseName& name) {
    r.read(node, path, name.text);
    if (!is_cause(name.text)) r.fail(path, "is no cause: '" + name.text + "'");
}

/// The sentences are for readers; they are made again from the numbers when it is read.
template <class V>
void fields(V& v, Bottleneck& b) {
    CauseName name{b.cause};
    v("cause", name), v("share", b.share);
    b.cause = name.text;
    v.when(b.line != 0, "file", b.file), v.when(b.line != 0, "line", b.line), v.skip("variable", b.variable);
    v.skip("evidence", b.evidence), v.skip("names", b.names), v.skip("way", b.way);
    std::string says = evidence_english(b), fix = fix_english(b);
    v("says", says), v("fix", fix);
}

/// Stands beside `predicted`, and is a member of it.
template <class V>
void causes_field(V& v, std::optional<Predicted>& p) {
    std::vector<Bottleneck> causes = p ? told(p->causes) : std::vector<Bottleneck>();
    v.skip("causes", causes);
    if constexpr (!requires { v.out; })  // a writer only reads
        if (p) p->causes = std::move(causes);
}

/// A type whose JSON value is not an object defines put() and take().
template <class Json>
void put(Json& out, const Extent& e) {
    out = Json::array({e.x, e.y, e.z});
}
template <class Json, class R>
void take(R& r, const Json& node, const std::string& path, Extent& e) {
    if (!node.is_array() || node.size() != 3) return r.fail(path, "must be three numbers");
    r.read(node[0], path, e.x), r.read(node[1], path, e.y), r.read(node[2], path, e.z);
}

/// `kSparse`: counts of zero are left out.
template <class Json, bool kSparse = false>
class JsonWriter {
public:
    Json out = Json::object();

    template <class T>
    void operator()(const char* key, const T& v) {
        out[key] = write(v);
    }
    template <class T>
    void skip(const char* key, const T& v) {
        if (!holds_nothing(v)) out[key] = write(v);
    }
    template <class T>
    void null(const char* key, const T& v) {
        out[key] = holds_nothing(v) ? Json() : write(v);
    }
    template <class T>
    void when(bool there, const char* key, const T& v) {
        if (there) out[key] = write(v);
    }

    template <class T>
    static Json write(const std::optional<T>& v) {
        return v ? write(*v) : Json();
    }
    template <class T>
    static Json write(const std::vector<T>& all) {
        if constexpr (requires(Json& j) { put(j, all); }) {
            Json out;
            put(out, all);
            return out;
        } else {
            Json out = Json::array();
            for (const T& one : all) out.push_back(write(one));
            return out;
        }
    }
    static Json write(const Counts& counts) { return by_count(counts.values); }
    template <class T>
    static Json write(const std::array<T, kCounts>& values) {
        return by_count(values);
    }
    template <class T, std::size_t n>
    static Json write(const std::array<T, n>& values) {
        Json out = Json::array();
        for (const T& one : values) out.push_back(write(one));
        return out;
    }
    template <class T>
    static Json write(const T& v) {
        Json out;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                      std::is_same_v<T, std::map<std::string, double>> ||
                      std::is_same_v<T, std::map<std::string, std::string>>) {
            out = v;
        } else if constexpr (requires { put(out, v); }) {
            put(out, v);
        } else {
            JsonWriter inner;
            fields(inner, const_cast<T&>(v));  // a writer only reads
            out = std::move(inner.out);
        }
        return out;
    }

private:
    template <class T>
    static Json by_count(const std::array<T, kCounts>& values) {
        Json out = Json::object();
        for (const CountName& name : count_names())
            if (const T v = values[static_cast<unsigned>(name.count)]; !kSparse || v > T{})
                out[std::string(name.key)] = v;
        return out;
    }
};

/// Reads an object. The first error is kept in `problem`; later reads then have no effect.
template <class Json>
class JsonReader {
public:
    /// `path` is the object's name in messages; empty: the document.
    JsonReader(const Json& node, std::string path, JsonProblem& problem)
        : node_(node), path_(std::move(path)), problem_(problem) {
        if (!node_.is_object()) fail(path_.empty() ? "the document" : path_, "must be an object");
    }

    /// A number that is null was not finite when it was written, and must not come back as 0.
    template <class T>
    void operator()(const char* key, T& v) {
        if constexpr (std::is_same_v<T, double>)
            if (const auto it = node_.find(key); it != node_.end() && it->is_null())
                v = std::numeric_limits<double>::quiet_NaN();
        skip(key, v);
    }
    template <class T>
    void skip(const char* key, T& v) {
        const auto it = node_.find(key);
        if (it != node_.end() && !it->is_null()) read(*it, path_.empty() ? key : path_ + '.' + key, v);
    }
    template <class T>
    void null(const char* key, T& v) {
        skip(key, v);
    }
    template <class T>
    void when(bool, const char* key, T& v) {
        (*this)(key, v);
    }

    void fail(const std::string& path, const std::string& what) {
        if (!problem_.any()) problem_ = {path, what};
    }

    void read(const Json& node, const std::string& path, std::string& out) {
        if (!node.is_string()) return fail(path, "must be a string");
        out = node.template get<std::string>();
    }
    void read(const Json& node, const std::string& path, bool& out) {
        if (!node.is_boolean()) return fail(path, "must be true or false");
        out = node.template get<bool>();
    }
    void read(const Json& node, const std::string& path, double& out) {
        if (!node.is_number()) return fail(path, "must be a number");
        out = node.template get<double>();
    }
    template <class T>
        requires std::is_unsigned_v<T>
    void read(const Json& node, const std::string& path, T& out) {
        if (!node.is_number_unsigned() || node.template get<std::uint64_t>() > std::numeric_limits<T>::max())
            return fail(path, "must be a whole number, not negative and in range");
        out = node.template get<T>();
    }
    template <class T>
    void read(const Json& node, const std::string& path, std::optional<T>& out) {
        read(node, path, out.emplace());
    }
    template <class T>
    void read(const Json& node, const std::string& path, std::vector<T>& out) {
        if constexpr (requires { take(*this, node, path, out); }) {
            take(*this, node, path, out);
        } else {
            constexpr bool strings = std::is_same_v<T, std::string>;
            if (!node.is_array()) return fail(path, strings ? "must be a list of strings" : "must be a list");
            for (std::size_t i = 0; i < node.size() && !problem_.any(); ++i)
                read(node[i], strings ? path : path + '[' + std::to_string(i) + ']', out.emplace_back());
        }
    }
    void read(const Json& node, const std::string& path, std::map<std::string, double>& out) {
        if (!node.is_object()) return fail(path, "must be an object");
        for (const auto& [key, item] : node.items()) read(item, path + '.' + key, out[key]);
    }
    void read(const Json& node, const std::string& path, std::map<std::string, std::string>& out) {
        if (!node.is_object()) return fail(path, "must be an object");
        for (const auto& [key, item] : node.items()) read(item, path + '.' + key, out[key]);
    }
    void read(const Json& node, const std::string& path, Counts& out) { read(node, path, out.values); }
    template <class T>
    void read(const Json& node, const std::string& path, std::array<T, kCounts>& out) {
        JsonReader inner(node, path, problem_);
        for (const CountName& name : count_names())
            if (name.synonym_meaning.empty())
                inner(std::string(name.key).c_str(), out[static_cast<unsigned>(name.count)]);
    }
    template <class T, std::size_t n>
    void read(const Json& node, const std::string& path, std::array<T, n>& out) {
        if (!node.is_array() || node.size() != n) return fail(path, "must be a list of " + std::to_string(n));
        for (std::size_t i = 0; i < n; ++i) read(node[i], path, out[i]);
    }
    template <class T>
    void read(const Json& node, const std::string& path, T& out) {
        if constexpr (requires { take(*this, node, path, out); }) {
            take(*this, node, path, out);
        } else {
            JsonReader inner(node, path, problem_);
            if (node.is_object()) fields(inner, out);
        }
    }

private:
    const Json& node_;
    std::string path_;
    JsonProblem& problem_;
};

}  // namespace warpwright::record
