// Opens without waiting, asks the descriptor what it is, and reads no more than the caller's limit: a name may lead to
// a pipe, a device or a file that grows.
#include "support/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>

namespace warpwright {
namespace {

Error problem(const std::string& path, std::string what) {
    return Error{ErrorKind::input, std::move(what), Location{path, 0, 0}, ""};
}

Error system_problem(const std::string& path, std::string_view lead, int error) {
    return problem(path, std::string(lead) + std::strerror(error));
}

std::string size_text(std::uint64_t bytes) {
    if (bytes % (std::uint64_t{1} << 30) == 0) return std::to_string(bytes >> 30) + " GiB";
    if (bytes % (std::uint64_t{1} << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
    return std::to_string(bytes) + " bytes";
}

template <class Bytes>
Result<Bytes> read_all(int descriptor, const std::string& path, std::uint64_t most, std::string_view lead) try {
    struct stat info{};
    if (::fstat(descriptor, &info) != 0) return system_problem(path, lead, errno);
    if (!S_ISREG(info.st_mode)) return problem(path, std::string(lead) + "it is not a regular file");
    const Error large = problem(
        path, std::string(lead) + "it is larger than " + size_text(most) + ", the most that is taken of such a file");
    if (static_cast<std::uint64_t>(info.st_size) > most) return large;
    Bytes bytes;
    bytes.reserve(static_cast<std::size_t>(info.st_size));
    // To its end, not to its size: files of /proc say 0, and others may be growing.
    std::vector<char> buffer(std::size_t{1} << 16);
    for (;;) {
        const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_problem(path, lead, errno);
        if (n == 0) return bytes;
        if (static_cast<std::uint64_t>(n) > most - bytes.size()) return large;
        const auto* begin = reinterpret_cast<const typename Bytes::value_type*>(buffer.data());
        bytes.insert(bytes.end(), begin, begin + n);
    }
} catch (const std::bad_alloc&) {
    return Error{ErrorKind::limit, "there is not enough host memory for the file", Location{path, 0, 0}, ""};
}

template <class Bytes>
Result<Bytes> read_named(const std::string& path, std::uint64_t most, std::string_view lead) {
    // Not blocking: the opening of a pipe that nobody writes to would wait for ever.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return system_problem(path, lead, errno);
    auto bytes = read_all<Bytes>(descriptor, path, most, lead);
    ::close(descriptor);
    return bytes;
}

}  // namespace

Result<std::string> read_open_file(int descriptor, const std::string& path, std::uint64_t most) {
    return read_all<std::string>(descriptor, path, most, kUnread);
}

Result<std::string> read_file(const std::string& path, std::uint64_t most, std::string_view lead) {
    return read_named<std::string>(path, most, lead);
}

Result<std::vector<std::byte>> read_bytes(const std::string& path, std::uint64_t most) {
    return read_named<std::vector<std::byte>>(path, most, kUnread);
}

Result<void> check_regular_file(const std::string& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        return Error{
            ErrorKind::input,
            absent ? "there is no file '" + path + "'" : "'" + path + "' cannot be read: " + std::strerror(errno),
            Location{}, ""};
    }
    if (S_ISREG(info.st_mode)) return {};
    const char* kind = S_ISDIR(info.st_mode)    ? "a folder"
                       : S_ISFIFO(info.st_mode) ? "a pipe"
                       : S_ISSOCK(info.st_mode) ? "a socket"
                                                : "a device";
    return Error{ErrorKind::input, "'" + path + "' is " + kind + ", not a regular file", Location{},
                 S_ISDIR(info.st_mode) ? "" : "copy its content to a file"};
}

}  // namespace warpwright
