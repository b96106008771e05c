#include "cudart/api/names.hpp"

namespace warpwright::cudart {
namespace {

constexpr const char* kNames[] = {
#define WW_OR(value)
#define WW_API(name, parameters, arguments) #name,
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
};
constexpr unsigned kOwn = static_cast<unsigned>(Api::size_);

const char* const* more_names = nullptr;
unsigned more_count = 0;

}  // namespace

const char* api_name(unsigned index) { return index < kOwn ? kNames[index] : more_names[index - kOwn]; }
unsigned api_count() { return kOwn + more_count; }

unsigned add_api_names(const char* const* names, unsigned count) {
    more_names = names, more_count = count;
    return kOwn;
}

}  // namespace warpwright::cudart
