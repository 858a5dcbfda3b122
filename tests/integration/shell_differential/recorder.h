// Runs one command and records what it tries to change: the kernel asks before each system call
// that writes, runs a program, connects or signals, and this side says no, except to the programs
// that are allowed to run.
#pragma once

#include <set>
#include <string>
#include <vector>

struct Attempt {
  std::string call;  // `execve`, `openat`
  std::string what;  // its path, where it has one
};

struct Recorded {
  std::vector<Attempt> refused;
  bool ended = true;  // false: it ran past the limit and was killed
};

class Recorder {
 public:
  // `programs`: names of those that may run, from the system's folders alone.
  explicit Recorder(std::set<std::string, std::less<>> programs);

  // `/bin/sh -c command` in this folder, with this environment.
  Recorded run(const std::string& command, const std::string& folder,
               const std::vector<std::string>& environment) const;

  // Whether this kernel lets a process be asked about.
  static bool works();

 private:
  const std::set<std::string, std::less<>> programs_;
};
