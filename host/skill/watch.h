// inotify over the few folders in which an edit of a SKILL.md shows.
#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace host::skill {

class Watch {
 public:
  Watch();

  // Has to come before the folder is read, so that no change falls between. False: the system gave
  // no watch, and who wants to know has to look.
  bool add(const std::filesystem::path& folder);
  // Whether anything happened since the last time; one system call where nothing did.
  bool drain();
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace host::skill
