// The runtime library's names come from the list of its entry points. Other libraries append theirs in a fixed array
// that is read without a lock, because every profiled call may ask; the calls of those beyond its end are "unknown".
#include "cudart/state/names.hpp"

#include <atomic>
#include <mutex>

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

/// The names of one more face, and the number of its first.
struct Face {
    const char* const* names;
    unsigned first, count;
};
constexpr unsigned kFaces = 64;
Face faces[kFaces];
std::atomic<unsigned> face_count{0}, all{kOwn};
std::mutex mutex;

}  // namespace

const char* api_name(unsigned index) {
    if (index < kOwn) return kNames[index];
    for (unsigned k = 0; k < face_count; ++k)
        if (index - faces[k].first < faces[k].count) return faces[k].names[index - faces[k].first];
    return "unknown";
}
unsigned api_count() { return all; }

unsigned add_api_names(const char* const* names, unsigned count) {
    const std::lock_guard lock(mutex);
    const unsigned first = all;
    all += count;  // of one that has no place too: whoever counts calls has a row for each number
    if (face_count == kFaces) return first;
    faces[face_count] = {names, first, count};
    ++face_count;
    return first;
}

}  // namespace warpwright::cudart
