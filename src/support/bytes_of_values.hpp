// Values as bytes, for keys of what is kept on disk and for the entries themselves: the same bytes for the same values,
// to the bit of each number. The reader takes any bytes: what is not what it asks for ends the reading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpwright {

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ByteWriter {
public:
    template <class... T>
    ByteWriter& all(const T&... values) {
        (add(values), ...);
        return *this;
    }
    template <PlainValue T>
    void add(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void add(std::string_view text) {
        add(std::uint64_t{text.size()});
        bytes_ += text;
    }
    void add(const std::string& text) { add(std::string_view(text)); }
    template <class A, class B>
    void add(const std::pair<A, B>& pair) {
        all(pair.first, pair.second);
    }
    template <class T>
    void add(const std::optional<T>& value) {
        add(value.has_value());
        if (value) add(*value);
    }
    template <class T, std::size_t N>
    void add(const std::array<T, N>& values) {
        for (const T& v : values) add(v);
    }
    template <class T>
    void add(const std::vector<T>& values) {
        each(values, [this](const T& v) { add(v); });
    }
    template <class K, class V>
    void add(const std::map<K, V>& values) {
        each(values, [this](const auto& v) { add(v); });
    }
    /// Their number, and what `f` adds for each.
    template <class Values, class F>
    void each(const Values& values, F&& f) {
        add(std::uint64_t{values.size()});
        for (const auto& v : values) f(v);
    }

    const std::string& bytes() const& { return bytes_; }
    std::string bytes() && { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads what a ByteWriter has written, in the same order. After the first failure nothing is read any more.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : left_(bytes) {}

    /// Everything was there, and nothing more.
    bool complete() const { return ok_ && left_.empty(); }

    template <class... T>
    ByteReader& all(T&... values) {
        (read(values), ...);
        return *this;
    }
    template <PlainValue T>
    void read(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            std::uint8_t byte = 0;
            read(byte);
            if (byte > 1) fail();  // no value of a bool
            value = byte == 1;
        } else if (take(sizeof value)) {
            std::memcpy(&value, taken_.data(), sizeof value);
        }
    }
    void read(std::string& text) {
        std::uint64_t size = 0;
        read(size);
        if (take(size)) text = taken_;
    }
    template <class A, class B>
    void read(std::pair<A, B>& pair) {
        all(pair.first, pair.second);
    }
    template <class T>
    void read(std::optional<T>& value) {
        bool there = false;
        read(there);
        value.reset();
        if (ok_ && there) read(value.emplace());
    }
    template <class T, std::size_t N>
    void read(std::array<T, N>& values) {
        for (T& v : values) read(v);
    }
    template <class T>
    void read(std::vector<T>& values) {
        values.clear();
        each([&] { read(values.emplace_back()); });
    }
    template <class K, class V>
    void read(std::map<K, V>& values) {
        values.clear();
        each([&] {
            std::pair<K, V> one;
            read(one);
            if (!values.empty() && !(values.rbegin()->first < one.first)) fail();  // a map is written in its order
            if (ok_) values.insert(values.end(), std::move(one));
        });
    }
    /// Calls `f` as often as ByteWriter::each() did, as long as all is there. (An element takes a byte at least, so
    /// that no number of them takes memory that the bytes do not.)
    template <class F>
    void each(F&& f) {
        std::uint64_t count = 0;
        read(count);
        if (count > left_.size()) fail();
        for (std::uint64_t k = 0; ok_ && k < count; ++k) f();
    }
    void fail() { ok_ = false, left_ = {}; }

private:
    bool take(std::uint64_t bytes) {
        if (bytes > left_.size()) fail();
        if (!ok_) return false;
        taken_ = left_.substr(0, static_cast<std::size_t>(bytes));
        left_.remove_prefix(static_cast<std::size_t>(bytes));
        return true;
    }

    std::string_view left_, taken_;
    bool ok_ = true;
};

}  // namespace warpwright
