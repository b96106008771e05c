// What the system does for processes that start and watch others. Where no errors are told, the wish is one that older
// systems do not have.
#pragma once

#include <sys/types.h>

#include <map>

namespace warpwright::host {

/// This process gets the signal when its parent ends.
void end_with_parent(int signal);
/// The program that this process becomes has the same addresses in each run.
void fix_addresses();
/// What this process's descendants leave behind become its children.
void adopt_orphans();
/// A pipe whose descriptors, the one to read from first, are closed when a program is started. False with errno.
bool open_pipe(int (&descriptors)[2]);
/// This process becomes a program, which is searched in PATH if its name has no slash; it returns with errno if not. It
/// allocates nothing.
void become(const char* program, char* const* words, char* const* environment);
/// Closes every descriptor from this one on.
void close_from(int first);
/// A descriptor that can be read once a child has ended; -1: the system has none.
int end_of(pid_t child);

/// The parent of each process of this machine that can be seen.
std::map<pid_t, pid_t> parents();
/// Whether a process runs; one that has ended and for which its parent has not waited yet does not.
bool runs(pid_t process);

/// Calls `each` with the name of every entry of an open folder but . and .. of it, from its beginning. It allocates
/// nothing, so that a signal's handler may. False where the folder cannot be read.
bool each_entry(int folder, void (*each)(int folder, const char* name, int depth), int depth);

}  // namespace warpwright::host
