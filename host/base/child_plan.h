// How each child process of the host begins: a session of its own, no signal blocked or ignored,
// and only the descriptors that it is given.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>

namespace host {

class ChildPlan {
 public:
  ChildPlan();
  ChildPlan(const ChildPlan&) = delete;
  ChildPlan& operator=(const ChildPlan&) = delete;
  ~ChildPlan();

  // In this order in the child. No source may have a number that is a target before.
  void open(int number, const char* file, int flags);
  void give(int ours, int number);
  void enter(const std::filesystem::path& folder);
  // Closes all descriptors from this number on.
  void close_from(int number);

  // Returns 0 and sets `pid`, or returns an errno. Both lists end with a null pointer.
  int run(const std::filesystem::path& executable, char* const* arguments, char* const* environment,
          pid_t& pid);

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace host
