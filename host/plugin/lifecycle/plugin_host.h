// The PluginHost manages all plugins of one host. The PluginHost watches the plugin folders, loads
// new libraries, validates each build in a separate process, and publishes valid builds in the
// catalog. If a build is refused, the previous build continues to serve, and the status gives the
// reason.
//
// The functions of this header are called on the I/O thread. The PluginHost owns the threads that
// run plugin code and blocking file operations. Destroy the PluginHost only after stop() has ended.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "metrics/registry.h"
#include "plugin/lifecycle/status.h"
#include "plugin/services/service_table.h"
#include "tool/call/caller_work.h"
#include "tool/provider/catalog.h"

namespace host::plugin {

struct Options {
  config::Plugins plugins;
  config::Call call;
  std::uint32_t result_bytes = 16u << 20u;
  std::shared_ptr<const ServiceTable> services;  // the services for plugins; null: none
  tool::CallerWork* callers = nullptr;           // runs external tools' calls; null: the calls fail
  std::shared_ptr<metrics::Registry> metrics;    // null: no metrics
  std::filesystem::path worker;  // empty: `toolpost-worker` next to this process's executable
  // The host pings a worker that has been silent for ping_every. The host kills a worker that does
  // not answer a ping within pong_within. The times ping_every and pong_within are long, because a
  // busy machine can be slow.
  std::chrono::milliseconds ping_every{5000};
  std::chrono::milliseconds pong_within{15000};
  // The time for which the host delays the result of a crashed call, to find the source line of the
  // crash.
  std::chrono::milliseconds place_within{150};
  config::Sandbox sandbox{};
  // The names of all programs that a read-only command may run.
  std::vector<std::string> read_only_programs;
  // The maximum time for which the ready builds of a batch wait for the batch's other builds.
  std::chrono::milliseconds batch_patience{2000};
};

// Returns the path of `toolpost-worker` next to this process's executable.
std::filesystem::path worker_beside_host();

class PluginHost {
 public:
  PluginHost(boost::asio::any_io_executor io, Options options, tool::Catalog& catalog);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Loads every library in the plugin folders. Returns when each library is in use or is refused.
  // After load_all() has returned, the PluginHost watches the folders.
  boost::asio::awaitable<void> load_all();

  // Scans all plugin folders now, without waiting for files to settle. Returns when the PluginHost
  // has handled all new, changed and removed files.
  boost::asio::awaitable<void> reload();

  // Scans all folders, then loads this plugin's file again, even if this build is already in use,
  // was refused or was rolled back. Returns when the build is in use, or returns the reason why the
  // build is not in use. The Error NotFound means that no folder has the plugin.
  boost::asio::awaitable<Result<void>> reload(std::string plugin);
  // Ends the quarantine of this plugin's builds. The Error InvalidArgument means that no build is
  // in quarantine.
  boost::asio::awaitable<Result<void>> release(std::string plugin);

  // Removes every plugin from the catalog and returns when all generations have retired. stop()
  // kills workers that have not ended within `patience`. Returns false if code of an inline plugin
  // still runs, because the host cannot end such code. After stop(), the PluginHost loads no
  // plugin.
  boost::asio::awaitable<bool> stop(std::chrono::milliseconds patience);
  // Calls stop() with the drain timeout of the Options as `patience`.
  boost::asio::awaitable<void> stop();
  // Makes a running stop() kill the remaining workers immediately.
  void hurry();

  std::vector<PluginStatus> status() const;  // sorted by name

  // The PluginHost calls `listener` with a text after each crash of a worker, each quarantine and
  // each rollback of a build.
  void on_setback(std::function<void(const std::string& plugin, const std::string& what)> listener);
  // The PluginHost calls `listener` with the reason each time it quarantines a plugin.
  void on_quarantine(
      std::function<void(const std::string& plugin, const std::string& reason)> listener);

  // Returns the number of inline libraries that could not be unloaded.
  std::uint32_t zombies() const;

  // Returns the number of generations, of all plugins, that have not retired.
  std::uint32_t generations() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::plugin
