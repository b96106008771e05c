// The HTTP library's server with a bound on the head of a request (its first line and its header lines): the library
// keeps header lines as they come, however many and long, and before any handler of ours is asked.
#pragma once

#include <httplib.h>

#include <cstddef>

namespace warpwright::serve {

/// A head beyond one of these is answered with 400, and its connection closed.
constexpr std::size_t kMostHeadBytes = std::size_t{32} << 10, kMostHeadLines = 128;
/// By the clock, from the first byte of a request to the end of its head.
constexpr int kMostHeadSeconds = 20;

class BoundedHttp : public httplib::Server {
private:
    bool process_and_close_socket(socket_t socket) override;
};

}  // namespace warpwright::serve
