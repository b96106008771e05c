// Warnings for the user that no library function can return, such as an ignored file. The library does not print; the
// program listens.
#pragma once

#include <functional>
#include <string>

namespace warpwright {

/// Calls the listener, from any thread; the same text once per process. Without a listener it is kept for the first
/// one.
void warn(const std::string& text);

/// Replaces the listener; an empty one ends listening. One thread calls it at a time.
void on_warning(std::function<void(const std::string&)> listener);

}  // namespace warpwright
