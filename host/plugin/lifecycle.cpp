#include "plugin/lifecycle.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "plugin/begun.h"
#include "plugin/grants.h"
#include "plugin/inline_generation.h"
#include "plugin/listing.h"
#include "plugin/on_executor.h"
#include "plugin/worker_generation.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr int kMostListings = 12;  // of a plugin that is busy; each waits for the start timeout
constexpr std::chrono::milliseconds kNewsPause{100};  // from one News of a plugin to the next
constexpr std::size_t kMostHistory = 16;
constexpr int kMostStagings = 20;  // of a file that keeps changing
constexpr std::size_t kMostRecords = 32;

config::Plugin settings_of(const Options& options, const std::string& name) {
  const auto at = options.plugins.by_name.find(name);
  return at == options.plugins.by_name.end() ? config::Plugin{} : at->second;
}

// What is not set is not there.
Secrets secrets_of(const config::Plugin& settings) {
  Secrets secrets;
  for (const std::string& name : settings.secrets) {
    if (const char* value = std::getenv(name.c_str())) secrets.emplace_back(name, value);
  }
  return secrets;
}

Error stopping() {
  return Error{ErrorKind::Cancelled, "the host stops"};
}

// Whether it may be held to it: every tool that is offered says that it only reads, and is
// believed.
bool read_only(const Offer& offer) {
  return std::all_of(offer.tools.begin(), offer.tools.end(),
                     [](const auto& tool) { return tool->declared().read_only; });
}

}  // namespace

struct Lifecycle::Attempt {
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::string hash;
  bool unchanged = false;  // the file holds what serves already
};

Lifecycle::Lifecycle(std::string name, std::shared_ptr<Loader> loader)
    : name_(std::move(name)),
      loader_(std::move(loader)),
      settings_(settings_of(loader_->options, name_)),
      warm_until_(loader_->around->io) {}

bool Lifecycle::sees(const std::filesystem::path& path, const FileMark& mark) {
  if (path == path_ && mark == mark_ && !unsettled_) return false;
  path_ = path;
  mark_ = mark;
  if (!settings_.enabled) {
    state_ = State::Disabled;
    return false;
  }
  if (loading_) again_ = true;
  return !loading_;
}

asio::awaitable<void> Lifecycle::load() {
  const auto self = shared_from_this();
  loading_ = true;
  do {
    again_ = false;
    co_await load_once();
  } while (again_ && !loader_->stopping);
  loading_ = false;
}

asio::awaitable<void> Lifecycle::load_once() {
  Attempt attempt;
  const Result<void> outcome = co_await try_load(attempt);
  record(attempt, outcome);
}

asio::awaitable<Result<void>> Lifecycle::try_load(Attempt& attempt) {
  state_ = State::Staging;
  auto copied = co_await stage();
  unsettled_ = !copied && copied.error().kind == ErrorKind::Unavailable;
  if (!copied) co_return copied.error();
  std::shared_ptr<const StagedFile> staged = *std::move(copied);
  attempt.hash = staged->hash;
  attempt.unchanged = serving_ && serving_->build().staged->hash == staged->hash;
  if (attempt.unchanged) co_return Result<void>();
  if (attempt.hash == rolled_back_hash_) co_return Error{ErrorKind::PluginFault, rolled_back_why_};

  if (settings_.uid != 0) {
    HOST_CO_TRY(loader_->staging->open_to_others(*staged));
  }

  Build build;
  build.plugin = name_;
  build.number = accepted_ + 1;
  build.record = record_of(staged->hash);
  build.staged = std::move(staged);
  build.settings = settings_.settings;
  build.secrets = secrets_of(settings_);
  build.max_inflight = settings_.max_inflight;
  build.profile = profile_of(settings_, loader_->options.sandbox);
  build.env = settings_.env;

  state_ = State::Probing;
  HOST_CO_TRY_ASSIGN(std::string text, co_await try_out(build));
  if (loader_->stopping) co_return stopping();
  HOST_CO_TRY_ASSIGN(build.manifest, read_manifest(text));
  HOST_CO_TRY(check_isolation(build.manifest));
  const auto offer = make_offer(name_, build.manifest, settings_, taken());
  if (!offer) co_return offer.error();
  build.reads_only = read_only(*offer);
  if (build.reads_only) build.profile = reading_only(std::move(build.profile));

  std::optional<Warm> before;
  if (serving_) before = Warm{serving_->build(), manifest_};
  if (before) before->build.known = false;
  HOST_CO_TRY(co_await take_over(std::move(build), std::move(text)));
  if (!serving_->build().known) keep(serving_->build());
  rolled_back_hash_.clear();
  if (before) keep_warm(std::move(before->build), std::move(before->manifest));
  co_return Result<void>();
}

asio::awaitable<Result<void>> Lifecycle::take_over(Build build, std::string manifest) {
  const std::shared_ptr<Generation> from = serving_;
  const bool wanted = settings_.state != config::StateOnReload::Fresh;
  if (!from || !wanted || !from->build().manifest.has_state) {
    auto served = co_await serve(std::move(build), std::move(manifest), nullptr);
    co_return served;
  }
  const bool required = settings_.state == config::StateOnReload::Require;
  Handover handover(from);
  auto state = co_await handover.take_state(loader_->options.plugins.handover_timeout);
  const bool lost = !state && state.error().kind != ErrorKind::Unavailable;
  if (lost && required) co_return state.error().within("its state cannot be handed over");
  if (lost) begin_fresh(state.error());
  Inheritance given;
  if (state) given = std::make_shared<const SavedState>(std::move(*state));
  auto served = co_await serve(build, manifest, given);
  if (!served && given && !required && !loader_->stopping) {
    begin_fresh(served.error());
    served = co_await serve(std::move(build), std::move(manifest), nullptr);
  }
  if (served) handover.end_at(serving_);
  co_return served;
}

void Lifecycle::begin_fresh(const Error& why) const {
  log::warning("plugin", "the new build begins without the state of the one before",
               {{"plugin", name_}, {"why", why.message}});
}

asio::awaitable<Result<void>> Lifecycle::serve(Build build, std::string manifest,
                                               Inheritance state) {
  state_ = State::Starting;
  HOST_CO_TRY_ASSIGN(std::shared_ptr<Generation> generation,
                     co_await start(std::move(build), manifest, std::move(state)));
  HOST_CO_TRY_ASSIGN(tool::Offer beside,
                     co_await list_offer(generation, loader_->around->start_timeout));
  generation->set_offer(std::move(beside));
  if (loader_->stopping) co_return stopping();
  // Names may have been taken meanwhile, by a plugin that loaded beside this one.
  auto offer = make_offer(name_, generation->build().manifest, settings_, taken());
  if (!offer) co_return offer.error();
  News told = generation->news().take();  // while it started
  generation->offer_tools(told);
  if (!told.empty()) generation->heard_news();
  generation->set_tools(std::move(offer->tools));
  manifest_ = std::move(manifest);
  publish(std::move(generation), std::move(offer->notes));
  co_return Result<void>();
}

Taken Lifecycle::taken() const {
  if (loader_->options.plugins.on_conflict != "namespace") return nullptr;
  return [this](const std::string& tool) {
    const tool::Entry* holder = loader_->catalog.snapshot()->find(tool);
    return holder && holder->provider->name() != name_;
  };
}

std::shared_ptr<BuildRecord> Lifecycle::record_of(const std::string& hash) {
  if (records_.size() >= kMostRecords) {
    std::erase_if(records_, [](const auto& entry) {
      return entry.second.use_count() == 1 && !entry.second->quarantined();
    });
  }
  std::shared_ptr<BuildRecord>& record = records_[hash];
  if (!record) record = std::make_shared<BuildRecord>(loader_->options.plugins.supervision);
  return record;
}

asio::awaitable<Result<std::shared_ptr<const StagedFile>>> Lifecycle::stage() {
  if (!loader_->staging) co_return Error{ErrorKind::Io, loader_->no_staging};
  const auto executor = co_await asio::this_coro::executor;
  for (int tries = 1;; ++tries) {
    std::function<Result<StagedFile>()> work = [staging = &*loader_->staging, path = path_,
                                                name = name_, number = ++attempts_] {
      return staging->stage(path, name, number);
    };
    auto staged =
        co_await on_executor<Result<StagedFile>>(loader_->around->control, std::move(work));
    const bool moving = !staged && staged.error().kind == ErrorKind::Unavailable;
    if (staged) {
      const auto remove = [](const StagedFile* file) {
        Staging::remove(*file);
        delete file;
      };
      std::shared_ptr<const StagedFile> copy(new StagedFile(std::move(*staged)), remove);
      co_return copy;
    }
    if (!moving || tries == kMostStagings || loader_->stopping) co_return staged.error();
    asio::steady_timer pause(executor, loader_->options.plugins.debounce);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<Result<std::string>> Lifecycle::try_out(Build& build) {
  if (loader_->manifests && !serving_) {
    using Known = std::optional<std::string>;
    std::function<Known()> look = [manifests = &*loader_->manifests, key = key_of(build)] {
      return manifests->find(key);
    };
    Known known = co_await on_executor<Known>(loader_->around->control, std::move(look));
    build.known = known.has_value();
    if (known) co_return *std::move(known);
  }
  auto manifest = co_await probe(build);
  co_return manifest;
}

ManifestCache::Key Lifecycle::key_of(const Build& build) const {
  return {build.staged->hash, build.settings, loader_->around->worker};
}

void Lifecycle::keep(const Build& build) {
  if (!loader_->manifests) return;
  auto write = [loader = loader_, key = key_of(build), manifest = manifest_] {
    loader->manifests->keep(key, manifest);
  };
  asio::post(loader_->around->control, std::move(write));
}

asio::awaitable<Result<std::string>> Lifecycle::probe(const Build& build) {
  Build trial = build;
  trial.profile = for_trial(build.profile, settings_.isolation, loader_->around->start_timeout);
  const auto process = WorkerProcess::create(
      loader_->around->io, WorkerGeneration::worker_settings(*loader_->around, trial, true));
  auto manifest = co_await begun(process);
  // Its end is nobody's business any more, and a plugin that hangs in destroy() must not delay the
  // load.
  if (manifest) process->retire(loader_->around->grace);
  co_return manifest;
}

Result<void> Lifecycle::check_isolation(const Manifest& manifest) const {
  const bool is_inline = settings_.isolation == config::Isolation::Inline;
  if (manifest.needs_inline && !is_inline) {
    return Error{
        ErrorKind::PluginFault,
        "can only run inside the host: if you trust it, set isolation = \"inline\" in [plugin." +
            name_ + "]"};
  }
  if (manifest.no_inline && is_inline) {
    return Error{
        ErrorKind::PluginFault,
        "must not run inside the host: set isolation = \"worker\" in [plugin." + name_ + "]"};
  }
  return {};
}

asio::awaitable<Result<std::shared_ptr<Generation>>> Lifecycle::start(Build build,
                                                                      std::string manifest,
                                                                      Inheritance state) {
  const auto around = loader_->around;
  if (settings_.isolation == config::Isolation::Inline) {
    using Loaded = Result<std::shared_ptr<InlineGeneration::Core>>;
    std::function<Loaded()> work = [around, build, state] {
      return InlineGeneration::load(around, build, state);
    };
    auto core = co_await on_executor<Loaded>(around->control, std::move(work));
    if (!core) co_return core.error();
    std::shared_ptr<Generation> made =
        std::make_shared<InlineGeneration>(around, std::move(build), std::move(*core));
    co_return made;
  }
  if (build.known) co_return start_later(std::move(build), std::move(manifest));
  WorkerProcess::Settings process_settings =
      WorkerGeneration::worker_settings(*around, build, false);
  // For this one alone: a worker that replaces a crashed one begins fresh.
  process_settings.state = std::move(state);
  const auto process = WorkerProcess::create(around->io, std::move(process_settings));
  auto text = co_await begun(process);
  if (text && *text != manifest) {
    process->kill("it describes itself otherwise than when it was checked");
    text = Error{ErrorKind::PluginFault, "describes itself otherwise than when it was checked"};
  }
  if (!text) co_return text.error();
  tell_of_sandbox(process->sandbox());
  std::shared_ptr<Generation> made =
      std::make_shared<WorkerGeneration>(around, std::move(build), process, std::move(manifest));
  co_return made;
}

std::shared_ptr<Generation> Lifecycle::start_later(Build build, std::string manifest) {
  auto tell = [self = weak_from_this(), number = build.number](const Result<void>& fit) {
    if (const auto alive = self.lock()) alive->started(number, fit);
  };
  return std::make_shared<WorkerGeneration>(loader_->around, std::move(build), nullptr,
                                            std::move(manifest), std::move(tell));
}

// Of a generation that served before its worker was up.
void Lifecycle::started(std::uint32_t number, const Result<void>& fit) {
  if (!serving_ || serving_->build().number != number || loader_->stopping) return;
  if (fit) return tell_of_sandbox(serving_->sandbox());
  log::warning("plugin", "is tried again: its worker does not serve what an earlier trial found",
               {{"plugin", name_}, {"reason", fit.error().message}});
  loader_->manifests->forget(key_of(serving_->build()));
  retire();
  if (loading_) {
    again_ = true;
    return;
  }
  auto load_again = [self = shared_from_this()]() -> asio::awaitable<void> {
    co_await self->load();
  };
  asio::co_spawn(loader_->around->io, std::move(load_again), asio::detached);
}

void Lifecycle::tell_of_sandbox(const sandbox::Applied& applied) const {
  for (const sandbox::Layer& layer : applied.layers) {
    if (layer.active) continue;
    log::warning("plugin", "its sandbox lacks a layer",
                 {{"plugin", name_},
                  {"layer", std::string(sandbox::to_string(layer.name))},
                  {"reason", layer.detail}});
  }
  for (const std::string& path : applied.absent) {
    log::warning("plugin",
                 "a path in its fs cannot be granted: make it, then load the plugin again",
                 {{"plugin", name_}, {"path", path}});
  }
}

void Lifecycle::publish(std::shared_ptr<Generation> generation, std::vector<tool::Refusal> notes) {
  accepted_ = std::max(accepted_, generation->build().number);
  serving_ = std::move(generation);
  notes_ = std::move(notes);
  offer_to_catalog();
  follow(serving_);
}

void Lifecycle::offer_to_catalog() {
  refusals_ = loader_->catalog.set(slot(), serving_);
  refusals_.insert(refusals_.end(), notes_.begin(), notes_.end());
  for (const tool::Refusal& refusal : refusals_) {
    log::warning("plugin", refusal.reason, {{"plugin", name_}, {"tool", refusal.tool}});
  }
}

void Lifecycle::follow(const std::shared_ptr<Generation>& generation) {
  generation->on_crash([self = weak_from_this(), from = std::weak_ptr(generation)] {
    const auto alive = self.lock();
    const auto crashed = from.lock();
    if (alive && crashed) alive->crashed(crashed);
  });
  generation->news().listen([self = weak_from_this(), from = std::weak_ptr(generation)](News news) {
    const auto alive = self.lock();
    if (!alive) return;
    asio::co_spawn(alive->loader_->around->io, alive->act_on(from, std::move(news)),
                   asio::detached);
  });
}

// ---- the build before

void Lifecycle::keep_warm(Build build, std::string manifest) {
  const auto window = loader_->options.plugins.supervision.rollback_window;
  if (window.count() == 0 || settings_.isolation == config::Isolation::Inline) return;
  warm_ = Warm{std::move(build), std::move(manifest)};
  warm_until_.expires_after(window);
  warm_until_.async_wait([self = weak_from_this()](boost::system::error_code cancelled) {
    if (const auto alive = self.lock(); alive && !cancelled) alive->warm_.reset();
  });
}

void Lifecycle::crashed(const std::shared_ptr<Generation>& generation) {
  // Where a newer build is being looked at, that one decides; else the next crash comes here.
  if (generation != serving_ || !warm_ || loading_ || loader_->stopping) return;
  loading_ = true;
  asio::co_spawn(loader_->around->io, roll_back(generation), asio::detached);
}

asio::awaitable<void> Lifecycle::roll_back(std::shared_ptr<Generation> bad) {
  const auto self = shared_from_this();
  Warm before = std::move(*warm_);
  warm_.reset();
  warm_until_.cancel();
  const std::uint32_t number = before.build.number;
  const Result<void> outcome =
      co_await serve(std::move(before.build), std::move(before.manifest), nullptr);
  Reload reload;
  reload.generation = bad->build().number;
  reload.hash = bad->build().staged->hash;
  if (outcome) {
    rolled_back_hash_ = reload.hash;
    rolled_back_why_ = "generation " + std::to_string(reload.generation) +
                       " was rolled back, its worker " + bad->build().record->last_crash() +
                       ": it is tried again when the file changes";
    state_ = State::Rejected;
    last_error_ = rolled_back_why_;
    reload.reason = last_error_;
    log::warning("plugin", last_error_,
                 {{"plugin", name_}, {"serving", "generation " + std::to_string(number)}});
  } else {
    state_ = State::Active;
    last_error_ = "the build before cannot be brought back: " + outcome.error().message;
    log::error("plugin", last_error_, {{"plugin", name_}});
  }
  remember(std::move(reload));
  loading_ = false;
  if (again_ && !loader_->stopping) co_await load();
}

void Lifecycle::remember(Reload reload) {
  reload.at = system_clock().wall();
  history_.push_back(std::move(reload));
  if (history_.size() > kMostHistory) history_.erase(history_.begin());
}

// What the serving generation tells of itself. One that is on its way out tells in vain.
asio::awaitable<void> Lifecycle::act_on(std::weak_ptr<Generation> from, News news) {
  auto self = shared_from_this();
  if (auto generation = from.lock(); generation && generation == serving_) {
    bool changed = generation->offer_tools(news);
    if (news.resources || news.prompts) {
      const bool listed = co_await list_again(generation);
      changed = changed || listed;
    }
    if (generation == serving_ && changed) offer_to_catalog();
    if (generation == serving_) {
      for (const std::string& uri : news.updated) loader_->catalog.resource_updated(uri);
    }
  }
  self.reset();  // nothing is held, and nothing of its own touched, during the pause
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor, kNewsPause);
  co_await pause.async_wait(asio::use_awaitable);
  if (const auto generation = from.lock()) generation->heard_news();
}

// False: it offers what it did before.
asio::awaitable<bool> Lifecycle::list_again(std::shared_ptr<Generation> generation) {
  Result<tool::Offer> offer = Error{};
  for (int tries = 1; tries <= kMostListings && generation == serving_; ++tries) {
    offer = co_await list_offer(generation, loader_->around->start_timeout);
    const bool busy = !offer && offer.error().kind == ErrorKind::DeadlineExceeded;
    if (!busy) break;  // a serial plugin lists when its call has ended
  }
  if (generation != serving_) co_return false;
  if (!offer) {
    log::warning("plugin", offer.error().message + ": what it offered before stays",
                 {{"plugin", name_}});
    co_return false;
  }
  if (*offer == generation->offer()) co_return false;
  generation->set_offer(std::move(*offer));
  co_return true;
}

void Lifecycle::record(const Attempt& attempt, const Result<void>& outcome) {
  state_ = outcome ? State::Active : State::Rejected;
  last_error_ = outcome ? std::string() : outcome.error().message;
  if (outcome && attempt.unchanged) return;
  if (!outcome && outcome.error().kind == ErrorKind::Cancelled) return;
  Reload reload;
  reload.generation = outcome ? accepted_ : accepted_ + 1;
  reload.hash = attempt.hash;
  reload.accepted = outcome.has_value();
  reload.reason = last_error_;
  reload.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - attempt.began);
  remember(std::move(reload));
  if (outcome) {
    const bool is_inline = settings_.isolation == config::Isolation::Inline;
    log::info("plugin",
              is_inline ? "serves inside the host: its code is trusted as the host is" : "serves",
              {{"plugin", name_},
               {"generation", std::to_string(accepted_)},
               {"version", serving_->build().manifest.version}});
  } else {
    log::warning("plugin", "refused: " + last_error_,
                 {{"plugin", name_}, {"serving", serving_ ? "the build before" : "nothing"}});
  }
}

void Lifecycle::missing() {
  mark_ = {};
  last_error_.clear();
  retire();
  state_ = State::Absent;
  log::info("plugin", "its file is gone: it is retired", {{"plugin", name_}});
}

void Lifecycle::retire() {
  loader_->catalog.set(slot(), nullptr);
  serving_.reset();
  warm_.reset();
  warm_until_.cancel();
  refusals_.clear();
}

PluginStatus Lifecycle::status() const {
  PluginStatus status;
  status.name = name_;
  status.path = path_;
  status.state = state_;
  status.isolation = settings_.isolation;
  status.last_error = last_error_;
  status.history = history_;
  status.refusals = refusals_;
  status.refusals.insert(status.refusals.end(), file_refusals_.begin(), file_refusals_.end());
  if (!serving_) return status;
  status.serving = true;
  status.generation = serving_->build().number;
  status.id = serving_->build().manifest.id;
  status.version = serving_->build().manifest.version;
  status.hash = serving_->build().staged->hash;
  const BuildRecord& record = *serving_->build().record;
  if (record.quarantined()) status.state = State::Quarantined;
  status.crashes = record.crashes();
  status.last_crash = record.last_crash();
  status.refused_inputs = record.refused_inputs();
  status.notes = serving_->build().staged->notes;
  status.pid = serving_->pid();
  status.restarts = serving_->restarts();
  if (settings_.isolation == config::Isolation::Worker) {
    sandbox::Applied sandbox = serving_->sandbox();
    status.layers = std::move(sandbox.layers);
    status.grants = in_words(serving_->build().profile, serving_->build().env);
    status.absent_grants = std::move(sandbox.absent);
    status.reads_only = serving_->build().reads_only;
  }
  for (const auto& tool : serving_->tools()) status.tools.push_back(tool->name());
  return status;
}

}  // namespace host::plugin
