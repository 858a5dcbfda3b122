// Names the sanitizer of this build, if it has one. A sanitizer needs more permissions than the
// sandbox would allow.
#pragma once

namespace host::sandbox {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr const char* kSanitizer = "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
inline constexpr const char* kSanitizer = "ThreadSanitizer";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr const char* kSanitizer = "AddressSanitizer";
#elif __has_feature(thread_sanitizer)
inline constexpr const char* kSanitizer = "ThreadSanitizer";
#else
inline constexpr const char* kSanitizer = nullptr;
#endif
#else
inline constexpr const char* kSanitizer = nullptr;
#endif

}  // namespace host::sandbox
