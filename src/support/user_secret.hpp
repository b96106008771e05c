// A secret of the user's, and checksums made with it: what carries one was written by a program that this user ran, and
// is whole. BLAKE2b with a key, of libsodium.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

using Secret = std::array<unsigned char, 32>;

/// The secret that is kept in `folder` as the file "secret"; where there is none, one is made. Of several processes
/// that make it at once all get the same. Errors: input, naming the file or folder: it cannot be made, or is not the
/// user's alone (OwnFolder); others may read it; it is no secret.
Result<Secret> secret_in(const std::string& folder);

/// That of $XDG_CONFIG_HOME/warpwright, else ~/.config/warpwright.
Result<Secret> user_secret();

/// 64 hexadecimal digits, of all parts and where one ends and the next begins. The first says what is signed, so that
/// the checksum of one kind of file is none of another.
std::string keyed_checksum(const Secret& secret, std::initializer_list<std::string_view> parts);

/// In a time that does not tell where they differ.
bool same_checksum(std::string_view a, std::string_view b);

}  // namespace warpwright
