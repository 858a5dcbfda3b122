// Recognises the commands that the mode accept_edits allows without approval. The mode allows a
// single file command if all its targets are in folders where edits are accepted.
#pragma once

#include <span>
#include <string>

#include "permission/path/budget.h"
#include "permission/path/dangerous_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

// The struct Grounds contains the folders in which the host accepts edits, and the paths in these
// folders that nevertheless need approval.
struct Grounds {
  const Place& place;                    // base of relative paths
  std::span<const std::string> folders;  // real paths
  const DangerousPaths& dangerous;
  std::span<const std::string> extra;  // the tool's own dangerous paths
  Budget& budget;
};

// Returns true if the segment runs mkdir, touch, rm, rmdir, mv, cp or sed. All options of the
// command must be known, and no option may copy folder trees. All files that the command or its
// redirections change must be inside the folders of `grounds`. If a command such as cp writes into
// a folder, edits_inside() checks the path of the new file in the folder. The result is false if
// the budget is used up.
bool edits_inside(const Segment& segment, const Grounds& grounds);

// Returns true if the output is discarded, or is redirected to the command's own output, such as
// 2>&1.
bool is_discarded(const Redirect& redirect);

}  // namespace host::permission::shell
