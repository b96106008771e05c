// Whether AddressSanitizer looks on (the preset asan, docs/security.md). It takes terabytes of addresses for itself, so
// that nothing runs under a limit of them.
#pragma once

namespace warpwright {

#ifdef __has_feature
    #define WARPWRIGHT_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
    #define WARPWRIGHT_ADDRESS_SANITIZER 1
#else
    #define WARPWRIGHT_ADDRESS_SANITIZER 0
#endif
inline constexpr bool kAddressSanitizer = WARPWRIGHT_ADDRESS_SANITIZER;
#undef WARPWRIGHT_ADDRESS_SANITIZER

}  // namespace warpwright
