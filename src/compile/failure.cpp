// Out of line, so that the many places that make errors stay small.
#include "compile/failure.hpp"

#include <utility>

namespace warpwright::compile {

Error failure(ErrorKind kind, std::string what, std::string file, std::string hint) {
    Error error;
    error.kind = kind;
    error.what = std::move(what);
    error.where.file = std::move(file);
    error.hint = std::move(hint);
    return error;
}

}  // namespace warpwright::compile
