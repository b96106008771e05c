// Makes the secret when it is first needed, once for all processes of the user, and compares checksums in a time that
// does not depend on where they differ.
#include "support/user_secret.hpp"

#include <sodium.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "host/machine.hpp"
#include "support/own_file.hpp"
#include "support/user_folders.hpp"

namespace warpwright {
namespace {

constexpr const char* kName = "secret";

Error problem(const std::string& place, std::string what, std::string hint) {
    return Error{ErrorKind::input, std::move(what), Location{place, 0, 0}, std::move(hint)};
}

Result<std::optional<Secret>> read_secret(const OwnFolder& folder) {
    auto bytes = folder.read(kName, 4096, OwnFolder::Readers::user_only);
    if (!bytes) return std::move(bytes).error();
    if (!*bytes) return std::optional<Secret>();
    Secret secret;
    if ((*bytes)->size() != secret.size())
        return problem(folder.path() + "/" + kName, "is not a secret of this program",
                       "remove it: a new one is made, and what was kept under the old one is made anew");
    std::copy((*bytes)->begin(), (*bytes)->end(), secret.begin());
    return std::optional<Secret>(secret);
}

}  // namespace

Result<Secret> secret_in(const std::string& place) {
    auto folder = OwnFolder::make(place);
    if (!folder) return std::move(folder).error();
    // On the second attempt it exists: ours, or that of a process that was faster.
    for (int attempt = 0; attempt < 2; ++attempt) {
        auto secret = read_secret(*folder);
        if (!secret) return std::move(secret).error();
        if (*secret) return **secret;
        Secret fresh;
        if (!host::random_bytes(fresh.data(), fresh.size()))
            return problem(place, std::string("no random numbers: ") + std::strerror(errno), "");
        auto written = folder->write(kName, {reinterpret_cast<const char*>(fresh.data()), fresh.size()}, false);
        if (!written) return std::move(written).error();
    }
    return problem(place + "/" + kName, "comes and goes", "");
}

Result<Secret> user_secret() {
    const std::string folder = user_config_folder();
    if (folder.empty())
        return problem("secret", "there is no home folder to keep the secret of checksums in",
                       "set XDG_CONFIG_HOME, or HOME");
    return secret_in(folder);
}

std::string keyed_checksum(const Secret& secret, std::initializer_list<std::string_view> parts) {
    static_assert(std::tuple_size_v<Secret> == crypto_generichash_blake2b_KEYBYTES);
    // Selects the instructions for this CPU; the result only says whether it had been called before.
    static const int ready = sodium_init();
    (void)ready;
    crypto_generichash_blake2b_state state;
    (void)crypto_generichash_blake2b_init(&state, secret.data(), secret.size(), crypto_generichash_blake2b_BYTES);
    for (const std::string_view part : parts) {
        unsigned char length[8];
        for (unsigned i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(std::uint64_t{part.size()} >> (8 * i));
        (void)crypto_generichash_blake2b_update(&state, length, sizeof length);
        (void)crypto_generichash_blake2b_update(&state, reinterpret_cast<const unsigned char*>(part.data()),
                                                part.size());
    }
    unsigned char digest[crypto_generichash_blake2b_BYTES];
    (void)crypto_generichash_blake2b_final(&state, digest, sizeof digest);
    char text[2 * sizeof digest + 1];
    return sodium_bin2hex(text, sizeof text, digest, sizeof digest);
}

bool same_checksum(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace warpwright
