// A ChildPlan starts a child process of the host in a new session, with no blocked or ignored
// signal. The child gets only the descriptors that the plan gives to it.
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

  // The child carries out open(), give(), enter() and close_from() in the order of their calls. The
  // parameter `ours` of give() must differ from each `number` of earlier calls.
  void open(int number, const char* file, int flags);
  void give(int ours, int number);
  void enter(const std::filesystem::path& folder);
  // The child closes all descriptors from `number` upwards.
  void close_from(int number);

  // Starts the child. Returns 0 and sets `pid`, or returns an errno. `arguments` and `environment`
  // each end with a null pointer.
  int run(const std::filesystem::path& executable, char* const* arguments, char* const* environment,
          pid_t& pid);

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace host
