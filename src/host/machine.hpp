// Facts about the machine, and its random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpwright::host {

/// The machine's memory, in bytes; 0: the system does not say.
std::uint64_t memory_bytes();
/// What of it programs could take now, in bytes; 0: the system does not say.
std::uint64_t free_memory_bytes();
/// The least that this process's control groups are given of it, up to the root; the largest number: no limit.
std::uint64_t memory_of_groups();
/// Bytes that this process holds and that lie in no file, so that they cannot leave memory; 0: the system does not say.
std::uint64_t own_memory_bytes();
/// The maker's name for the processor, for records ("Intel(R) Xeon(R) ..."); "unknown" if the system does not say.
std::string processor_name();
/// Of the machine's cores, how many this process may use; the largest number: the system does not say.
unsigned allowed_cores();
/// How many threads of this process can run at once: as many as there are cores that it may use, at least 1.
unsigned usable_cores();

/// Fills at most 256 bytes with numbers that nobody can predict. False, with errno, where the system has none.
bool random_bytes(void* to, std::size_t bytes);

}  // namespace warpwright::host
