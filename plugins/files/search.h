// Lists of what is below a folder, as text for a model.
#pragma once

#include <optional>
#include <string>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"
#include "tree.h"

struct Searching {
  std::optional<std::string> pattern;  // none: names alone
  std::optional<std::string> glob;     // none: every file
  std::size_t max_file_bytes;
};

// The entries below `place`, down to `depth` levels, folders with a slash at their end.
std::string list_below(const Roots& roots, const Place& place, int depth, const Skipped& skipped,
                       const toolpost::Context& call);

// The lines that the pattern is in, under the file that they are in, or the files' names. `place`
// may be a file. Throws toolpost::Error and toolpost::Cancelled.
std::string search_below(const Roots& roots, const Place& place, const Searching& what,
                         const Skipped& skipped, const toolpost::Context& call);
