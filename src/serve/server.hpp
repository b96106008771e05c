// The page of the course on a local address: what it shows, what it asks for, and who may ask (docs/serve.md).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "learn/course.hpp"
#include "serve/users.hpp"
#include "support/result.hpp"

namespace warpwright::serve {

/// What a page wants judged.
struct Attempt {
    std::string user, exercise, text, model, language;
};

/// Judges it: the JSON that `learn --json` prints. It ends early where `superseded` is set. Any thread may call it.
using Judge = std::function<Result<std::string>(const Attempt&, const std::atomic<bool>& superseded)>;

struct ServerOptions {
    std::string address = "127.0.0.1";
    int port = 0;                    ///< 0: any that is free
    std::vector<std::string> names;  ///< further names by which browsers reach it (a reverse proxy's)
    std::string progress;            ///< a folder for each user's progress; empty: none is kept
    unsigned places = 1;             ///< judgements at a time
};

/// The host in the address that a browser opens: a name that was given, where it listens at every address of the
/// machine.
std::string host_to_open(const ServerOptions& options);

class Server {
public:
    /// Errors: usage (a port or address that cannot be had).
    static Result<std::unique_ptr<Server>> open(const learn::Course& course, Users users, Judge judge,
                                                const ServerOptions& options);
    virtual ~Server() = default;

    virtual int port() const = 0;
    /// Answers until stop() is called from another thread.
    virtual void run() = 0;
    virtual void stop() = 0;
};

}  // namespace warpwright::serve
