// All plugins of one host. It watches their folders, loads new libraries, validates each build in a
// separate process, and publishes valid builds in the catalog. If a build is refused, the previous
// build continues to serve, and the status has the reason.
//
// I/O thread only. It owns the threads that run plugin code and blocking file operations. stop()
// must have ended before it is destroyed.
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
  std::shared_ptr<const ServiceTable> services;  // null: plugins have no services
  tool::CallerWork* callers = nullptr;           // executes external tools; null: no code does
  std::shared_ptr<metrics::Registry> metrics;    // null: no metrics
  std::filesystem::path worker;  // empty: `toolpost-worker` next to this process's executable
  // A silent worker is pinged, and killed if it does not answer. The time is long, because a worker
  // on a busy machine may be slow.
  std::chrono::milliseconds ping_every{5000};
  std::chrono::milliseconds pong_within{15000};
  // How long the answer to a crashed call may wait for the source position of the crash.
  std::chrono::milliseconds place_within{150};
  config::Sandbox sandbox{};
  // Names of all programs that a read-only command may run.
  std::vector<std::string> read_only_programs;
  // If several builds changed together: how long the builds that are ready wait for the others.
  std::chrono::milliseconds batch_patience{2000};
};

// `toolpost-worker` next to this process's executable.
std::filesystem::path worker_beside_host();

class PluginHost {
 public:
  PluginHost(boost::asio::any_io_executor io, Options options, tool::Catalog& catalog);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Returns when every library in the folders serves or was refused. From then on the folders are
  // watched.
  boost::asio::awaitable<void> load_all();

  // Scans all folders now, without waiting for files to settle. Returns when all changes were
  // handled.
  boost::asio::awaitable<void> reload();

  // Scans all folders, then loads this plugin's file again, even if it serves already, was refused
  // or was rolled back. Returns when it serves, or with the reason why it does not. NotFound: no
  // folder has the plugin.
  boost::asio::awaitable<Result<void>> reload(std::string plugin);
  // Ends the quarantine of this plugin's builds. InvalidArgument: no build is in quarantine.
  boost::asio::awaitable<Result<void>> release(std::string plugin);

  // Removes every plugin from the catalog and returns when all are retired. Workers that have not
  // ended within `patience` are killed. False: code of an inline plugin still runs, and cannot be
  // ended. After stop(), no plugin is loaded.
  boost::asio::awaitable<bool> stop(std::chrono::milliseconds patience);
  // The same, with the drain timeout of its options.
  boost::asio::awaitable<void> stop();
  // Makes a running stop() kill the remaining workers at once.
  void hurry();

  std::vector<PluginStatus> status() const;  // sorted by name

  // `listener` is called with a text for each later crash of a worker, quarantine, and rollback of
  // a build.
  void on_setback(std::function<void(const std::string& plugin, const std::string& what)> listener);
  // `listener` is called with the reason each time that a plugin is quarantined.
  void on_quarantine(
      std::function<void(const std::string& plugin, const std::string& reason)> listener);

  // Number of inline libraries that could not be unloaded.
  std::uint32_t zombies() const;

  // Number of generations, of all plugins, that have not retired.
  std::uint32_t generations() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::plugin
