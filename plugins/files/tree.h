// What is in a folder and below it, in the order of names. Links are shown and never followed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "roots/fd.h"

// What a walk does not enter, and whose contents it does not show: keys, secrets, .git. An entry is
// the name of a file or folder, or with a slash the end of a path; letter case does not matter.
class Skipped {
 public:
  // `more` entries beside the built-in ones, which are those of the host
  // (host/permission/path/dangerous_path.cpp): a search below a folder shows no more than the host
  // could judge by the folder's name.
  explicit Skipped(const std::vector<std::string>& more);
  bool has(const std::string& path) const;  // absolute

 private:
  std::vector<std::string> names_;  // sorted, lower case, like the next
  std::vector<std::string> ends_;   // with a slash in front
};

struct Found {
  std::string path;   // beneath where the walk began
  std::string name;   // its last part
  int folder;         // descriptor of the folder that it lies in, while it is visited
  struct stat about;  // not of what a link leads to
  bool skipped;       // by its name
};

struct Walked {
  bool stopped = false;        // by visit, or because there is too much
  std::size_t unreadable = 0;  // folders that could not be read, or not wholly
  std::size_t skipped = 0;
};

// Calls visit for each entry down to `depth` levels; false stops the walk. `folder` is open, and
// `path` is where.
Walked walk_tree(const Fd& folder, const std::string& path, int depth, const Skipped& skipped,
                 const std::function<bool(const Found&)>& visit);
