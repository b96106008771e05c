// The list becomes a table of names and addresses, by which the linker of generated code resolves its calls.
#include "engine/shared/runtime_functions.hpp"

namespace warpwright::engine {

std::span<const RuntimeSymbol> runtime_symbols() {
    static const RuntimeSymbol symbols[] = {
#define WW_RUNTIME(name, ...) {#name, reinterpret_cast<void*>(name)},
#include "engine/shared/runtime_functions.inc"
#undef WW_RUNTIME
    };
    return symbols;
}

}  // namespace warpwright::engine
