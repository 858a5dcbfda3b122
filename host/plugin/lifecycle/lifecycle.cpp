#include "plugin/lifecycle/lifecycle.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "config/keys.h"
#include "config/user_folders.h"
#include "plugin/lifecycle/listing.h"
#include "plugin/lifecycle/start.h"
#include "plugin/serving/grants.h"
#include "plugin/serving/reading_workers.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

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

bool Lifecycle::sees(const std::filesystem::path& path, const LibraryMark& mark) {
  if (path == path_ && mark == mark_ && !unsettled_ && !broken_) return false;
  path_ = path;
  mark_ = mark;
  if (!settings_.enabled) {
    state_ = State::Disabled;
    return false;
  }
  if (loading_) again_ = true;
  return !loading_;
}

void Lifecycle::begin_load(std::shared_ptr<Batch::Place> place, std::function<void()> ended) {
  auto heard = [self = shared_from_this(), ended = std::move(ended)](const Result<void>& how) {
    if (!how) self->broke_off(how.error());
    if (ended) ended();
  };
  spawn(loader_->around->io, {"plugin", "loads a library"}, load(std::move(place)),
        std::move(heard));
}

void Lifecycle::broke_off(const Error& why) {
  loading_ = false;
  broken_ = true;
  record({}, why);
  if (again_ && !loader_->stopping) begin_load(nullptr);
}

asio::awaitable<void> Lifecycle::load(std::shared_ptr<Batch::Place> place) {
  const auto self = shared_from_this();
  loading_ = true;
  do {
    again_ = false;
    if (!place) place = place_alone();
    co_await load_once(std::exchange(place, nullptr));
  } while (again_ && !loader_->stopping);
  loading_ = false;
}

std::shared_ptr<Batch::Place> Lifecycle::place_alone() const {
  const auto batch = std::make_shared<Batch>(loader_->around->io, loader_->catalog,
                                             loader_->options.batch_patience);
  return std::make_shared<Batch::Place>(batch, name_);
}

asio::awaitable<void> Lifecycle::load_once(std::shared_ptr<Batch::Place> place) {
  Attempt attempt;
  const Result<void> outcome = co_await try_load(attempt, *place);
  // The host's own fault, not the build's: the next look tries it again.
  if (!outcome && outcome.error().kind == ErrorKind::Internal) broken_ = true;
  record(attempt, outcome);
}

asio::awaitable<Result<void>> Lifecycle::try_load(Attempt& attempt, Batch::Place& place) {
  if (const char* form = config::plugin_name_form(name_)) {
    co_return Error{ErrorKind::PluginFault, "its file cannot have this name: expected " +
                                                std::string(form) + "; rename the file"};
  }
  state_ = State::Staging;
  auto copied = co_await trial_.stage(path_, settings_.settings);
  unsettled_ = !copied && copied.error().kind == ErrorKind::Unavailable;
  if (!copied) co_return copied.error();
  std::shared_ptr<const StagedFile> staged = *std::move(copied);
  attempt.hash = staged->hash;
  const bool whole = !std::exchange(broken_, false);
  attempt.unchanged = whole && serving_ && serving_->build().staged->hash == staged->hash;
  if (attempt.unchanged) co_return Result<void>();
  if (attempt.hash == rolled_back_hash_) co_return Error{ErrorKind::PluginFault, rolled_back_why_};
  HOST_CO_TRY(check_record(attempt.hash));

  if (settings_.uid != 0) {
    HOST_CO_TRY(loader_->staging->open_to_others(*staged));
  }

  state_ = State::Probing;
  Build build = build_of(std::move(staged));
  HOST_CO_TRY_ASSIGN(known_, co_await trial_.describe(build, !serving_));
  if (loader_->stopping) co_return stopping();
  HOST_CO_TRY_ASSIGN(build.manifest, read_manifest(known_.manifest));
  HOST_CO_TRY(check_isolation(build.manifest));
  const auto offer = make_offer(name_, build.manifest, settings_);
  if (!offer) co_return offer.error();
  build.reads_only = read_only(*offer);
  if (build.reads_only) build.profile = reading_only(std::move(build.profile));
  build.reading_profile =
      reading_profile(build, settings_, *offer, loader_->options.read_only_programs);
  if (build.reading_profile && !build.manifest.has_state)
    build.reading_idle_stop = settings_.idle_stop.value_or(loader_->options.plugins.idle_stop);
  build.idle_stop = idle_stop_of(build);

  std::optional<WarmBuild::Kept> before;
  if (serving_) before = WarmBuild::Kept{serving_->build(), manifest_, {}};
  const std::shared_ptr<Generation> old = serving_;
  if (before) before->build.known = false;
  HOST_CO_TRY(co_await take_over(std::move(build), known_.manifest, place));
  if (!serving_->build().known) trial_.keep(serving_->build(), known_);
  rolled_back_hash_.clear();
  const auto window = loader_->options.plugins.supervision.rollback_window;
  const bool is_worker = settings_.isolation == config::Isolation::Worker;
  if (before && is_worker && window.count() > 0) {
    before->tally = old->tally();
    before_.keep(*std::move(before), window);
  }
  co_return Result<void>();
}

// Its calls would only fail. Where nothing serves, it is offered again, so that they fail with the
// reason.
Result<void> Lifecycle::check_record(const std::string& hash) {
  const auto record = records_.of(hash);
  if (!serving_ || !record->quarantined()) return {};
  return Error{ErrorKind::PluginFault, record->quarantine_words()};
}

Build Lifecycle::build_of(std::shared_ptr<const StagedFile> staged) {
  Build build;
  build.plugin = name_;
  build.source = path_;
  build.number = accepted_ + 1;
  build.record = records_.of(staged->hash);
  build.staged = std::move(staged);
  build.settings = settings_.settings;
  build.secrets = secrets_of(settings_);
  build.max_inflight = settings_.max_inflight;
  build.workers = settings_.workers;
  build.isolation = settings_.isolation;
  build.profile = profile_of(settings_, loader_->options.sandbox);
  ensure_own_folders(settings_, config::user_folders(environ).state);
  build.env = settings_.env;
  return build;
}

asio::awaitable<Result<void>> Lifecycle::take_over(Build build, std::string manifest,
                                                   Batch::Place& place) {
  const std::shared_ptr<Generation> from = serving_;
  const bool wanted = settings_.state != config::StateOnReload::Fresh;
  if (!from || !wanted || !from->build().manifest.has_state) {
    auto served = co_await serve(std::move(build), std::move(manifest), nullptr, place);
    co_return served;
  }
  co_await place.gather();  // what its calls are held for should be this alone
  const bool required = settings_.state == config::StateOnReload::Require;
  Handover handover(from);
  auto state = co_await handover.take_state(loader_->options.plugins.handover_timeout);
  const bool lost = !state && state.error().kind != ErrorKind::Unavailable;
  if (lost && required) co_return state.error().within("its state cannot be handed over");
  if (lost) begin_fresh(state.error());
  Inheritance given;
  if (state) given = std::make_shared<const SavedState>(std::move(*state));
  auto served = co_await serve(build, manifest, given, place);
  if (!served && given && !required && !loader_->stopping) {
    begin_fresh(served.error());
    served = co_await serve(std::move(build), std::move(manifest), nullptr, place);
  }
  if (served) handover.end_at(serving_);
  co_return served;
}

void Lifecycle::begin_fresh(const Error& why) const {
  log::warning("plugin", "the new build begins without the state of the one before",
               {{"plugin", name_}, {"why", why.message}});
}

asio::awaitable<Result<void>> Lifecycle::serve(Build build, std::string manifest, Inheritance state,
                                               Batch::Place& place) {
  state_ = State::Starting;
  auto tell = [self = weak_from_this(), number = build.number](const Result<void>& fit) {
    if (const auto alive = self.lock()) alive->started(number, fit);
  };
  HOST_CO_TRY_ASSIGN(std::shared_ptr<Generation> generation,
                     co_await start_generation(loader_->around, std::move(build), manifest,
                                               std::move(state), std::move(tell)));
  Result<Listing> listing = Error{};
  if (generation->build().known) {
    listing = read_listing(generation->build().manifest, known_.resources, known_.prompts);
  } else {
    listing = co_await list_offer(generation, loader_->around->start_timeout);
  }
  if (!listing) co_return listing.error();
  known_ = {manifest, std::move(listing->resources), std::move(listing->prompts)};
  generation->set_offer(std::move(listing->offer));
  co_await place.gather();
  Batch::Candidate candidate;
  candidate.offer = [this, generation,
                     manifest](const Taken& taken) -> Result<std::shared_ptr<tool::Provider>> {
    HOST_TRY(present(generation, manifest, taken));
    return std::shared_ptr<tool::Provider>(generation);
  };
  candidate.published = [this](std::vector<tool::Refusal> refusals) {
    take_refusals(std::move(refusals));
    follow(serving_);
  };
  auto published = co_await place.publish(std::move(candidate));
  co_return published;
}

Result<void> Lifecycle::present(std::shared_ptr<Generation> generation, std::string manifest,
                                const Taken& taken) {
  if (loader_->stopping) return stopping();
  const bool renames = loader_->options.plugins.on_conflict == "namespace";
  auto offer =
      make_offer(name_, generation->build().manifest, settings_, renames ? taken : Taken());
  if (!offer) return offer.error();
  const News told = generation->news().take();  // while it started
  generation->offer_tools(told);
  if (!told.empty()) generation->heard_news();
  generation->set_tools(std::move(offer->tools));
  accepted_ = std::max(accepted_, generation->build().number);
  manifest_ = std::move(manifest);
  notes_ = std::move(offer->notes);
  serving_ = std::move(generation);
  return {};
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
  const bool several = settings_.workers > 1 || settings_.split_read_only == true;
  if (manifest.has_state && several && settings_.state != config::StateOnReload::Fresh) {
    return Error{ErrorKind::PluginFault,
                 "has a state (tp.state/1), of which each of its workers would have another: set "
                 "workers = 1 and split_read_only = false in [plugin." +
                     name_ + "], or state = \"fresh\" if its calls need not agree"};
  }
  return {};
}

// Unasked only where nothing but time is lost: what a plugin that writes has in memory may count.
std::chrono::milliseconds Lifecycle::idle_stop_of(const Build& build) const {
  const bool asked = settings_.idle_stop.value_or(0ms) > 0ms;
  if (build.manifest.has_state) {
    if (asked) {
      log::warning("plugin", "its worker is never stopped for want of work: it has a state",
                   {{"plugin", name_}});
    }
    return 0ms;
  }
  if (settings_.idle_stop) return *settings_.idle_stop;
  if (build.manifest.intercepts.any()) return 0ms;  // it may count calls
  return build.reads_only ? loader_->options.plugins.idle_stop : 0ms;
}

void Lifecycle::started(std::uint32_t number, const Result<void>& fit) {
  if (!serving_ || serving_->build().number != number || loader_->stopping) return;
  if (!fit) return try_again(fit.error());
  tell_of_sandbox(name_, serving_->sandbox());
  spawn(loader_->around->io, {"plugin", "compares what a library offers"}, compare_offer(serving_));
}

asio::awaitable<void> Lifecycle::compare_offer(std::shared_ptr<Generation> generation) {
  const auto self = shared_from_this();
  const auto serves = [this, generation] { return generation == serving_ && !loader_->stopping; };
  auto listing = co_await list_while_busy(generation, loader_->around->start_timeout, serves);
  if (!serves()) co_return;
  if (!listing) co_return try_again(listing.error());
  if (listing->offer == generation->offer()) co_return;
  trial_.keep(generation->build(), {manifest_, listing->resources, listing->prompts});
  generation->set_offer(std::move(listing->offer));
  offer_to_catalog();
}

void Lifecycle::try_again(const Error& why) {
  log::warning("plugin", "is tried again: its worker does not serve what an earlier trial found",
               {{"plugin", name_}, {"reason", why.message}});
  trial_.forget(serving_->build());
  retire();
  if (loading_) {
    again_ = true;
    return;
  }
  begin_load(nullptr);
}

void Lifecycle::offer_to_catalog() {
  take_refusals(loader_->catalog.set(slot(), serving_));
}

void Lifecycle::take_refusals(std::vector<tool::Refusal> refusals) {
  refusals_ = std::move(refusals);
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
  generation->on_fault([self = weak_from_this(), from = std::weak_ptr(generation)] {
    const auto alive = self.lock();
    const auto failed = from.lock();
    if (alive && failed) alive->failed_a_call(failed);
  });
  generation->news().listen([self = weak_from_this(), from = std::weak_ptr(generation)](News news) {
    const auto alive = self.lock();
    if (!alive) return;
    spawn(alive->loader_->around->io, {"plugin", "acts on what a plugin announced"},
          alive->act_on(from, std::move(news)), [from](const Result<void>& ended) {
            // Or it could announce nothing any more.
            if (const auto serving = from.lock(); serving && !ended) serving->heard_news();
          });
  });
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
  loader_->around->metrics->build_tried(name_, outcome ? "accepted" : "refused");
  reload.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - attempt.began);
  remember(std::move(reload));
  if (outcome && serving_->build().record->quarantined()) {
    log::warning("plugin", serving_->build().record->quarantine_words(), {{"plugin", name_}});
  } else if (outcome) {
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
  log::info("plugin", "its file was removed, so the plugin is retired", {{"plugin", name_}});
}

void Lifecycle::retire() {
  loader_->catalog.set(slot(), nullptr);
  serving_.reset();
  before_.drop();
  refusals_.clear();
}

}  // namespace host::plugin
