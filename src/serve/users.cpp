// A user's rate is a bucket of tokens: it holds a minute's worth, and fills as time goes by.
#include "serve/users.hpp"

#include <algorithm>
#include <set>

#include "host/machine.hpp"
#include "ladder/toml_reader.hpp"
#include "support/read_file.hpp"

namespace warpwright::serve {
namespace {

constexpr std::size_t kLeastToken = 16, kMostToken = 200;

bool same(const std::string& a, const std::string& b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference |
                                                (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
    return difference == 0;
}

}  // namespace

Result<std::string> new_token() {
    unsigned char bytes[16];
    if (!host::random_bytes(bytes, sizeof bytes))
        return Error{ErrorKind::internal, "the system gives no random numbers", Location{}, ""};
    std::string out;
    for (const unsigned char b : bytes) out += fmt::format("{:02x}", b);
    return out;
}

Users Users::alone(const std::string& token) {
    Users out;
    out.tokens_.emplace("", token);
    return out;
}

Result<Users> Users::read(const std::string& file, unsigned per_minute) {
    auto text = read_file(file, file_limit::table);
    if (!text) return std::move(text).error();
    Users out;
    out.per_minute_ = per_minute;
    auto parsed = read_toml(*text, file);
    if (!parsed) return std::move(parsed).error();
    const toml::table& root = *parsed;
    ladder::TomlReader toml(file);
    toml.keys(root, {"users"}, "a file of users");
    const auto* users = toml.table(root.get("users"), "users");
    if (!users || users->empty())
        toml.fail(toml.at(root), "[users] is missing", "[users] and below it name = \"token\"");
    std::set<std::string> seen;
    if (users)
        for (auto&& [key, node] : *users) {
            const auto token = toml.text(&node, key.str());
            if (!token) break;
            if (token->size() < kLeastToken || token->size() > kMostToken)
                toml.fail(toml.at(node), fmt::format("a token has {} to {} characters", kLeastToken, kMostToken));
            if (!seen.insert(*token).second) toml.fail(toml.at(node), "two users have the same token");
            const std::string name(key.str());
            const auto plain = [](char c) {
                return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
            };
            if (name.empty() || name.size() > 60 || !std::all_of(name.begin(), name.end(), plain))
                toml.fail(toml.at(key.source()), "a user's name has letters, digits, '_' and '-'");
            out.tokens_.emplace(name, *token);
        }
    if (toml.error()) return *toml.error();
    return out;
}

std::optional<std::string> Users::who(const std::string& token) const {
    std::optional<std::string> out;
    for (const auto& [name, right] : tokens_)
        if (same(token, right)) out = name;
    return out;
}

bool Users::may(const std::string& user, double now) {
    if (per_minute_ == 0) return true;
    std::lock_guard lock(mutex_);
    const double most = per_minute_;
    auto [it, fresh] = left_.try_emplace(user, Left{most, now});
    Left& left = it->second;
    if (!fresh) left.tokens = std::min(most, left.tokens + std::max(0.0, now - left.at) * most / 60);
    left.at = now;
    if (left.tokens < 1) return false;
    left.tokens -= 1;
    return true;
}

}  // namespace warpwright::serve
