#include "plugin/lifecycle/plugin_host.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/log.h"
#include "base/process/spawn.h"
#include "base/text/nearest.h"
#include "plugin/file/watcher.h"
#include "plugin/instance/call_table.h"
#include "plugin/lifecycle/batch.h"
#include "plugin/lifecycle/folder_scan.h"
#include "plugin/lifecycle/lifecycle.h"
#include "plugin/lifecycle/loader.h"
#include "plugin/serving/supervisor.h"
#include "tool/definition/declared_text.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kDeath = 1s;  // of a worker that was killed

void log_stray() {
  log::warning("plugin", "a plugin completed a call that had ended, or twice: ignored");
}

// Counts one more while it lives.
class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  int& count_;
};

// A side file of a trusted folder may load its plugin inline.
bool any_inline(const config::Plugins& plugins) {
  return !plugins.trusted_dirs.empty() ||
         std::any_of(plugins.by_name.begin(), plugins.by_name.end(), [](const auto& entry) {
           return entry.second.isolation == config::Isolation::Inline;
         });
}

}  // namespace

fs::path worker_beside_host() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "toolpost-worker";
}

std::string_view to_string(State state) {
  switch (state) {
    case State::Absent:
      return "absent";
    case State::Staging:
      return "staging";
    case State::Probing:
      return "probing";
    case State::Starting:
      return "starting";
    case State::Active:
      return "active";
    case State::Rejected:
      return "rejected";
    case State::Disabled:
      return "disabled";
    case State::Quarantined:
      return "quarantined";
  }
  return "unknown";
}

class PluginHost::Impl : public std::enable_shared_from_this<PluginHost::Impl> {
 public:
  Impl(asio::any_io_executor io, Options options, tool::Catalog& catalog);
  ~Impl();

  asio::awaitable<void> load_all();
  asio::awaitable<void> scan(std::chrono::milliseconds batch_patience);
  asio::awaitable<void> scan_and_settle(std::chrono::milliseconds batch_patience);
  std::chrono::milliseconds batch_patience() const { return loader_->options.batch_patience; }
  asio::awaitable<Result<void>> reload(std::string plugin);
  asio::awaitable<Result<void>> release(std::string plugin);
  asio::awaitable<bool> stop(std::chrono::milliseconds patience);
  void hurry() { stop_by_ = steady_now(); }
  std::chrono::milliseconds drain_timeout() const { return around_->drain_timeout; }
  std::vector<PluginStatus> status() const;
  void on_setback(Surroundings::Setback listener) { around_->on_setback = std::move(listener); }
  void on_quarantine(Surroundings::Setback listener) {
    around_->on_quarantine = std::move(listener);
  }
  std::uint32_t zombies() const { return around_->zombies; }
  std::uint32_t generations() const { return around_->alive; }

 private:
  void open_manifests(const fs::path& folder);
  bool anything_new() const;
  void note_unread(std::map<fs::path, std::string> unread);
  void look();
  Lifecycle& ensure(const std::string& name);
  Result<std::shared_ptr<Lifecycle>> present(const std::string& name) const;
  void handle_missing(const std::map<std::string, Found>& found);
  asio::awaitable<void> pause(std::chrono::milliseconds time);
  asio::awaitable<void> wait_for_end();
  void kill_workers();

  asio::any_io_executor io_;
  // Plugin code that hangs inline would hang their join: then they are given up.
  std::unique_ptr<asio::thread_pool> pool_;
  std::array<std::unique_ptr<asio::thread_pool>, tool::kMostNested> nested_;  // made when needed
  std::unique_ptr<asio::thread_pool> control_;
  std::shared_ptr<Surroundings> around_;
  std::shared_ptr<Loader> loader_;
  std::shared_ptr<Watcher> watcher_;
  std::map<std::string, std::shared_ptr<Lifecycle>> plugins_;
  std::map<std::string, Found> last_found_;
  std::map<fs::path, std::string> unread_;  // folders that the last scan could not read, and why
  std::map<std::string, SteadyTime> missing_since_;
  int scans_ = 0;  // that are not handled yet
  SteadyTime stop_by_{};
};

PluginHost::Impl::Impl(asio::any_io_executor io, Options options, tool::Catalog& catalog)
    : io_(io),
      pool_(std::make_unique<asio::thread_pool>(
          any_inline(options.plugins) ? std::max(options.call.pool_threads, 1u) : 1)),
      control_(std::make_unique<asio::thread_pool>(2)),
      around_(std::make_shared<Surroundings>()) {
  around_->io = io;
  around_->pool = pool_->get_executor();
  around_->control = control_->get_executor();
  const auto threads = std::max(options.call.pool_threads, 1u);
  around_->nested_pool = [this, threads](std::uint32_t depth) {
    auto& pool = nested_.at(depth);
    if (!pool) pool = std::make_unique<asio::thread_pool>(threads);
    return asio::any_io_executor(pool->get_executor());
  };
  around_->worker = options.worker.empty() ? worker_beside_host() : options.worker;
  around_->result_bytes = options.result_bytes;
  around_->services = options.services;
  around_->callers = options.callers;
  around_->metrics = std::make_shared<PluginMetrics>(
      options.metrics ? options.metrics : std::make_shared<metrics::Registry>());
  around_->start_timeout = options.plugins.probe_timeout;
  around_->grace = options.call.grace;
  around_->drain_timeout = options.plugins.drain_timeout;
  around_->end_timeout = options.plugins.end_timeout;
  around_->ping_every = options.ping_every;
  around_->pong_within = options.pong_within;
  around_->place_within = options.place_within;
  loader_ = std::shared_ptr<Loader>(
      new Loader{around_, std::move(options), catalog, std::nullopt, {}, std::nullopt, false});
  CallTable::of_process().on_stray_completion(&log_stray);
}

PluginHost::Impl::~Impl() {
  plugins_.clear();
  if (around_->alive == 0) {
    // Its threads first: one may still be handing the last of a generation to the control threads.
    pool_->join();
    for (const auto& pool : nested_) {
      if (pool) pool->join();
    }
    control_->join();
    return;
  }
  static_cast<void>(pool_.release());
  for (auto& pool : nested_) static_cast<void>(pool.release());
  static_cast<void>(control_.release());
}

asio::awaitable<void> PluginHost::Impl::load_all() {
  const config::Plugins& settings = loader_->options.plugins;
  auto staging = Staging::open(settings.cache_dir);
  if (staging) {
    loader_->staging.emplace(std::move(*staging));
    around_->work_dir = loader_->staging->empty_folder();
  } else {
    loader_->no_staging = "there is no folder for private copies: " + staging.error().message;
  }
  open_manifests(settings.manifest_cache);
  Watcher::Settings watching;
  watching.folders = settings.dirs;
  watching.debounce = settings.debounce;
  watching.rescan = settings.rescan;
  watcher_ = std::make_shared<Watcher>(io_, std::move(watching));
  // First the watch, then the look: what comes in between is told.
  watcher_->start(
      [self = weak_from_this()] {
        if (const auto alive = self.lock()) alive->look();
      },
      [self = weak_from_this()] {
        const auto alive = self.lock();
        return alive && alive->anything_new();
      });
  // Nobody is served before all are loaded. So the order of their names decides who has a tool's
  // name, and no speed.
  co_await scan_and_settle(Batch::kNoEnd);
}

void PluginHost::Impl::open_manifests(const fs::path& folder) {
  if (folder.empty()) return;
  auto manifests = ManifestCache::open(folder);
  if (manifests) {
    loader_->manifests.emplace(std::move(*manifests));
  } else {
    log::warning("plugin", "every library is tried at each start",
                 {{"reason", manifests.error().message}});
  }
}

void PluginHost::Impl::look() {
  auto run = [self = shared_from_this()]() -> asio::awaitable<void> {
    co_await self->scan(self->batch_patience());
  };
  spawn(io_, {"plugin", "looks at the folders"}, std::move(run));
}

bool PluginHost::Impl::anything_new() const {
  const FoundLibraries found = find_libraries(loader_->options.plugins.dirs, last_found_);
  return found.by_name != last_found_ || found.unread != unread_ ||
         std::any_of(plugins_.begin(), plugins_.end(), [](const auto& one) {
           return one.second->present() && one.second->wants_another_try();
         });
}

void PluginHost::Impl::note_unread(std::map<fs::path, std::string> unread) {
  for (const auto& [folder, why] : unread) {
    const auto before = unread_.find(folder);
    if (before != unread_.end() && before->second == why) continue;
    log::warning("plugin", "a folder of plugins cannot be read: those that serve go on",
                 {{"folder", folder.string()}, {"reason", why}});
  }
  unread_ = std::move(unread);
}

Lifecycle& PluginHost::Impl::ensure(const std::string& name) {
  auto& plugin = plugins_[name];
  if (!plugin) plugin = std::make_shared<Lifecycle>(name, loader_);
  return *plugin;
}

asio::awaitable<void> PluginHost::Impl::scan(std::chrono::milliseconds batch_patience) {
  const auto self = shared_from_this();
  if (loader_->stopping) co_return;
  const Counted scanning(scans_);
  FoundLibraries all = find_libraries(loader_->options.plugins.dirs, last_found_);
  last_found_ = std::move(all.by_name);
  note_unread(std::move(all.unread));
  watcher_->renew(link_targets(last_found_));
  handle_missing(last_found_);
  // All at once: each waits for its processes most of the time.
  const auto batch = std::make_shared<Batch>(io_, loader_->catalog, batch_patience);
  std::vector<std::pair<std::shared_ptr<Lifecycle>, std::shared_ptr<Batch::Place>>> loads;
  for (const auto& [name, found] : last_found_) {
    Lifecycle& plugin = ensure(name);
    plugin.set_refusals_of_files(found.refused);
    if (!plugin.sees(found.path, found.mark)) continue;
    loads.emplace_back(plugin.shared_from_this(), std::make_shared<Batch::Place>(batch, name));
  }
  const auto left = std::make_shared<std::size_t>(loads.size());
  const auto all_done =
      std::make_shared<asio::steady_timer>(io_, asio::steady_timer::time_point::max());
  for (auto& [plugin, place] : loads) {
    plugin->begin_load(std::move(place), [left, all_done] {
      if (--*left == 0) all_done->cancel();
    });
  }
  while (*left > 0) {
    boost::system::error_code ignored;
    auto token = asio::redirect_error(asio::use_awaitable, ignored);
    co_await all_done->async_wait(token);
  }
}

asio::awaitable<void> PluginHost::Impl::scan_and_settle(std::chrono::milliseconds batch_patience) {
  const auto self = shared_from_this();
  co_await scan(batch_patience);
  // What an earlier look is loading was told that there is more, and loads that too.
  const auto loading = [](const auto& one) { return one.second->loading(); };
  while (!loader_->stopping && std::any_of(plugins_.begin(), plugins_.end(), loading))
    co_await pause(1ms);
}

Result<std::shared_ptr<Lifecycle>> PluginHost::Impl::present(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const auto& [known, plugin] : plugins_) {
    if (!plugin->present()) continue;
    if (known == name) return plugin;
    names.emplace_back(known);
  }
  return Error{ErrorKind::NotFound,
               "there is no plugin " + tool::quoted_name(name) + ": " +
                   (names.empty() ? "this host has none" : suggest(name, names))};
}

asio::awaitable<Result<void>> PluginHost::Impl::reload(std::string name) {
  const auto self = shared_from_this();
  co_await scan(batch_patience());
  HOST_CO_TRY_ASSIGN(const std::shared_ptr<Lifecycle> plugin, present(name));
  auto loaded = co_await plugin->load_again();
  if (loaded) co_return loaded;
  co_return loaded.error().within(name);
}

asio::awaitable<Result<void>> PluginHost::Impl::release(std::string name) {
  const auto self = shared_from_this();
  HOST_CO_TRY_ASSIGN(const std::shared_ptr<Lifecycle> plugin, present(name));
  auto released = co_await plugin->release();
  if (released) co_return released;
  co_return released.error().within(name);
}

void PluginHost::Impl::handle_missing(const std::map<std::string, Found>& found) {
  const auto grace = loader_->options.plugins.retire_grace;
  const SteadyTime now = std::chrono::steady_clock::now();
  for (const auto& [name, plugin] : plugins_) {
    if (found.contains(name) || !plugin->present()) {
      missing_since_.erase(name);
      continue;
    }
    const SteadyTime since = missing_since_.try_emplace(name, now).first->second;
    if (now - since >= grace) {
      plugin->missing();
      missing_since_.erase(name);
    } else {
      watcher_->touch_after(std::chrono::ceil<std::chrono::milliseconds>(since + grace - now));
    }
  }
}

asio::awaitable<void> PluginHost::Impl::pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(io_, time);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<bool> PluginHost::Impl::stop(std::chrono::milliseconds patience) {
  const auto self = shared_from_this();
  loader_->stopping = true;
  stop_by_ = steady_now() + patience + around_->end_timeout;
  around_->drain_timeout = patience;  // which workers are told, so that they use it
  if (watcher_) watcher_->stop();
  for (const auto& [name, plugin] : plugins_) plugin->retire();
  co_await wait_for_end();
  if (around_->alive > 0) {
    kill_workers();
    stop_by_ = steady_now() + kDeath;
    co_await wait_for_end();
  }
  if (around_->alive > 0) {
    log::warning("plugin", "some plugins did not end in time",
                 {{"count", std::to_string(around_->alive.load())}});
  }
  co_return around_->alive == 0;
}

asio::awaitable<void> PluginHost::Impl::wait_for_end() {
  while ((around_->alive > 0 || scans_ > 0) && steady_now() < stop_by_) co_await pause(2ms);
}

void PluginHost::Impl::kill_workers() {
  const auto left = around_->supervisors;  // one may go with the end of its worker
  for (Supervisor* const one : left) {
    if (around_->supervisors.contains(one)) one->end_now("the host stops");
  }
}

std::vector<PluginStatus> PluginHost::Impl::status() const {
  std::vector<PluginStatus> all;
  for (const auto& [name, plugin] : plugins_) all.push_back(plugin->status());
  return all;
}

PluginHost::PluginHost(asio::any_io_executor io, Options options, tool::Catalog& catalog)
    : impl_(std::make_shared<Impl>(std::move(io), std::move(options), catalog)) {}

PluginHost::~PluginHost() = default;

asio::awaitable<void> PluginHost::load_all() {
  co_await impl_->load_all();
}

asio::awaitable<void> PluginHost::reload() {
  co_await impl_->scan_and_settle(impl_->batch_patience());
}

asio::awaitable<Result<void>> PluginHost::reload(std::string plugin) {
  auto loaded = co_await impl_->reload(std::move(plugin));
  co_return loaded;
}

asio::awaitable<Result<void>> PluginHost::release(std::string plugin) {
  auto released = co_await impl_->release(std::move(plugin));
  co_return released;
}

asio::awaitable<bool> PluginHost::stop(std::chrono::milliseconds patience) {
  const bool all_ended = co_await impl_->stop(patience);
  co_return all_ended;
}

asio::awaitable<void> PluginHost::stop() {
  co_await impl_->stop(impl_->drain_timeout());
}

void PluginHost::hurry() {
  impl_->hurry();
}

void PluginHost::on_setback(
    std::function<void(const std::string& plugin, const std::string& what)> listener) {
  impl_->on_setback(std::move(listener));
}

void PluginHost::on_quarantine(
    std::function<void(const std::string& plugin, const std::string& reason)> listener) {
  impl_->on_quarantine(std::move(listener));
}

std::vector<PluginStatus> PluginHost::status() const {
  return impl_->status();
}

std::uint32_t PluginHost::generations() const {
  return impl_->generations();
}

std::uint32_t PluginHost::zombies() const {
  return impl_->zombies();
}

}  // namespace host::plugin
