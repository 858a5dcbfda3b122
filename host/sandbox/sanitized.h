// Names the sanitizer of this build, if it has one. A sanitizer needs more permissions than the
// sandbox would allow. cmake/warnings.cmake defines the macros if clang builds the host.
#pragma once

namespace host::sandbox {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr const char* kSanitizer = "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
inline constexpr const char* kSanitizer = "ThreadSanitizer";
#else
inline constexpr const char* kSanitizer = nullptr;
#endif

}  // namespace host::sandbox
