// What accept_edits lets through: one file command, all of whose targets lie where edits are
// accepted.
#pragma once

#include <span>
#include <string>

#include "permission/path/dangerous_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// Where edits are accepted, and what is asked for even there.
struct Grounds {
  const Place& place;                    // whence relative paths are meant
  std::span<const std::string> folders;  // real paths
  const DangerousPaths& dangerous;
  std::span<const std::string> extra;  // dangerous paths of the tool's own
};

// mkdir, touch, rm, rmdir, mv, cp or sed, with known options that copy no trees, and redirections
// beside. What a command would put into a folder is looked at there, by its name.
bool edits_inside(const Segment& segment, const Grounds& grounds);

// To nowhere, or to what the command prints anyway.
bool is_discarded(const Redirect& redirect);

}  // namespace host::permission::shell
