// Each thread has its own last error, which its next call of the interface replaces or clears. Texts are handed over in
// memory from malloc, because the caller may be written in any language and releases them through this interface.
#include "capi/text.hpp"

#include <cstdlib>

#include "support/cause.hpp"

namespace warpwright::capi {
namespace {

struct LastError {
    std::string text, json = "{}";
};

/// A thread's objects are destroyed before a program's exit handlers run, which may call us: this one lasts.
LastError& last() {
    thread_local LastError* error = nullptr;
    if (!error) error = new LastError;
    return *error;
}

constexpr const char* kKinds[] = {"usage", "input", "fault", "limit", "no_device", "internal"};

}  // namespace

Json error_json(const Error& error) {
    Json out;
    out["kind"] = kKinds[static_cast<unsigned>(error.kind)];
    out["cause"] = std::string(error.cause == Cause::none ? "" : info(error.cause).name);
    out["what"] = error.what;
    out["file"] = error.where.file;
    out["line"] = error.where.line;
    out["column"] = error.where.column;
    out["hint"] = error.hint;
    out["text"] = error.text();
    return out;
}

ww_status fail(const Error& error) {
    last().text = error.text();
    last().json = written(error_json(error));
    switch (error.kind) {
        case ErrorKind::usage:
            return WW_USAGE;
        case ErrorKind::input:
            return WW_INPUT;
        case ErrorKind::fault:
            return WW_FAULT;
        case ErrorKind::limit:
            return WW_LIMIT;
        case ErrorKind::no_device:
            return WW_NO_DEVICE;
        case ErrorKind::internal:
            break;
    }
    return WW_INTERNAL;
}

ww_status done() {
    last().text.clear();
    last().json = "{}";
    return WW_OK;
}

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

ww_status give(const std::string& text, char** out) {
    if (!out) return done();
    *out = static_cast<char*>(std::malloc(text.size() + 1));
    if (!*out) return fail(Error{ErrorKind::limit, "no memory for a text", {}, ""});
    std::memcpy(*out, text.c_str(), text.size() + 1);
    return done();
}

}  // namespace warpwright::capi

using namespace warpwright;

const char* ww_error(void) { return capi::last().text.c_str(); }
const char* ww_error_json(void) { return capi::last().json.c_str(); }
void ww_text_release(char* text) { std::free(text); }
int ww_interface_version(void) { return WW_INTERFACE_VERSION; }
const char* ww_version(void) { return WARPWRIGHT_VERSION; }
