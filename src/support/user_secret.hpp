// A secret of the user's, and checksums made with it: a file with such a checksum was written by a program that this
// user ran, and is complete. BLAKE2b with a key, from libsodium.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

using Secret = std::array<unsigned char, 32>;

/// The secret in `folder`, in the file "secret"; it is created if there is none. Several processes that create it at
/// once all get the same. Errors: input, naming the file or folder: it cannot be created, or does not belong to the
/// user alone (OwnFolder); others may read it; it is not a secret.
Result<Secret> secret_in(const std::string& folder);

/// The secret of $XDG_CONFIG_HOME/warpwright, else ~/.config/warpwright.
Result<Secret> user_secret();

/// 64 hexadecimal digits that depend on all parts and on their boundaries. The first part names the kind of file, so
/// that the checksum of one kind is not valid for another.
std::string keyed_checksum(const Secret& secret, std::initializer_list<std::string_view> parts);

/// Compares in a time that does not depend on where they differ.
bool same_checksum(std::string_view a, std::string_view b);

}  // namespace warpwright
