// One command as a process group of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "roots/fd.h"

struct Ending {
  int exit_code = 0;
  int signal = 0;  // 0: it ended by itself
};

// Any thread, one at a time. When it is destroyed, nobody of its group is left.
class Process {
 public:
  // Starts `/bin/sh -c command` in the open folder `cwd`, with nothing of ours but an empty input
  // and two pipes; environment is what there is of one, as NAME=VALUE. Throws toolpost::Error.
  Process(const std::string& command, const Fd& cwd, const std::vector<std::string>& environment);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const Fd& out() const { return out_; }
  const Fd& err() const { return err_; }

  // How it ended; nothing while it runs. Its number is still taken then, so that the group cannot
  // be another's.
  std::optional<Ending> ended() const;

  // To the whole group.
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  Fd out_, err_;
};
