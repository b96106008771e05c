// A message is a head of fixed size and its body. Sockets of this machine: what is said stays on it, and only the
// user's own processes may connect.
#include "device/hosts/link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace warpwright::device {

namespace {

struct Head {
    std::uint64_t bytes = 0;
    std::uint32_t host = 0, kind = 0;
};
/// No message is longer: what comes with another head is not ours.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

bool address_of(const std::string& path, sockaddr_un& to) {
    to = {};
    to.sun_family = AF_UNIX;
    if (path.size() >= sizeof to.sun_path) return errno = ENAMETOOLONG, false;
    std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
    return true;
}

std::string written(const HostMessage& message) {
    const Head head{message.body.size(), message.host, static_cast<std::uint32_t>(message.kind)};
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + message.body;
}

}  // namespace

void ReadWords::copy(void* to, std::size_t bytes) {
    if (bytes > text_.size() - at_) {
        cut_ = true;
        at_ = text_.size();
        return;
    }
    if (bytes) std::memcpy(to, text_.data() + at_, bytes);
    at_ += bytes;
}

HostLink::~HostLink() { ::close(descriptor_); }

Result<std::unique_ptr<HostLink>> HostLink::connect(const std::string& path) {
    sockaddr_un to;
    const int s = address_of(path, to) ? ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (s >= 0 && ::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0)
        return std::make_unique<HostLink>(s);
    const int why = errno;
    if (s >= 0) ::close(s);
    return Error{ErrorKind::no_device, std::string("other hosts cannot be reached: ") + std::strerror(why), {}, ""};
}

bool HostLink::send(const HostMessage& message) {
    const std::lock_guard lock(sending_);
    const auto all = written(message);
    for (std::size_t at = 0; at < all.size();) {
        const auto n = ::send(descriptor_, all.data() + at, all.size() - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += static_cast<std::size_t>(n);
    }
    return true;
}

void HostLink::post(const HostMessage& message) {
    going_ += written(message);
    (void)flush();
}

bool HostLink::flush() {
    if (going_.empty()) return false;
    const auto n = ::send(descriptor_, going_.data(), going_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) going_.erase(0, static_cast<std::size_t>(n));
    return n > 0;
}

std::optional<HostMessage> HostLink::receive(std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    for (;;) {
        Head head;
        if (come_.size() >= sizeof head) {
            std::memcpy(&head, come_.data(), sizeof head);
            if (head.bytes > kMostBytes) return closed_ = true, std::nullopt;
            if (come_.size() - sizeof head >= head.bytes) {
                HostMessage out{head.host, static_cast<HostMessage::Kind>(head.kind),
                                come_.substr(sizeof head, head.bytes)};
                come_.erase(0, sizeof head + head.bytes);
                return out;
            }
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        pollfd one{descriptor_, POLLIN, 0};
        const int ready = ::poll(&one, 1, static_cast<int>(std::max<long long>(0, left)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return std::nullopt;
        const std::size_t before = come_.size();
        come_.resize(before + (std::size_t{1} << 18));
        const auto n = ::recv(descriptor_, come_.data() + before, come_.size() - before, 0);
        come_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, n)));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return closed_ = true, std::nullopt;
    }
}

int listen_at(const std::string& path) {
    sockaddr_un at;
    if (!address_of(path, at)) return -1;
    const int s = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0) return -1;
    if (::bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && ::chmod(path.c_str(), 0600) == 0 &&
        ::listen(s, 1) == 0)
        return s;
    const int why = errno;
    ::close(s);
    errno = why;
    return -1;
}

}  // namespace warpwright::device
