// Whether AddressSanitizer looks on (the preset asan, docs/security.md). It takes terabytes of addresses for itself, so
// that nothing runs under a limit of them.
#pragma once

namespace warpwright {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
    #else
inline constexpr bool kAddressSanitizer = false;
    #endif
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace warpwright
