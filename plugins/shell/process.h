// One command as a process group of its own, and what it started outside of it.
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

// Any thread; one object at a time in a process. When it is destroyed, nothing that it started is
// left, as far as the system lets this process end it.
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

  // Ends the group and all that left it; nothing else may be asked afterwards. False: something
  // still runs.
  bool end();

 private:
  pid_t pid_ = -1;
  Fd out_, err_;
};
