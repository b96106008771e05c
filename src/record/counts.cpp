#include "record/counts.hpp"

namespace warpwright::record {

std::string_view count_key(Count count) {
    static constexpr std::string_view keys[] = {
#define WARPWRIGHT_COUNT_KEY(key) #key,
        WARPWRIGHT_COUNTS(WARPWRIGHT_COUNT_KEY)
#undef WARPWRIGHT_COUNT_KEY
    };
    return keys[static_cast<unsigned>(count)];
}

}  // namespace warpwright::record
