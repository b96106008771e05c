// Result<T>: a value or a located Error. The library never aborts, exits or throws across a room's
// boundary for bad input; it returns one of these.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace warpwright {

/// A cause that a program may test if the kind is not enough; support/cause.hpp has the values.
enum class Cause : std::uint8_t;

/// A place in a text: the file by the user's name for it, 1-based line and column (0 = not known).
struct Location {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;

    /// "file:line:column", without the parts that are not known; empty if none is.
    std::string text() const;
};

/// The kind of an error, which decides the exit code of the program (see cli).
enum class ErrorKind {
    usage,      ///< the user's arguments are wrong: exit 2
    input,      ///< a file or text that cannot be used (parse error, missing kernel): exit 2
    fault,      ///< the kernel did something wrong at run time (bad access, deadlock, trap): exit 1
    limit,      ///< over a limit of the device model: exit 2
    no_device,  ///< missing device, driver or tool: exit 3
    internal,   ///< our own defect: exit 1
};

/// One error: what, where, and what to do about it. Each part is one line of plain text.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string what;
    Location where;
    std::string hint;  ///< what to do; may be empty
    Cause cause{};     ///< Cause::none where no caller tells it apart; messages are for people, and never searched

    /// "where: error: what (hint)" on one line.
    std::string text() const;
};

/// A T, or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), ok_(false) {}

    bool ok() const { return ok_; }
    explicit operator bool() const { return ok_; }
    const Error& error() const& { return error_; }
    Error&& error() && { return std::move(error_); }

private:
    Error error_;
    bool ok_ = true;
};

}  // namespace warpwright
