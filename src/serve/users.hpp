// Who may ask: tokens, and how much each user may do.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "support/result.hpp"

namespace warpwright::serve {

/// 128 random bits as 32 hexadecimal digits, from the operating system. ErrorKind::internal where it has none.
Result<std::string> new_token();

class Users {
public:
    /// One user, without a limit.
    static Users alone(const std::string& token);
    /// From TOML: under [users] a line each, name = "token". Tokens have 16 characters or more, and each is another
    /// one. `per_minute`: how many judgements a user may ask for. Errors: input, with file and line.
    static Result<Users> read(const std::string& file, unsigned per_minute);

    Users(Users&& other) noexcept : tokens_(std::move(other.tokens_)), per_minute_(other.per_minute_) {}

    /// The name of whose token it is; compared in a time that tells nothing of the right ones.
    std::optional<std::string> who(const std::string& token) const;
    /// Whether the user may ask for another judgement at this time (seconds); counts it if so.
    bool may(const std::string& user, double now);

private:
    Users() = default;
    std::map<std::string, std::string> tokens_;  ///< by name
    unsigned per_minute_ = 0;                    ///< 0: any number
    std::mutex mutex_;
    struct Left {
        double tokens = 0, at = 0;
    };
    std::map<std::string, Left> left_;
};

}  // namespace warpwright::serve
