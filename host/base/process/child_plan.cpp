#include "base/process/child_plan.h"

#include <signal.h>

namespace host {

ChildPlan::ChildPlan() {
  ::posix_spawn_file_actions_init(&actions_);
  ::posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &all);
  ::posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

ChildPlan::~ChildPlan() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

void ChildPlan::open(int number, const char* file, int flags) {
  ::posix_spawn_file_actions_addopen(&actions_, number, file, flags, 0);
}

void ChildPlan::give(int ours, int number) {
  ::posix_spawn_file_actions_adddup2(&actions_, ours, number);
}

void ChildPlan::enter(const std::filesystem::path& folder) {
  ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
}

void ChildPlan::close_from(int number) {
  ::posix_spawn_file_actions_addclosefrom_np(&actions_, number);
}

int ChildPlan::run(const std::filesystem::path& executable, char* const* arguments,
                   char* const* environment, pid_t& pid) {
  return ::posix_spawn(&pid, executable.c_str(), &actions_, &attributes_, arguments, environment);
}

}  // namespace host
