// The lines that the library has told on standard error, kept for a program that asks for them (cuLogs*).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace warpwright::cudart {

class MessageLog {
public:
    /// Called with each line, in the thread that tells it.
    using Listener = void (*)(void* data, int level, char* message, std::size_t length);
    struct Entry {
        Listener listener;
        void* data;
    };
    /// Lines from one number on; `lost`: there were more before them, which are no longer kept.
    struct Part {
        std::vector<std::string> lines;
        bool lost = false;
        std::uint32_t next = 0;  ///< the number of the first line that is not among them
    };

    static MessageLog& get();
    void add(const std::string& line);
    const Entry* listen(Listener listener, void* data);
    /// False where it is not listening.
    bool leave(const Entry* entry);
    /// The number that the next line will have.
    std::uint32_t next() const;
    Part since(std::uint32_t number) const;

private:
    mutable std::mutex mutex_;
    std::deque<std::string> lines_;
    std::size_t bytes_ = 0;    ///< of these
    std::uint32_t first_ = 0;  ///< the number of the oldest
    std::list<Entry> listeners_;
};

}  // namespace warpwright::cudart
