// Runs one command twice, as itself and in the sandbox of a worker for commands that only read.
#pragma once

#include <string>
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

 private:
  host::sandbox::Profile profile_;
};
