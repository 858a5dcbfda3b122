// The status of one plugin, for `toolpost plugins`, REST and the console.
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
#include "tool/provider/catalog.h"

namespace host::plugin {

// The state of a plugin's newest build. A plugin stays Active while a newer build is validated.
// Rejected: `last_error` has the reason, and the previous generation still serves. Quarantined: its
// tools are listed, but every call fails, because it crashed too often.
enum class State { Absent, Staging, Probing, Starting, Active, Rejected, Disabled, Quarantined };

std::string_view to_string(State state);  // absent, staging, ...

// One validated or refused build.
struct Reload {
  WallTime at{};
  std::uint32_t generation = 0;
  std::string hash;  // SHA-256, hex; empty if the file could not be read
  bool accepted = false;
  std::string reason;  // why it was refused
  std::chrono::milliseconds took{0};
};

struct PluginStatus {
  std::string name;  // the file's stem
  std::filesystem::path path;
  State state = State::Absent;
  bool serving = false;          // a generation is in the catalog; see answers()
  std::uint32_t generation = 0;  // the serving one; the first is 1
  std::string id;
  std::string version;
  std::string hash;  // of the serving build
  config::Isolation isolation = config::Isolation::Worker;
  std::vector<sandbox::Layer> layers;      // of its worker's sandbox; empty if inline
  std::vector<std::string> grants;         // of its worker, in the form of the configuration
  std::vector<std::string> permissions;    // that its library asks for
  std::vector<std::string> absent_grants;  // granted paths that are not accessible, and why
  bool reads_only = false;                 // all its tools only read, and the sandbox enforces that
  bool split_read_only = false;            // separate workers enforce that for read-only calls
  std::uint32_t workers = 1;               // the most workers for its calls
  pid_t pid = 0;                           // of the first worker; 0: not running
  std::vector<pid_t> pids;                 // of all running workers
  std::uint32_t restarts = 0;              // of the serving generation's workers
  std::uint32_t crashes = 0;               // of the serving build, in all its generations
  std::string last_crash;                  // how and where it happened; empty: none
  std::size_t refused_inputs = 0;          // calls that crashed it and are refused for now
  std::string last_error;                  // why the newest build does not serve; empty: it does
  std::vector<Reload> history;             // oldest first, the last few
  std::vector<std::string> tools;
  std::vector<std::string> declared;    // the library's tools, by the names in the library
  std::vector<tool::Refusal> refusals;  // refused tools, overrides and files
  std::vector<std::string> notes;       // notes on the serving build's ELF structure

  // True if calls reach it. A quarantined build is listed, but its calls fail.
  bool answers() const { return serving && state != State::Quarantined; }
};

}  // namespace host::plugin
