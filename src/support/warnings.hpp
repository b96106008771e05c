// What a user should be told and nobody down in the library can return: a kept file that was passed over. The library
// does not print; who runs the program listens.
#pragma once

#include <functional>
#include <string>

namespace warpwright {

/// Tells the listener, from whatever thread; the same text once in a process. Without a listener it is kept for the
/// first one.
void warn(const std::string& text);

/// Takes the place of the listener before; an empty one ends listening. It is called by one thread at a time.
void on_warning(std::function<void(const std::string&)> listener);

}  // namespace warpwright
