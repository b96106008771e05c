// What a process must not leave behind when it ends before its time, by a limit or a signal: the programs that it has
// started, and its temporary folders. (Of one that is killed the operating system ends the children, and the next one
// of this user removes the folders: support/temporary_folder.)
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace warpwright::early_end {

/// A place in one of the two lists. Lists are of fixed length, so that a handler of a signal can read them; where one
/// is full the place is `none`, and what it was for is not in the list.
using Place = std::size_t;
inline constexpr Place none = ~Place{0};

/// A child that ends with this process, by a signal. `group`: it leads a process group, which ends whole.
Place add_child(pid_t pid, bool group, int signal);
Place add_folder(const std::string& path);
void remove_child(Place place);
void remove_folder(Place place);

/// Ends the children and removes the folders. It is safe in a handler of a signal.
void leave_nothing();

/// From now on the signals that end a program (SIGTERM, SIGINT, SIGHUP, SIGPIPE) leave nothing behind. What is ignored
/// stays so.
void on_signals();

/// Ends this process by the signal, and leaves nothing behind.
[[noreturn]] void end_by(int signal);

/// In a child that goes on in the same program after a fork: the lists are its parent's.
void forget();

}  // namespace warpwright::early_end
