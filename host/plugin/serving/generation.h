// One build of a plugin that serves: its staged file, what it described, its tools; the calls go to
// an instance in this process or in a worker. It is a provider like any other: the catalog's routes
// hold it, and when the last one lets go it retires by itself.
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
#include "plugin/services/service_table.h"
#include "plugin/serving/build_record.h"
#include "plugin/serving/call_tally.h"
#include "plugin/serving/plugin_metrics.h"
#include "plugin/wire/news.h"
#include "plugin/wire/redactor.h"
#include "plugin/wire/saved_state.h"
#include "sandbox/apply.h"
#include "sandbox/compile_filter.h"
#include "tool/provider.h"

namespace host::plugin {

class Supervisor;

// What generations have in common with their host: where things run, how long they may take, and
// how many are not gone yet.
struct Surroundings {
  boost::asio::any_io_executor io;
  boost::asio::any_io_executor pool;  // plugin code inline that may wait
  // The same for calls that a call made which waits for them, by how deep that one stands: threads
  // of their own, for those of the pool may all be waiting.
  std::function<boost::asio::any_io_executor(std::uint32_t depth)> nested_pool;
  boost::asio::any_io_executor control;  // loading, checking, unloading
  std::filesystem::path worker;
  std::shared_ptr<const ServiceTable> services;
  std::shared_ptr<PluginMetrics> metrics;
  std::uint64_t result_bytes = 0;
  std::chrono::milliseconds start_timeout{0};
  std::chrono::milliseconds grace{0};
  std::chrono::milliseconds drain_timeout{0};
  std::chrono::milliseconds end_timeout{2000};
  std::chrono::milliseconds ping_every{0};
  std::chrono::milliseconds pong_within{0};
  std::chrono::milliseconds place_within{100};
  std::filesystem::path work_dir;  // of workers: empty, and nobody's
  std::shared_ptr<sandbox::Filters> filters = std::make_shared<sandbox::Filters>();
  std::atomic<std::uint32_t> alive = 0;    // generations that have not retired
  std::set<Supervisor*> supervisors;       // of workers, all that are not gone
  std::atomic<std::uint32_t> zombies = 0;  // libraries that stayed in memory
  // Hears, in words, of crashes, quarantines and builds that were rolled back; may be empty.
  using Setback = std::function<void(const std::string& plugin, const std::string& what)>;
  Setback on_setback;
  void tell_setback(const std::string& plugin, const std::string& what) const {
    if (on_setback) on_setback(plugin, what);
  }
};

// A build that was staged and passed its probe.
struct Build {
  std::string plugin;
  std::filesystem::path source;  // the file that people put there
  std::uint32_t number = 0;
  std::shared_ptr<const StagedFile> staged;  // the last to let go removes it
  std::shared_ptr<BuildRecord> record;
  Manifest manifest;
  std::string settings = "{}";
  Secrets secrets;
  std::uint32_t max_inflight = 64;
  std::uint32_t workers = 1;               // that its calls are spread over
  std::chrono::milliseconds idle_stop{0};  // without work a worker is stopped then; 0: never
  config::Isolation isolation = config::Isolation::Worker;
  sandbox::Profile profile;  // of its worker
  // Of as many more workers, for calls that only read; none: they run where the others do.
  std::optional<sandbox::Profile> reading_profile;
  std::chrono::milliseconds reading_idle_stop{0};  // idle_stop of those workers
  std::vector<std::string> env;
  bool reads_only = false;  // by what its tools say, and so is its worker
  bool known = false;       // an earlier host tried it: its worker may come up later
};

class Generation : public tool::Provider {
 public:
  Generation(std::shared_ptr<Surroundings> around, Build build);
  ~Generation() override;  // retires

  void start(std::shared_ptr<tool::Invocation> invocation) final;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) final;

  // For a hand-over: from now on calls queue, and busy() says whether some are still inside. Then
  // the queue goes back to this one; or to the next generation, by the names of its tools, and so
  // does every call that comes here later by a route from before.
  void hold_calls() { holds_ = true; }
  bool busy() const { return !idle(); }
  void release_calls();
  void release_calls_to(std::shared_ptr<Generation> next);
  // While it is not busy. `told` comes once, on the I/O thread.
  using Saved = std::function<void(Result<SavedState>)>;
  virtual void save_state(Saved told) = 0;

  const tool::ProviderIdentity& identity() const final { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const final { return tools_; }
  const tool::Offer& offer() const final { return offer_; }
  void set_tools(std::vector<std::shared_ptr<const tool::Tool>> tools);
  void set_offer(tool::Offer offer) { offer_ = std::move(offer); }
  // Takes tools of these numbers out of its list, or puts them back. True: the list is another now.
  bool offer_tools(const News& news);

  // Hears of each crash, after it was counted in build().record. Inline there is none to hear of.
  virtual void on_crash(std::function<void()>) {}
  // The same of each call that failed by the build's fault, after it was counted in tally().
  virtual void on_fault(std::function<void()>) {}
  virtual CallTally tally() const { return {}; }

  // What the plugin tells of itself; the next comes after heard_news().
  virtual NewsInbox& news() = 0;
  virtual void heard_news() = 0;

  const Build& build() const { return build_; }
  virtual std::vector<pid_t> pids() const { return {}; }
  virtual std::uint32_t restarts() const { return 0; }
  // What its worker told of it; nothing inline, and before its first worker is up.
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
  std::shared_ptr<Generation> heir_;  // has this one's state

  Build build_;
  const tool::ProviderIdentity identity_;
  std::vector<std::shared_ptr<const tool::Tool>> all_tools_;
  std::set<std::uint32_t> withdrawn_;                     // by number
  std::vector<std::shared_ptr<const tool::Tool>> tools_;  // the rest
  tool::Offer offer_;
};

}  // namespace host::plugin
