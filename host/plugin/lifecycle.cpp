#include "plugin/lifecycle.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "plugin/grants.h"
#include "plugin/listing.h"
#include "plugin/start.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kNewsPause{100};  // from one News of a plugin to the next
constexpr std::size_t kMostHistory = 16;
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
      trial_(name_, loader_),
      before_(loader_->around->io),
      records_(loader_->options.plugins.supervision) {}

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
  auto copied = co_await trial_.stage(path_);
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

  state_ = State::Probing;
  Build build = build_of(std::move(staged));
  HOST_CO_TRY_ASSIGN(std::string text, co_await trial_.describe(build, !serving_));
  if (loader_->stopping) co_return stopping();
  HOST_CO_TRY_ASSIGN(build.manifest, read_manifest(text));
  HOST_CO_TRY(check_isolation(build.manifest));
  const auto offer = make_offer(name_, build.manifest, settings_, taken());
  if (!offer) co_return offer.error();
  build.reads_only = read_only(*offer);
  if (build.reads_only) build.profile = reading_only(std::move(build.profile));

  std::optional<WarmBuild::Kept> before;
  if (serving_) before = WarmBuild::Kept{serving_->build(), manifest_};
  if (before) before->build.known = false;
  HOST_CO_TRY(co_await take_over(std::move(build), std::move(text)));
  if (!serving_->build().known) trial_.keep(serving_->build(), manifest_);
  rolled_back_hash_.clear();
  const auto window = loader_->options.plugins.supervision.rollback_window;
  const bool is_worker = settings_.isolation == config::Isolation::Worker;
  if (before && is_worker && window.count() > 0) before_.keep(*std::move(before), window);
  co_return Result<void>();
}

Build Lifecycle::build_of(std::shared_ptr<const StagedFile> staged) {
  Build build;
  build.plugin = name_;
  build.number = accepted_ + 1;
  build.record = records_.of(staged->hash);
  build.staged = std::move(staged);
  build.settings = settings_.settings;
  build.secrets = secrets_of(settings_);
  build.max_inflight = settings_.max_inflight;
  build.isolation = settings_.isolation;
  build.profile = profile_of(settings_, loader_->options.sandbox);
  build.env = settings_.env;
  return build;
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
  auto tell = [self = weak_from_this(), number = build.number](const Result<void>& fit) {
    if (const auto alive = self.lock()) alive->started(number, fit);
  };
  HOST_CO_TRY_ASSIGN(std::shared_ptr<Generation> generation,
                     co_await start_generation(loader_->around, std::move(build), manifest,
                                               std::move(state), std::move(tell)));
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

// Of a generation that served before its worker was up.
void Lifecycle::started(std::uint32_t number, const Result<void>& fit) {
  if (!serving_ || serving_->build().number != number || loader_->stopping) return;
  if (fit) return tell_of_sandbox(name_, serving_->sandbox());
  log::warning("plugin", "is tried again: its worker does not serve what an earlier trial found",
               {{"plugin", name_}, {"reason", fit.error().message}});
  trial_.forget(serving_->build());
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

void Lifecycle::crashed(const std::shared_ptr<Generation>& generation) {
  // Where a newer build is being looked at, that one decides; else the next crash comes here.
  if (generation != serving_ || !before_ || loading_ || loader_->stopping) return;
  loading_ = true;
  asio::co_spawn(loader_->around->io, roll_back(generation), asio::detached);
}

asio::awaitable<void> Lifecycle::roll_back(std::shared_ptr<Generation> bad) {
  const auto self = shared_from_this();
  WarmBuild::Kept before = before_.take();
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
      const auto serves = [this, generation] { return generation == serving_; };
      const bool listed = co_await list_again(generation, loader_->around->start_timeout, serves);
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
  before_.drop();
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
