// One command from its start to the end of all that it started.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "output.h"
#include "process.h"
#include "roots/fd.h"

struct Command {
  std::string text;
  const Fd& cwd;
  std::vector<std::string> environment;
  std::chrono::steady_clock::time_point until;
  std::size_t max_output_bytes;  // of each of the two
};

struct Outcome {
  Ending ending;
  bool timed_out = false;
  bool left_behind = false;  // something in the background held its output; it was killed
  bool runs_on = false;      // something that it started could not be ended
  std::chrono::milliseconds took{};
  Output out, err;
};

// What it writes is also told as partial results while it runs, as long as it fits. At the deadline
// or when the call is cancelled the group gets SIGTERM, and SIGKILL half a second later. What left
// the group gets SIGKILL once the command has ended. Throws toolpost::Cancelled after that, and
// toolpost::Error where nothing could be started.
Outcome run(const Command& command, const toolpost::Context& call);
