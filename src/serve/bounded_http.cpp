// The library reads a connection through its class Stream; ours counts what it hands out until the blank line behind
// the header lines has come, and then hands out nothing more where that was too much.
#include "serve/bounded_http.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace warpwright::serve {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the socket is ready for `events` within that time.
bool ready(socket_t socket, short events, int milliseconds) {
    pollfd at{socket, events, 0};
    int n = 0;
    do n = ::poll(&at, 1, milliseconds);
    while (n < 0 && errno == EINTR);
    return n > 0 && (at.revents & (events | POLLHUP)) != 0;
}

class Connection final : public httplib::Stream {
public:
    Connection(socket_t socket, int read_ms, int write_ms) : socket_(socket), read_ms_(read_ms), write_ms_(write_ms) {}

    /// The next request's head begins.
    void begin() {
        in_head_ = true;
        bytes_ = lines_ = 0;
        line_ = 0;
        head_ends_ = Clock::now() + std::chrono::seconds(kMostHeadSeconds);
    }
    bool has_more() const { return from_ < to_; }

    bool is_readable() const override { return has_more() || ready(socket_, POLLIN, read_ms_); }
    bool is_writable() const override { return ready(socket_, POLLOUT, write_ms_); }
    ssize_t read(char* to, std::size_t size) override {
        if (!has_more() && !fill()) return -1;
        const std::size_t n = std::min(size, to_ - from_);
        for (std::size_t k = 0; k < n && in_head_; ++k)
            if (!count(kept_[from_ + k])) return -1;
        std::memcpy(to, kept_.data() + from_, n);
        from_ += n;
        return static_cast<ssize_t>(n);
    }
    ssize_t write(const char* text, std::size_t size) override {
        if (!is_writable()) return -1;
        ssize_t n = 0;
        do n = ::send(socket_, text, size, MSG_NOSIGNAL);
        while (n < 0 && errno == EINTR);
        return n;
    }
    void get_remote_ip_and_port(std::string& ip, int& port) const override { name(::getpeername, ip, port); }
    void get_local_ip_and_port(std::string& ip, int& port) const override { name(::getsockname, ip, port); }
    socket_t socket() const override { return socket_; }

private:
    bool fill() {
        int wait = read_ms_;
        if (in_head_) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(head_ends_ - Clock::now()).count();
            if (left <= 0) return false;
            wait = static_cast<int>(std::min<std::int64_t>(wait, left));
        }
        if (!ready(socket_, POLLIN, wait)) return false;
        ssize_t n = 0;
        do n = ::recv(socket_, kept_.data(), kept_.size(), 0);
        while (n < 0 && errno == EINTR);
        from_ = 0, to_ = n > 0 ? static_cast<std::size_t>(n) : 0;
        return n > 0;
    }
    /// One character of the head; false where it is one too many.
    bool count(char c) {
        ++line_;
        if (++bytes_ > kMostHeadBytes) return false;
        const char before = std::exchange(last_, c);
        if (c != '\n') return true;
        if (line_ == 2 && before == '\r') in_head_ = false;  // a blank line
        line_ = 0;
        return ++lines_ <= kMostHeadLines;
    }
    template <class Ask>
    void name(Ask ask, std::string& ip, int& port) const {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        std::array<char, NI_MAXHOST> host{};
        std::array<char, NI_MAXSERV> service{};
        auto* at = reinterpret_cast<sockaddr*>(&address);
        if (ask(socket_, at, &size) != 0 || ::getnameinfo(at, size, host.data(), host.size(), service.data(),
                                                          service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
            return;
        ip = host.data();
        port = std::atoi(service.data());
    }

    socket_t socket_;
    int read_ms_, write_ms_;
    std::array<char, 4096> kept_{};
    std::size_t from_ = 0, to_ = 0;  ///< of kept_, not handed out yet
    bool in_head_ = true;
    std::size_t bytes_ = 0, lines_ = 0, line_ = 0;
    char last_ = 0;
    Clock::time_point head_ends_;
};

int milliseconds(time_t seconds, time_t microseconds) { return static_cast<int>(seconds * 1000 + microseconds / 1000); }

}  // namespace

bool BoundedHttp::process_and_close_socket(socket_t socket) {
    Connection connection(socket, milliseconds(read_timeout_sec_, read_timeout_usec_),
                          milliseconds(write_timeout_sec_, write_timeout_usec_));
    const auto running = [&] { return svr_sock_ != INVALID_SOCKET; };
    const auto another_comes = [&] {
        constexpr int kStep = 50;
        for (int waited = 0; running() && waited < milliseconds(keep_alive_timeout_sec_, 0); waited += kStep)
            if (connection.has_more() || ready(socket, POLLIN, kStep)) return true;
        return false;
    };
    bool good = true;
    for (std::size_t left = keep_alive_max_count_; good && left > 0 && another_comes(); --left) {
        bool closed = false;
        connection.begin();
        good = process_request(connection, left == 1, closed, nullptr);
        if (closed) break;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return good;
}

}  // namespace warpwright::serve
