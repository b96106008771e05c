// What all files of this room share: the calling thread's last error, and texts that are handed over to a caller.
#pragma once

#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include "support/result.hpp"
#include "warpwright/warpwright.h"

namespace warpwright::capi {

/// Ordered: keys come in the order in which they are documented.
using Json = nlohmann::ordered_json;

/// Keeps the error for ww_error(), and gives its status.
ww_status fail(const Error& error);
ww_status done();
Json error_json(const Error& error);

/// A text of JSON; bytes that are no UTF-8 are replaced.
std::string written(const Json& json);
/// A copy for ww_text_release().
ww_status give(const std::string& text, char** out);

inline Error usage(std::string what, std::string hint = {}) {
    return Error{ErrorKind::usage, std::move(what), {}, std::move(hint)};
}

}  // namespace warpwright::capi
