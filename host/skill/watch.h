// Watches the folders in which a SKILL.md can change, with inotify.
#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace host::skill {

class Watch {
 public:
  Watch();

  // Starts to watch a folder for changes. Call add() before the folder is read, so that no change
  // is missed. Returns false if the system allows no further watch. If add() returns false, the
  // caller must poll the folder.
  bool add(const std::filesystem::path& folder);
  // Returns true if an event of inotify arrived since the last call of drain(). If no event has
  // arrived, the function makes only one system call.
  bool drain();
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace host::skill
