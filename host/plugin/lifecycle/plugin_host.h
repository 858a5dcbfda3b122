// All plugins of one host: watches their folders, loads what appears there, checks each build in a
// process of its own, and publishes what passed in the catalog. A build that does not pass leaves
// the one before serving and says why.
//
// I/O thread only, as the executor it is given. It owns the threads that run plugin code and
// blocking file work. stop() must have ended before it is destroyed.
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
#include "tool/catalog.h"

namespace host::plugin {

struct Options {
  config::Plugins plugins;
  config::Call call;
  std::uint32_t result_bytes = 16u << 20u;
  std::shared_ptr<const ServiceTable> services;  // null: plugins can ask for none
  std::shared_ptr<metrics::Registry> metrics;    // null: nobody looks
  std::filesystem::path worker;  // empty: `toolpost-worker` beside this process's executable
  // A worker that says nothing is pinged, and killed where no answer comes. The time is long: a
  // busy machine is no dead worker.
  std::chrono::milliseconds ping_every{5000};
  std::chrono::milliseconds pong_within{15000};
  // How long what a crash costs is not answered while it is found out where in its source it was.
  std::chrono::milliseconds place_within{100};
  config::Sandbox sandbox{};
  // By name, all that a command which only reads may run.
  std::vector<std::string> read_only_programs;
  // Of builds that changed together, how long those that are ready wait for the others.
  std::chrono::milliseconds batch_patience{2000};
};

// `toolpost-worker` beside this process's executable.
std::filesystem::path worker_beside_host();

class PluginHost {
 public:
  PluginHost(boost::asio::any_io_executor io, Options options, tool::Catalog& catalog);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Returns when every library found now serves or was refused; from then on the folders are
  // watched.
  boost::asio::awaitable<void> load_all();

  // Looks at all folders now, without waiting for them to settle; returns when that was handled.
  boost::asio::awaitable<void> reload();

  // Looks at all folders, then loads this plugin's file anew, also where it serves already, was
  // refused or was rolled back; returns when it serves, or why it does not. NotFound: no folder
  // has it.
  boost::asio::awaitable<Result<void>> reload(std::string plugin);
  // Lifts the quarantine of this plugin's builds. InvalidArgument: none is quarantined.
  boost::asio::awaitable<Result<void>> release(std::string plugin);

  // Takes every plugin out of the catalog and returns when all are retired. Workers that have not
  // ended within `patience` are killed. False: code inside this process runs on, which nothing can
  // end. Nothing is loaded any more.
  boost::asio::awaitable<bool> stop(std::chrono::milliseconds patience);
  // With the drain timeout of its options.
  boost::asio::awaitable<void> stop();
  // A stop() that is under way has no patience any more.
  void hurry();

  std::vector<PluginStatus> status() const;  // in the order of names

  // `listener` hears, in words, of each crash of a worker, of a quarantine, and of each build that
  // was rolled back, from now on.
  void on_setback(std::function<void(const std::string& plugin, const std::string& what)> listener);

  // Libraries that should be gone from memory and are not: inline plugins that could not be
  // unloaded.
  std::uint32_t zombies() const;

  // That have not retired, of all plugins.
  std::uint32_t generations() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace host::plugin
