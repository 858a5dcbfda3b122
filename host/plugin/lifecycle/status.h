// The status of one plugin, which `toolpost plugins`, REST and the console show.
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
// Rejected means that the newest build was refused (`last_error` gives the reason), and that the
// previous generation is still in use. Quarantined means that the plugin's tools are listed but
// every call fails, because the build crashed too often.
enum class State { Absent, Staging, Probing, Starting, Active, Rejected, Disabled, Quarantined };

std::string_view to_string(State state);  // absent, staging, ...

// The record of one build of a plugin that was validated or refused.
struct Reload {
  WallTime at{};
  std::uint32_t generation = 0;
  std::string hash;  // SHA-256, hex; empty if the file could not be read
  bool accepted = false;
  std::string reason;  // why the host refused the build
  std::chrono::milliseconds took{0};
};

struct PluginStatus {
  std::string name;  // the plugin's file stem
  std::filesystem::path path;
  State state = State::Absent;
  bool serving = false;          // true: a generation is in the catalog; see answers()
  std::uint32_t generation = 0;  // the number of the serving generation; the first is 1
  std::string id;
  std::string version;
  std::string hash;  // the hash of the serving build
  config::Isolation isolation = config::Isolation::Worker;
  std::vector<sandbox::Layer> layers;      // layers of the worker's sandbox; empty if inline
  std::vector<std::string> grants;         // grants of the worker, in the form of the configuration
  std::vector<std::string> permissions;    // permissions that the library requests
  std::vector<std::string> absent_grants;  // granted paths that the worker cannot access, and why
  bool reads_only = false;                 // the sandbox lets all tools only read
  bool split_read_only = false;            // separate workers run the read-only calls
  std::uint32_t workers = 1;               // maximum number of workers that run the plugin's calls
  pid_t pid = 0;                           // process id of the first worker; 0: not running
  std::vector<pid_t> pids;                 // process ids of all running workers
  std::uint32_t restarts = 0;              // number of restarts of the serving generation's workers
  std::uint32_t crashes = 0;               // number of crashes of the serving build's generations
  std::string last_crash;                  // how and where the last crash happened; empty: none
  std::size_t refused_inputs = 0;          // number of different calls refused after crashes
  std::string last_error;                  // why the newest build does not serve; empty: it serves
  std::vector<Reload> history;             // the latest builds, the oldest first
  std::vector<std::string> tools;
  std::vector<std::string> declared;    // the library's tools, by their names in the library
  std::vector<tool::Refusal> refusals;  // the tools, overrides and files that the host refused
  std::vector<std::string> notes;       // notes on the serving build's ELF structure
  std::filesystem::path side_file;      // the side file whose keys apply; empty: none
  std::vector<std::string> side_keys;   // keys in side_file: "timeout_s", "tool.greet.presets"

  // True if calls of the plugin's tools can run. If a build is in quarantine, clients see its
  // tools, but all calls fail.
  bool answers() const { return serving && state != State::Quarantined; }
};

}  // namespace host::plugin
