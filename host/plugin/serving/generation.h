// One serving build of a plugin: its staged file, its description and its tools. Its calls go to an
// instance in this process or in a worker. It is a provider: routes of the catalog keep a
// shared_ptr to it, and it retires when the last one is released.
//
// I/O thread only.
#pragma once

#include <sys/types.h>
#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugin/declared/manifest.h"
#include "plugin/file/staging.h"
#include "plugin/process/known_places.h"
#include "plugin/services/service_table.h"
#include "plugin/serving/build_record.h"
#include "plugin/serving/call_tally.h"
#include "plugin/serving/plugin_metrics.h"
#include "plugin/wire/news.h"
#include "plugin/wire/redactor.h"
#include "plugin/wire/saved_state.h"
#include "sandbox/apply.h"
#include "sandbox/compile_filter.h"
#include "tool/call/caller_work.h"
#include "tool/provider/provider.h"

namespace host::plugin {

class Supervisor;

// The parts of the host that all generations share: executors, timeouts, and counts of generations
// that still exist.
struct Surroundings {
  boost::asio::any_io_executor io;
  boost::asio::any_io_executor pool;  // inline plugin code that may wait
  // The same, for nested calls, by nesting depth. They have separate threads, because all threads
  // of the pool may be waiting for nested calls.
  std::function<boost::asio::any_io_executor(std::uint32_t depth)> nested_pool;
  boost::asio::any_io_executor control;  // loading, checking, unloading
  std::filesystem::path worker;
  tool::CallerWork* callers = nullptr;  // executes external tools; null: external tools fail
  std::shared_ptr<const ServiceTable> services;
  std::shared_ptr<PluginMetrics> metrics;
  std::uint64_t result_bytes = 0;
  std::chrono::milliseconds start_timeout{0};
  std::chrono::milliseconds grace{0};
  std::chrono::milliseconds drain_timeout{0};
  std::chrono::milliseconds end_timeout{2000};
  std::chrono::milliseconds ping_every{0};
  std::chrono::milliseconds pong_within{0};
  std::chrono::milliseconds place_within{150};
  std::filesystem::path work_dir;  // working folder of workers: empty, and not writable by anybody
  std::shared_ptr<sandbox::Filters> filters = std::make_shared<sandbox::Filters>();
  std::shared_ptr<KnownPlaces> places = std::make_shared<KnownPlaces>();
  std::atomic<std::uint32_t> alive = 0;    // generations that have not retired
  std::set<Supervisor*> supervisors;       // of all workers that have not ended
  std::atomic<std::uint32_t> zombies = 0;  // libraries that could not be unloaded
  // Called with a text for each crash, quarantine and rollback; may be empty.
  using Setback = std::function<void(const std::string& plugin, const std::string& what)>;
  Setback on_setback;
  Setback on_quarantine;  // with the reason; may be empty
  void tell_setback(const std::string& plugin, const std::string& what) const {
    if (on_setback) on_setback(plugin, what);
  }
};

// A staged and validated build.
struct Build {
  std::string plugin;
  std::filesystem::path source;  // the original file
  std::uint32_t number = 0;
  std::shared_ptr<const StagedFile> staged;  // removed with its last reference
  std::shared_ptr<BuildRecord> record;
  Manifest manifest;
  std::string settings = "{}";
  Secrets secrets;
  std::uint32_t max_inflight = 64;
  std::uint32_t workers = 1;               // number of workers
  std::chrono::milliseconds idle_stop{0};  // an idle worker is stopped after this time; 0: never
  config::Isolation isolation = config::Isolation::Worker;
  sandbox::Profile profile;  // of its worker
  // The profile of further workers for read-only calls, as many again. nullopt: there are none.
  std::optional<sandbox::Profile> reading_profile;
  std::chrono::milliseconds reading_idle_stop{0};  // idle_stop of those workers
  std::vector<std::string> env;
  bool reads_only = false;  // all its tools only read, and the sandbox enforces it
  bool known = false;       // an earlier host validated it, so its worker may start later
};

class Generation : public tool::Provider {
 public:
  Generation(std::shared_ptr<Surroundings> around, Build build);
  ~Generation() override;  // retires

  void start(std::shared_ptr<tool::Invocation> invocation) final;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) final;

  // For a hand-over: queues new calls from now on. busy() says whether calls are still running.
  // Later the queued calls run in this generation, or in the next one, by the names of its tools.
  // In the second case, later calls with an old route run in the next one too.
  void hold_calls() { holds_ = true; }
  bool busy() const { return !idle(); }
  void release_calls();
  void release_calls_to(std::shared_ptr<Generation> next);
  // Call it while busy() is false. `told` is called once, on the I/O thread.
  using Saved = std::function<void(Result<SavedState>)>;
  virtual void save_state(Saved told) = 0;

  const tool::ProviderIdentity& identity() const final { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const final { return tools_; }
  const tool::Offer& offer() const final { return offer_; }
  void set_tools(std::vector<std::shared_ptr<const tool::Tool>> tools);
  void set_offer(tool::Offer offer) { offer_ = std::move(offer); }
  // Removes the tools in `news` from the list, or puts them back. True: the list has changed.
  bool offer_tools(const News& news);

  // Called after each crash was counted in build().record. Never called for inline builds.
  virtual void on_crash(std::function<void()>) {}
  // Called after each call that failed because of the build was counted in tally().
  virtual void on_fault(std::function<void()>) {}
  virtual CallTally tally() const { return {}; }

  // The plugin's announcements. The next News arrives after heard_news().
  virtual NewsInbox& news() = 0;
  virtual void heard_news() = 0;

  const Build& build() const { return build_; }
  virtual std::vector<pid_t> pids() const { return {}; }
  virtual std::uint32_t restarts() const { return 0; }
  // The state reported by its worker; empty for inline builds, and before the first worker has
  // started.
  virtual sandbox::Applied sandbox() const { return {}; }

 protected:
  const std::shared_ptr<Surroundings>& around() const { return around_; }

 private:
  static constexpr std::size_t kMostHeld = 1024;

  virtual void begin(std::shared_ptr<tool::Invocation> invocation) = 0;
  virtual void stop(const std::shared_ptr<tool::Invocation>& invocation) = 0;
  virtual bool idle() const = 0;
  void pick_tools();
  void pass_on(std::shared_ptr<tool::Invocation> invocation);
  std::optional<Error> not_for_heir(const tool::Invocation& invocation,
                                    const tool::Tool* tool) const;

  std::shared_ptr<Surroundings> around_;
  bool holds_ = false;
  std::deque<std::shared_ptr<tool::Invocation>> held_;
  std::shared_ptr<Generation> heir_;  // the generation that took over the state

  Build build_;
  const tool::ProviderIdentity identity_;
  std::vector<std::shared_ptr<const tool::Tool>> all_tools_;
  std::set<std::uint32_t> withdrawn_;                     // numbers of withdrawn tools
  std::vector<std::shared_ptr<const tool::Tool>> tools_;  // the offered tools
  tool::Offer offer_;
};

}  // namespace host::plugin
