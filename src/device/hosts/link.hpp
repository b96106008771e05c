// Messages between the hosts of one run, over a local connection to the process that has the way to the others
// (docs/hosts.md): each names the host it goes to or comes from.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/result.hpp"

namespace warpwright::device {

struct HostMessage {
    enum class Kind : std::uint8_t {
        // From the first host.
        begin,    ///< a new device: Session
        pages,    ///< contents of memory: address, bytes
        program,  ///< a module: key, name, text
        grid,     ///< a grid of which blocks are to run (GridWords)
        range,    ///< blocks: number of the grid, first, last
        none,     ///< the grid has no more: its number
        stop,     ///< what is done of the grid is not wanted: its number
        // From the others.
        next,     ///< blocks are wanted: number of the grid
        changes,  ///< of memory: number of the grid, and a list of them
        counted,  ///< the grid's blocks are done: number, whether all are, counts
        // Of those who carry messages.
        alive,  ///< nothing to say
        over,   ///< the run has ended
        said,   ///< of the first host's device: what became of a grid that was worth sharing
    };
    static constexpr std::uint32_t kAll = ~std::uint32_t{0};
    std::uint32_t host = 0;
    Kind kind = Kind::alive;
    std::string body;
};

/// Writes values one after the other; ReadWords reads them again. The same build is at both ends.
class WriteWords {
public:
    template <class T>
    WriteWords& add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    template <class T>
    WriteWords& add_all(const T* values, std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        add(static_cast<std::uint64_t>(count));
        text_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
        return *this;
    }
    WriteWords& add_text(const std::string& text) { return add_all(text.data(), text.size()); }
    std::size_t size() const { return text_.size(); }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

class ReadWords {
public:
    explicit ReadWords(const std::string& text) : text_(text) {}
    /// A value of zeros where the text has ended.
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        copy(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> all() {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto count = get<std::uint64_t>();
        std::vector<T> out;
        if (count > (text_.size() - at_) / sizeof(T)) return cut_ = true, out;
        out.resize(count);
        copy(out.data(), count * sizeof(T));
        return out;
    }
    std::string text() {
        const auto all_of_it = all<char>();
        return {all_of_it.begin(), all_of_it.end()};
    }
    bool ended() const { return at_ == text_.size(); }
    bool cut() const { return cut_; }  ///< more was asked for than there is

private:
    void copy(void* to, std::size_t bytes);
    const std::string& text_;
    std::size_t at_ = 0;
    bool cut_ = false;
};

/// One end of a connection. Several threads may send; one receives.
class HostLink {
public:
    explicit HostLink(int descriptor) : descriptor_(descriptor) {}
    ~HostLink();
    HostLink(const HostLink&) = delete;
    static Result<std::unique_ptr<HostLink>> connect(const std::string& path);
    /// Waits until all of it has gone; false once the other end is closed.
    bool send(const HostMessage& message);
    /// For who must never wait: the message goes as far as there is room, the rest with flush().
    void post(const HostMessage& message);
    /// False where all has gone, or there is no room now.
    bool flush();
    bool flushed() const { return going_.empty(); }
    /// The next message; absent where none came in time, or the other end is closed.
    std::optional<HostMessage> receive(std::chrono::milliseconds within);
    bool closed() const { return closed_; }

private:
    int descriptor_;
    std::mutex sending_;
    bool closed_ = false;
    std::string come_;   ///< what has come of the next messages
    std::string going_;  ///< of posted ones, what has not gone
};

/// A place where a process of this machine may connect; -1 with errno. The file is the caller's to remove.
int listen_at(const std::string& path);

}  // namespace warpwright::device
