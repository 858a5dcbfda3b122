// Runs one command twice, as itself and in the sandbox of a worker for commands that only read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/profile.h"

struct Ran {
  int status = 0;      // as waitpid() has it
  std::string output;  // both streams
};

class HeldRun {
 public:
  // The profile that the host makes of the grants `exec` and "ro:/".
  HeldRun();

  // What the sandbox took from the command, in words; empty: nothing. The command must be one that
  // ends and changes nothing.
  std::string lacks(const std::string& command, const std::string& folder,
                    const std::vector<std::string>& environment) const;

  // Whether the command prints this text.
  static bool prints(std::string_view text, const std::string& command, const std::string& folder,
                     const std::vector<std::string>& environment);

 private:
  host::sandbox::Profile profile_;
};
