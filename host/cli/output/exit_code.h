// Defines the exit codes of `toolpost`. The help of `toolpost` documents the exit codes. Later
// versions of `toolpost` have the same exit codes.
#pragma once

namespace host::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConfig = 3;  // the configuration has errors, or a check found errors
inline constexpr int kExitNotFound = 4;
inline constexpr int kExitDenied = 5;
inline constexpr int kExitTimeout = 6;

}  // namespace host::cli
