// What people may know about one plugin: `toolpost plugins` and the page show it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "sandbox/layer.h"
#include "tool/catalog.h"

namespace host::plugin {

// Where the newest build of a plugin stands. Active goes on while a newer build is looked at and
// found bad: Rejected is told by `last_error`, with the old generation still serving.
// Quarantined: it is offered, and every call of it fails, for it crashed too often.
enum class State { Absent, Staging, Probing, Starting, Active, Rejected, Disabled, Quarantined };

std::string_view to_string(State state);  // absent, staging, ...

// One build that was looked at.
struct Reload {
  WallTime at{};
  std::uint32_t generation = 0;
  std::string hash;  // SHA-256, hex; empty where the file could not be read
  bool accepted = false;
  std::string reason;  // why not
  std::chrono::milliseconds took{0};
};

struct PluginStatus {
  std::string name;  // the file's stem
  std::filesystem::path path;
  State state = State::Absent;
  bool serving = false;          // some generation is offered; see answers()
  std::uint32_t generation = 0;  // the serving one; the first is 1
  std::string id;
  std::string version;
  std::string hash;  // of the serving build
  config::Isolation isolation = config::Isolation::Worker;
  std::vector<sandbox::Layer> layers;      // around its worker; none inline
  std::vector<std::string> grants;         // of its worker, in the configuration's words
  std::vector<std::string> absent_grants;  // paths among them that could not be granted, and why
  bool reads_only = false;                 // it is held to what all its tools say of themselves
  bool split_read_only = false;            // workers of their own hold calls that read to it
  std::uint32_t workers = 1;               // that its calls may be spread over
  pid_t pid = 0;                           // the first worker's, 0 where there is none now
  std::vector<pid_t> pids;                 // of all that are there now
  std::uint32_t restarts = 0;              // of the serving generation's workers
  std::uint32_t crashes = 0;               // of the serving build, whichever generation it was
  std::string last_crash;                  // how and where; empty: none
  std::size_t refused_inputs = 0;          // calls that crashed it, and may not again for now
  std::string last_error;                  // why the newest build does not serve; empty: it does
  std::vector<Reload> history;             // oldest first, the last few
  std::vector<std::string> tools;
  std::vector<std::string> declared;    // those of its library, by the names that it gives them
  std::vector<tool::Refusal> refusals;  // tools, overrides and files that were not taken
  std::vector<std::string> notes;       // what is doubtful of the serving build's structure

  // Calls reach it: what a quarantined build offers is listed, and its calls fail.
  bool answers() const { return serving && state != State::Quarantined; }
};

}  // namespace host::plugin
