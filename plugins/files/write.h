// A file that a reader finds as it was or as it will be, never in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roots/roots.h"

struct Writing {
  // The version that is to be replaced; none: no file may be there.
  std::optional<std::string> replaces;
  std::size_t max_bytes;  // of a file that is replaced
};

// By way of a temporary file in the same folder, which is synced, given the old file's mode and
// owner, and renamed. Missing folders are made. Throws toolpost::Error: what the file holds by then
// is not what it replaces, it is no regular file, or the system refuses.
void write_whole(const Roots& roots, const Place& place, std::string_view bytes,
                 const Writing& how);
