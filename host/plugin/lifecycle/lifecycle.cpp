#include "plugin/lifecycle/lifecycle.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "config/key/form.h"
#include "config/user_folders.h"
#include "plugin/lifecycle/listing.h"
#include "plugin/lifecycle/start.h"
#include "plugin/serving/grants.h"
#include "plugin/serving/reading_workers.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

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

}  // namespace

// The terms of a build that is being loaded. They are dropped again unless the build serves.
class Lifecycle::Adopted {
 public:
  Adopted(Lifecycle& of, Terms terms, SideFilePtr side)
      : of_(of),
        terms_(std::exchange(of.terms_, std::move(terms))),
        side_(std::exchange(of.side_, std::move(side))) {}
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;
  ~Adopted() {
    if (kept_) return;
    of_.terms_ = std::move(terms_);
    of_.side_ = std::move(side_);
  }
  void keep() { kept_ = true; }

 private:
  Lifecycle& of_;
  Terms terms_;
  SideFilePtr side_;
  bool kept_ = false;
};

struct Lifecycle::Attempt {
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::string hash;
  std::filesystem::path path = {};  // the library: sees() may name another while this one loads
  bool again = false;               // the attempt before was of the same files
  bool unchanged = false;           // the files hold what serves already
  bool disabled = false;            // by its side file
  bool anew = false;                // it is loaded also if it serves already
};

Lifecycle::Lifecycle(std::string name, std::shared_ptr<Loader> loader)
    : name_(std::move(name)),
      loader_(std::move(loader)),
      configured_(settings_of(loader_->options, name_)),
      terms_(configured_),
      trial_(name_, loader_),
      before_(loader_->around->io),
      records_(loader_->options.plugins.supervision) {}

bool Lifecycle::sees(const std::filesystem::path& path, const LibraryMark& mark) {
  const bool same = path == path_ && mark == mark_;
  // A load that is under way decides about these very files.
  if (same && (loading_ || !wants_another_try())) return false;
  path_ = path;
  mark_ = mark;
  if (!configured_.enabled) {
    state_ = State::Disabled;
    return false;
  }
  if (loading_) again_ = true;
  tries_again_ = same;
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
  attempt.path = path_;
  attempt.again = std::exchange(tries_again_, false);
  attempt.anew = std::exchange(broken_, false);
  const Result<void> outcome = co_await try_load(attempt, *place);
  const auto failed_by = [&](ErrorKind kind) { return !outcome && outcome.error().kind == kind; };
  host_failed_ = failed_by(ErrorKind::Io);
  // The host's own fault, not the build's: the next look tries it again.
  if (failed_by(ErrorKind::Internal)) broken_ = true;
  if (attempt.anew && (host_failed_ || failed_by(ErrorKind::Unavailable))) broken_ = true;
  record(attempt, outcome);
  hear_early_start();
}

asio::awaitable<Result<void>> Lifecycle::try_load(Attempt& attempt, Batch::Place& place) {
  if (const char* form = config::plugin_name_form(name_)) {
    co_return Error{ErrorKind::PluginFault, "its file cannot have this name: expected " +
                                                std::string(form) + "; rename the file"};
  }
  state_ = State::Staging;
  auto side = co_await settled_side_file(attempt.path);
  unsettled_ = !side && side.error().kind == ErrorKind::Unavailable;
  if (!side) co_return side.error();
  auto terms =
      terms_of(configured_, *side, side_file_may(attempt.path), loader_->options.call.timeout);
  if (!terms) co_return terms.error();
  const bool same_side = is_same(*side);
  Adopted adopted(*this, *std::move(terms), *std::move(side));
  attempt.disabled = !settings().enabled;
  if (attempt.disabled) {
    adopted.keep();
    retire();
    co_return Result<void>();
  }
  const Result<void> loaded = co_await try_library(attempt, place, same_side);
  if (loaded) {
    adopted.keep();
    co_return loaded;
  }
  if (same_side || !serving_ || loader_->stopping) co_return loaded;
  // The side file holds, though the library beside it is refused: for the build that serves. If it
  // is refused itself, the terms before hold.
  if (!make_offer(name_, serving_->build().manifest, terms_)) co_return loaded;
  const auto alone = place_alone();
  const Build& serving = serving_->build();
  const auto again = co_await try_staged(serving.source, serving.staged, *alone, false);
  if (!again) retire();  // what it offers may be more than the side file allows
  adopted.keep();
  co_return loaded;
}

asio::awaitable<Result<void>> Lifecycle::try_library(Attempt& attempt, Batch::Place& place,
                                                     bool same_side) {
  auto copied = co_await trial_.stage(attempt.path, settings().settings);
  unsettled_ = !copied && copied.error().kind == ErrorKind::Unavailable;
  if (!copied) co_return copied.error();
  std::shared_ptr<const StagedFile> staged = *std::move(copied);
  attempt.hash = staged->hash;
  attempt.unchanged =
      !attempt.anew && same_side && serving_ && serving_->build().staged->hash == staged->hash;
  if (attempt.unchanged) co_return Result<void>();
  if (attempt.hash == rolled_back_hash_ && same_side)
    co_return Error{ErrorKind::PluginFault, rolled_back_why_};
  HOST_CO_TRY(check_record(attempt.hash));
  auto tried = co_await try_staged(attempt.path, std::move(staged), place, same_side);
  co_return tried;
}

asio::awaitable<Result<void>> Lifecycle::try_staged(std::filesystem::path source,
                                                    std::shared_ptr<const StagedFile> staged,
                                                    Batch::Place& place, bool same_side) {
  if (settings().uid != 0) {
    HOST_CO_TRY(loader_->staging->open_to_others(*staged));
  }

  state_ = State::Probing;
  Build build = build_of(std::move(source), std::move(staged));
  HOST_CO_TRY_ASSIGN(known_, co_await trial_.describe(build, !serving_));
  // It is loaded at once, so it is asked itself what it offers now.
  if (build.isolation == config::Isolation::Inline) build.known = false;
  if (loader_->stopping) co_return stopping();
  HOST_CO_TRY_ASSIGN(build.manifest, read_manifest(known_.manifest));
  HOST_CO_TRY(check_isolation(build.manifest));
  const auto offer = make_offer(name_, build.manifest, terms_);
  if (!offer) co_return offer.error();
  build.reads_only = only_reads(build.manifest, *offer);
  if (build.reads_only) build.profile = reading_only(std::move(build.profile));
  build.reading_profile =
      reading_profile(build, settings(), *offer, loader_->options.read_only_programs);
  if (build.reading_profile && !build.manifest.has_state)
    build.reading_idle_stop = settings().idle_stop.value_or(loader_->options.plugins.idle_stop);
  build.idle_stop = idle_stop_of(build);

  std::optional<WarmBuild::Kept> before;
  if (serving_) before = WarmBuild::Kept{serving_->build(), manifest_, {}};
  const std::shared_ptr<Generation> old = serving_;
  if (before) before->build.known = false;
  HOST_CO_TRY(co_await take_over(std::move(build), known_.manifest, place));
  if (!serving_) co_return Error{ErrorKind::Cancelled, "it was retired in the same moment"};
  if (!serving_->build().known) trial_.keep(serving_->build(), known_);
  rolled_back_hash_.clear();
  const auto window = loader_->options.plugins.supervision.rollback_window;
  const bool is_worker = settings().isolation == config::Isolation::Worker;
  if (!same_side) before_.drop();  // it would come back under terms that no longer hold
  if (before && same_side && is_worker && window.count() > 0) {
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

Build Lifecycle::build_of(std::filesystem::path source, std::shared_ptr<const StagedFile> staged) {
  Build build;
  build.plugin = name_;
  build.source = std::move(source);
  build.number = accepted_ + 1;
  build.record = records_.of(staged->hash);
  build.staged = std::move(staged);
  build.settings = settings().settings;
  if (side_) build.side_settings = std::make_shared<const config::Plugin>(settings());
  build.secrets = secrets_of(settings());
  build.max_inflight = settings().max_inflight;
  build.workers = settings().workers;
  build.isolation = settings().isolation;
  build.profile = profile_of(settings(), loader_->options.sandbox);
  ensure_own_folders(settings(), config::user_folders(environ).state);
  build.env = settings().env;
  return build;
}

asio::awaitable<Result<void>> Lifecycle::take_over(Build build, std::string manifest,
                                                   Batch::Place& place) {
  const std::shared_ptr<Generation> from = serving_;
  const bool wanted = settings().state != config::StateOnReload::Fresh;
  if (!from || !wanted || !from->build().manifest.has_state) {
    auto served = co_await serve(std::move(build), std::move(manifest), nullptr, place);
    co_return served;
  }
  co_await place.gather();  // what its calls are held for should be this alone
  const bool required = settings().state == config::StateOnReload::Require;
  Handover handover(loader_->around->io, from);
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
  log::warning("plugin", "the build begins without the state of the build that it replaces",
               {{"plugin", name_}, {"why", why.message}});
}

asio::awaitable<Result<void>> Lifecycle::serve(Build build, std::string manifest, Inheritance state,
                                               Batch::Place& place) {
  state_ = State::Starting;
  early_start_.reset();
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
    logged_refusals_.begin();
    take_refusals(std::move(refusals));
    follow(serving_);
  };
  auto published = co_await place.publish(std::move(candidate));
  co_return published;
}

Result<void> Lifecycle::present(std::shared_ptr<Generation> generation, std::string manifest,
                                const Taken& taken) {
  if (loader_->stopping) return stopping();
  if (!present()) return Error{ErrorKind::Cancelled, "its file was removed"};
  const bool renames = loader_->options.plugins.on_conflict == "namespace";
  auto offer = make_offer(name_, generation->build().manifest, terms_, renames ? taken : Taken());
  if (!offer) return offer.error();
  take_early_news(*generation);
  generation->set_tools(std::move(offer->tools));
  accepted_ = std::max(accepted_, generation->build().number);
  manifest_ = std::move(manifest);
  notes_ = std::move(offer->notes);
  serving_ = std::move(generation);
  return {};
}

Result<void> Lifecycle::check_isolation(const Manifest& manifest) const {
  const bool is_inline = settings().isolation == config::Isolation::Inline;
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
  const bool several = settings().workers > 1 || settings().split_read_only == true;
  if (manifest.has_state && several && settings().state != config::StateOnReload::Fresh) {
    return Error{ErrorKind::PluginFault,
                 "has a state (tp.state/1), of which each of its workers would have another: set "
                 "workers = 1 and split_read_only = false in [plugin." +
                     name_ + "], or state = \"fresh\" if its calls need not agree"};
  }
  return {};
}

// Unasked only where nothing but time is lost: what a plugin that writes has in memory may count.
std::chrono::milliseconds Lifecycle::idle_stop_of(const Build& build) const {
  const bool asked = settings().idle_stop.value_or(0ms) > 0ms;
  if (build.manifest.has_state) {
    if (asked) {
      log::warning("plugin", "its worker is never stopped for want of work: it has a state",
                   {{"plugin", name_}});
    }
    return 0ms;
  }
  if (settings().idle_stop) return *settings().idle_stop;
  if (build.manifest.intercepts.any()) return 0ms;  // it may count calls
  return build.reads_only ? loader_->options.plugins.idle_stop : 0ms;
}

void Lifecycle::remember(Reload reload) {
  reload.at = system_clock().wall();
  history_.push_back(std::move(reload));
  if (history_.size() > kMostHistory) history_.erase(history_.begin());
}

void Lifecycle::record(const Attempt& attempt, const Result<void>& outcome) {
  if (attempt.disabled && outcome) {
    state_ = State::Disabled;
    last_error_.clear();
    log::info("plugin", "is disabled by its side file",
              {{"plugin", name_}, {"side_file", side_->file.string()}});
    return;
  }
  if (!outcome && !present()) {
    state_ = State::Absent;
    last_error_.clear();
    return;
  }
  state_ = outcome ? State::Active : State::Rejected;
  last_error_ = outcome ? std::string() : outcome.error().message;
  if (outcome && attempt.unchanged) return;
  if (!outcome && outcome.error().kind == ErrorKind::Cancelled) return;
  if (!outcome && attempt.again && wants_another_try()) return;  // the first try was told of
  Reload reload;
  reload.generation = outcome ? accepted_ : accepted_ + 1;
  reload.hash = attempt.hash;
  reload.accepted = outcome.has_value();
  reload.reason = last_error_;
  loader_->around->metrics->build_tried(name_, outcome ? "accepted" : "refused");
  reload.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - attempt.began);
  remember(std::move(reload));
  tell(outcome);
}

void Lifecycle::tell(const Result<void>& outcome) const {
  if (outcome && serving_->build().record->quarantined()) {
    log::warning("plugin", serving_->build().record->quarantine_words(), {{"plugin", name_}});
  } else if (outcome) {
    const bool is_inline = settings().isolation == config::Isolation::Inline;
    log::info("plugin",
              is_inline ? "serves inside the host: its code is trusted as the host is" : "serves",
              {{"plugin", name_},
               {"generation", std::to_string(accepted_)},
               {"version", serving_->build().manifest.version}});
    if (side_) {
      log::info("plugin", "its side file applies",
                {{"plugin", name_}, {"side_file", side_->file.string()}});
    }
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
