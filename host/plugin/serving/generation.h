// A generation is one serving build of a plugin: its staged file, its description and its tools.
// The calls of the build's tools go to an instance of the plugin in this process or in a worker. A
// Generation is a provider of tools. Each route to a tool has a shared_ptr to the Generation. The
// Generation retires when the last shared_ptr is released.
//
// The functions of this header are called on the I/O thread.
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
  boost::asio::any_io_executor pool;  // runs inline plugin code that can wait
  // Returns the executor for nested calls of inline plugins. Each nesting depth of calls has its
  // own threads, because all threads of `pool` can be waiting for nested calls.
  std::function<boost::asio::any_io_executor(std::uint32_t depth)> nested_pool;
  boost::asio::any_io_executor control;  // runs the loading, checking and unloading of libraries
  std::filesystem::path worker;
  tool::CallerWork* callers = nullptr;  // sends calls of external tools to clients; null: they fail
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
  std::set<Supervisor*> supervisors;       // supervisors of all workers that have not ended
  std::atomic<std::uint32_t> zombies = 0;  // number of libraries that could not be unloaded
  // The function is called with a text for each crash, quarantine and rollback. The std::function
  // can be empty.
  using Setback = std::function<void(const std::string& plugin, const std::string& what)>;
  Setback on_setback;
  Setback on_quarantine;  // gets the reason of each quarantine; may be empty
  void tell_setback(const std::string& plugin, const std::string& what) const {
    if (on_setback) on_setback(plugin, what);
  }
};

// A build of a plugin that was staged and validated.
struct Build {
  std::string plugin;
  std::filesystem::path source;  // the original file
  std::uint32_t number = 0;
  // The private copy of the library, which is removed when its last shared_ptr is released.
  std::shared_ptr<const StagedFile> staged;
  std::shared_ptr<BuildRecord> record;
  Manifest manifest;
  std::string settings = "{}";
  // The plugin's settings, changed by its side file. If the pointer is null, the plugin has no side
  // file, and the settings in the configuration apply.
  std::shared_ptr<const config::Plugin> side_settings;
  Secrets secrets;
  std::uint32_t max_inflight = 64;
  std::uint32_t workers = 1;               // number of workers
  std::chrono::milliseconds idle_stop{0};  // an idle worker is stopped after this time; 0: never
  config::Isolation isolation = config::Isolation::Worker;
  sandbox::Profile profile;  // sandbox profile of the worker
  // The profile of separate workers for read-only calls. The number of separate workers for
  // read-only calls is `workers`. nullopt means that there are no such workers.
  std::optional<sandbox::Profile> reading_profile;
  std::chrono::milliseconds reading_idle_stop{0};  // idle_stop of those workers
  std::vector<std::string> env;
  bool reads_only = false;  // all tools of the plugin only read, and the sandbox enforces that
  bool known = false;  // an earlier host process validated the build: its worker can start later
};

class Generation : public tool::Provider {
 public:
  Generation(std::shared_ptr<Surroundings> around, Build build);
  ~Generation() override;  // retires the generation

  void start(std::shared_ptr<tool::Invocation> invocation) final;
  tool::AtOnce run_at_once(tool::AtOnceCall& call) final;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) final;

  // The functions for a hand-over of state. After hold_calls(), new calls are queued, and
  // busy() returns whether calls are still running. During the hand-over, the plugin's nested calls
  // are not queued, because a running call may wait for them. release_calls() runs the queued calls
  // in this generation. release_calls_to() runs the queued calls in the next generation, which
  // finds their tools by name. After release_calls_to(), the next generation also runs later calls
  // whose route still points to this generation. end_if_unused() ends the plugin's instance and
  // returns true when this generation's calls and its save() have ended.
  void hold_calls() { holds_ = true; }
  bool busy() const { return !idle(); }
  void release_calls();
  void release_calls_to(std::shared_ptr<Generation> next);
  bool end_if_unused();
  // Asks the plugin for its state, and then calls `told` once, on the I/O thread. Call save_state()
  // while busy() is false. While an earlier save() of the plugin still runs, `told` gets the Error
  // DeadlineExceeded.
  using Saved = std::function<void(Result<SavedState>)>;
  void save_state(Saved told);

  const tool::ProviderIdentity& identity() const final { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const final { return tools_; }
  const tool::Offer& offer() const final { return offer_; }
  void set_tools(std::vector<std::shared_ptr<const tool::Tool>> tools);
  void set_offer(tool::Offer offer) { offer_ = std::move(offer); }
  // Removes tools from the list or adds them again, as `news` says. Returns true if the list has
  // changed.
  bool offer_tools(const News& news);

  // Sets a function that is called after each crash, when the crash is counted in build().record.
  // Inline builds never call this function.
  virtual void on_crash(std::function<void()>) {}
  // Sets a function that is called each time tally() has counted another fault of the build.
  virtual void on_fault(std::function<void()>) {}
  virtual CallTally tally() const { return {}; }

  // Returns the plugin's announcements. The plugin's later announcements arrive only after
  // heard_news().
  virtual NewsInbox& news() = 0;
  virtual void heard_news() = 0;

  const Build& build() const { return build_; }
  virtual std::vector<pid_t> pids() const { return {}; }
  virtual std::uint32_t restarts() const { return 0; }
  // Returns the sandbox that the worker reported. The result is empty for inline builds, and before
  // the first worker has started.
  virtual sandbox::Applied sandbox() const { return {}; }

 protected:
  const std::shared_ptr<Surroundings>& around() const { return around_; }

 private:
  static constexpr std::size_t kMostHeld = 1024;

  virtual void begin(std::shared_ptr<tool::Invocation> invocation) = 0;
  virtual tool::AtOnce begin_at_once(tool::AtOnceCall&) { return tool::AtOnce::No; }
  virtual void stop(const std::shared_ptr<tool::Invocation>& invocation) = 0;
  virtual bool idle() const = 0;
  virtual void ask_for_state(Saved told) = 0;
  virtual void end_instance() = 0;  // called when the instance is idle and gets no more calls
  bool must_be_held(const tool::Invocation& invocation) const;
  void pick_tools();
  void pass_on(std::shared_ptr<tool::Invocation> invocation);
  bool heir_lacks(tool::Function function) const;
  bool heir_lacks_arguments(tool::Function function, std::string_view arguments) const;
  std::optional<Error> not_for_heir(const tool::Invocation& invocation,
                                    const tool::Tool* tool) const;

  std::shared_ptr<Surroundings> around_;
  bool holds_ = false;
  std::deque<std::shared_ptr<tool::Invocation>> held_;
  std::shared_ptr<Generation> heir_;  // the generation that took over the state
  // The value is true while save() runs in the plugin. The answer can arrive after this Generation
  // was destroyed.
  const std::shared_ptr<bool> saving_ = std::make_shared<bool>(false);

  Build build_;
  const tool::ProviderIdentity identity_;
  std::vector<std::shared_ptr<const tool::Tool>> all_tools_;
  std::set<std::uint32_t> withdrawn_;                     // numbers of withdrawn tools
  std::vector<std::shared_ptr<const tool::Tool>> tools_;  // the offered tools
  tool::Offer offer_;
};

}  // namespace host::plugin
