#include "checkout/checkout.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <set>

#include "base/log.h"
#include "base/on_executor.h"
#include "base/process/spawn.h"
#include "checkout/acceptance.h"
#include "upstream/pins/definition.h"

namespace host::checkout {
namespace {

namespace asio = boost::asio;

// For a repository that was never pulled: perhaps the network was not there yet.
constexpr std::chrono::seconds kFirstPullAgain{60};
// Another process compares or removes versions for a moment.
constexpr std::chrono::milliseconds kLockWithin{5000};
// For what waits behind pulls: comparisons and acceptances end within moments.
constexpr std::chrono::milliseconds kWorkWithin{10'000};
constexpr std::size_t kMostLeftOut = 50;  // lines for users

const std::vector<store::PinRecord> kNoRecords;

// What a pull depends on: a commit that was pulled is pulled again where this differs.
std::string place_of(const config::SkillRepository& settings) {
  return settings.git + " " + settings.ref + " " + settings.path;
}

std::vector<std::string> lines_of(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> out;
  for (const LeftOut& one : left_out) {
    if (out.size() == kMostLeftOut) {
      out.push_back("and " + std::to_string(left_out.size() - out.size()) + " more");
      return out;
    }
    out.push_back(one.skill + ": " + (one.is_refused ? "the skill is refused because " : "") +
                  one.reason);
  }
  return out;
}

// A skill that the host could not serve is refused, so that its accepted version is served.
std::string fault_of(const PulledSkill& pulled) {
  const auto text = std::find_if(pulled.files.begin(), pulled.files.end(),
                                 [](const auto& file) { return file.path == skill::kSkillFile; });
  std::vector<config::Diagnostic> diagnostics;
  if (skill::parse_skill(text->bytes, pulled.folder + "/" + skill::kSkillFile, pulled.folder,
                         diagnostics)) {
    return {};
  }
  for (const config::Diagnostic& one : diagnostics) {
    if (one.severity == config::Severity::Error) return "of its SKILL.md: " + one.headline();
  }
  return "its SKILL.md is not valid";
}

}  // namespace

Checkout::Checkout(config::SkillRepository settings, Surroundings around,
                   skill::PinnedRepository& served)
    : settings_(std::move(settings)),
      around_(std::move(around)),
      served_(served),
      versions_(around_.folder),
      pins_(std::make_shared<upstream::Pins>(source_of(settings_), pin())),
      timer_(around_.io),
      ended_(around_.io, asio::steady_timer::time_point::max()) {}

// Whoever names a commit has decided: nothing else can be pulled.
config::Pin Checkout::pin() const {
  return config::is_commit_id(settings_.ref) ? config::Pin::Off : settings_.pin;
}

Status Checkout::status() const {
  Status out = status_of(settings_, *pins_, last_);
  out.pulls = pulls_;
  out.missing = missing_;
  return out;
}

template <class T>
asio::awaitable<T> Checkout::in_thread(std::function<T()> work) {
  if (!thread_) thread_.emplace(1);
  co_return co_await on_executor<T>(thread_->get_executor(), std::move(work));
}

// ---- in the thread

Git Checkout::git(std::string_view scheme) const {
  return Git(
      {around_.keeper, std::string(scheme), steady_now() + settings_.timeout, settings_.max_bytes},
      cancelled_);
}

Result<Checkout::Brought> Checkout::bring(const std::string& known) {
  try {
    auto brought = bring_with_lock(known);
    if (!brought && brought.error().kind != ErrorKind::Cancelled) note_failure(brought.error());
    return brought;
  } catch (const std::exception& fault) {  // of the file system, or for want of memory
    return Error{ErrorKind::Io, fault.what()};
  }
}

Result<Checkout::Brought> Checkout::bring_with_lock(const std::string& known) {
  // A different host may pull, too.
  HOST_TRY_ASSIGN(const UniqueFd lock,
                  versions_.lock(settings_.timeout + kLockWithin, &cancelled_));
  HOST_TRY_ASSIGN(const Versions::WorkFolder work, versions_.fresh_work());
  const SteadyTime end = steady_now() + settings_.timeout;
  auto pulled = fetch(settings_, known, *work, git(config::scheme_of(settings_.git)));
  Brought out;
  out.last = versions_.last_pull();
  out.last.at = to_rfc3339(system_clock().wall());
  out.last.failure.clear();
  out.last.failed_at.clear();
  if (pulled && !pulled->is_same) {
    for (const PulledSkill& skill : pulled->skills) {
      if (cancelled_) return Error{ErrorKind::Cancelled, "the host stops"};
      if (steady_now() >= end)
        return Error{ErrorKind::DeadlineExceeded, "the pull took longer than timeout_s"};
      std::string why = fault_of(skill);
      if (!why.empty()) {
        pulled->left_out.push_back({skill.folder, std::move(why), true});
        continue;
      }
      std::string manifest = manifest_of(skill);
      HOST_TRY(versions_.add(skill, manifest));
      out.skills.emplace_back(skill.folder, std::move(manifest));
    }
    HOST_TRY(versions_.publish());
    for (const LeftOut& one : pulled->left_out) {
      if (one.is_refused) out.refused.push_back(one.skill);
    }
    out.last.place = place_of(settings_);
    out.last.remote = pulled->remote;
    out.last.commit = pulled->commit;
    out.last.left_out = lines_of(pulled->left_out);
  }
  if (!pulled) return pulled.error();
  out.is_same = pulled->is_same;
  return out;
}

Result<std::vector<SkillChange>> Checkout::compare(const std::vector<store::PinRecord>& held,
                                                   Whole whole) {
  if (held.empty()) return std::vector<SkillChange>();
  HOST_TRY_ASSIGN(const UniqueFd lock,
                  versions_.lock(settings_.timeout + kLockWithin, &cancelled_));
  HOST_TRY_ASSIGN(const Versions::WorkFolder work, versions_.fresh_work());
  return changes_of(held, versions_, *work, git({}), whole);
}

// For commands, which have no host to ask.
void Checkout::note_failure(const Error& why) {
  LastPull last = versions_.last_pull();
  last.failure = why.message;
  last.failed_at = to_rfc3339(system_clock().wall());
  static_cast<void>(versions_.record(last));  // a full disk; the log has it
}

Checkout::Loaded Checkout::load(const std::vector<Pinned>& accepted,
                                const std::vector<std::string>& waiting) {
  versions_.hold();
  Loaded out;
  for (const std::string& manifest : waiting) out.lacks_waiting |= !versions_.has(manifest);
  for (const auto& [folder, manifest] : accepted) {
    const std::filesystem::path version = versions_.folder_of(manifest);
    auto skill = versions_.has(manifest)
                     ? skill::read_version(version, source_of(settings_), folder, out.diagnostics)
                     : nullptr;
    if (skill) {
      out.versions.push_back({std::move(skill), version});
    } else {
      out.missing.push_back(folder);
    }
  }
  return out;
}

// ---- in the event loop

// Reads, changes and writes the pins in one step of the store, so that no other work of this host
// comes between. Other hosts may have changed them too.
asio::awaitable<Result<Checkout::PinsPtr>> Checkout::change_pins(Change act) {
  store::Desk::Act<PinsPtr> all = [source = source_of(settings_), mode = pin(),
                                   act = std::move(act)](store::Store& store) -> Result<PinsPtr> {
    HOST_TRY_ASSIGN(const auto records, store.pins().list());
    const auto pins = std::make_shared<upstream::Pins>(source, mode);
    pins->load(records);
    HOST_TRY_ASSIGN(const auto changed, act(*pins));
    if (!changed.empty()) HOST_TRY(store.pins().put(changed));
    return pins;
  };
  co_return co_await around_.desk->ask<PinsPtr>(std::move(all));
}

// Work of another request, for example of a console that shows the changes, must not refuse this
// one: it waits for its turn. A pull can wait for the lock of another host, which pulls too.
asio::awaitable<Result<void>> Checkout::begin_work() {
  if (!around_.desk) {
    co_return Error{ErrorKind::Unavailable,
                    "store.file is empty, so no version of a skill can be accepted or kept"};
  }
  const auto is_late = std::make_shared<bool>(false);
  asio::steady_timer limit(around_.io, 2 * settings_.timeout + kLockWithin + kWorkWithin);
  const std::uint64_t turn = next_turn_++;
  turns_.push_back(turn);
  if (works_ || turns_.front() != turn) {
    limit.async_wait([weak = weak_from_this(), is_late](boost::system::error_code error) {
      *is_late = !error;
      const auto self = weak.lock();
      if (self && !error) self->ended_.cancel();
    });
  }
  while ((works_ || turns_.front() != turn) && !stopped_ && !*is_late)
    co_await ended_.async_wait(asio::as_tuple(asio::use_awaitable));
  const bool is_free = !works_ && turns_.front() == turn && !stopped_;
  std::erase(turns_, turn);
  if (is_free) {
    works_ = true;
    co_return Result<void>();
  }
  ended_.cancel();  // the next one looks
  if (stopped_) co_return Error{ErrorKind::Unavailable, "the host stops"};
  co_return Error{ErrorKind::Unavailable,
                  "the host works on the repository \"" + settings_.name + "\": try again"};
}

// Ends the work that begin_work() began, also after an exception.
class Checkout::Work {
 public:
  explicit Work(Checkout& of) : of_(of) {}
  ~Work() {
    of_.works_ = of_.pulls_ = false;
    of_.ended_.cancel();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  Checkout& of_;
};

asio::awaitable<void> Checkout::start(Pulls pulls) {
  const auto self = shared_from_this();
  if (const auto begun = co_await begin_work(); !begun) {
    served_.serve({}, faults_of(status()));
    if (around_.on_served) around_.on_served(source_of(settings_));
    co_return;
  }
  co_await serve_stored(pulls);
  frozen_ = !around_.is_live;
  if (pulls == Pulls::AsConfigured && !stopped_) {
    std::function<asio::awaitable<void>()> pull = [self] { return self->pull_by_timer(); };
    spawn(around_.io, {"skill", "pulls a repository"}, std::move(pull));
  }
}

asio::awaitable<void> Checkout::serve_stored(Pulls pulls) {
  const Work work(*this);
  Change nothing = [](upstream::Pins&) { return Changed(kNoRecords); };
  auto pins = co_await change_pins(std::move(nothing));
  if (!pins) {
    log::error("skill", "accepted skills could not be read, so none is served",
               {{"repository", settings_.name}, {"error", pins.error().message}});
    co_return;
  }
  pins_ = *std::move(pins);
  std::function<LastPull()> read = [this] { return versions_.last_pull(); };
  last_ = co_await in_thread<LastPull>(std::move(read));
  co_await serve();
  if (pulls == Pulls::AsConfigured && pins_->seen()) co_await collect();
}

// What waited for a decision before pin() became Off. The next pull serves it: what waits can be of
// another place than the configuration names now.
bool Checkout::has_undecided() const {
  return pin() == config::Pin::Off && !pins_->held().empty();
}

// nullopt: only by command.
std::optional<std::chrono::milliseconds> Checkout::next_pull() const {
  if (settings_.pull_every.count() > 0) return settings_.pull_every;
  if (!pins_->seen() || has_undecided()) return kFirstPullAgain;
  return std::nullopt;
}

asio::awaitable<void> Checkout::pull_by_timer() {
  bool is_due = next_pull() || last_.place != place_of(settings_);
  while (!stopped_ && is_due) {
    const LastPull before = last_;
    const Result<void> done = co_await pull();  // a failure is logged, and is in the status
    report_own_pull(before, done);
    const auto pause = next_pull();
    if (!pause || stopped_) co_return;
    timer_.expires_after(*pause);
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

void Checkout::report_own_pull(const LastPull& before, const Result<void>& done) const {
  if (!around_.on_own_pull || (!done && stopped_)) return;
  const bool is_news =
      done ? before.commit != last_.commit : before.failure != done.error().message;
  if (is_news) around_.on_own_pull(settings_.name, last_.commit, done);
}

void Checkout::cancel() {
  stopped_ = true;
  cancelled_ = true;
  timer_.cancel();
}

asio::awaitable<void> Checkout::stop() {
  const auto self = shared_from_this();
  cancel();
  while (works_) co_await ended_.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<Result<void>> Checkout::pull() {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await begin_work());
  const Work work(*this);
  pulls_ = true;
  Result<void> done;
  try {
    done = co_await pull_once();
  } catch (const std::exception& fault) {  // so that the timer goes on
    done = Error{ErrorKind::Internal, fault.what()};
  }
  if (!done && done.error().kind != ErrorKind::Cancelled) {
    log::warning("skill",
                 pins_ && !accepted_in(*pins_).empty()
                     ? "a pull failed: the accepted skills are still served"
                     : "a pull failed: no skill of this repository is served",
                 {{"repository", settings_.name}, {"error", done.error().message}});
  }
  co_return done;
}

asio::awaitable<Result<void>> Checkout::pull_once() {
  const bool is_whole = missing_.empty() && !lacks_waiting_ && pins_->seen() && !has_undecided() &&
                        last_.place == place_of(settings_);
  const std::string known = is_whole ? last_.remote : std::string();
  std::function<Result<Brought>()> work = [this, known] { return bring(known); };
  auto brought = co_await in_thread<Result<Brought>>(std::move(work));
  Result<void> done;
  if (brought) {
    done = co_await take(*std::move(brought));
  } else {
    done = brought.error();
  }
  // The host's end says nothing about the repository.
  if (!done && done.error().kind != ErrorKind::Cancelled) {
    last_.failure = done.error().message;
    last_.failed_at = to_rfc3339(system_clock().wall());
    co_await serve();
  }
  co_return done;
}

asio::awaitable<Result<void>> Checkout::take(Brought brought) {
  const std::size_t waited = pins_->held().size();
  Change act = [&brought](upstream::Pins& pins) -> Changed {
    if (brought.is_same) return Changed(kNoRecords);
    std::vector<upstream::Definition> now;
    for (const auto& [folder, manifest] : brought.skills) now.push_back({folder, manifest});
    for (const store::PinRecord& record : accepted_in(pins)) {
      const bool is_refused = std::find(brought.refused.begin(), brought.refused.end(),
                                        record.tool) != brought.refused.end();
      if (is_refused) now.push_back({record.tool, record.accepted});
    }
    return pins.compare(now, system_clock().wall());
  };
  auto pins = co_await change_pins(std::move(act));
  if (!pins) co_return pins.error();
  pins_ = *std::move(pins);
  last_ = brought.last;
  std::function<bool()> record = [this, last = last_] {
    return versions_.record(last).has_value();
  };
  co_await in_thread<bool>(std::move(record));
  co_await serve();
  co_await collect();
  const std::size_t waiting = std::max(waited, pins_->held().size()) - waited;
  if (!brought.is_same) {
    log::info("skill", "a repository was pulled",
              {{"repository", settings_.name},
               {"commit", last_.commit},
               {"skills", std::to_string(accepted_in(*pins_).size())},
               {"newly_held", std::to_string(waiting)}});
  }
  co_return Result<void>();
}

// Serves the accepted versions.
asio::awaitable<void> Checkout::serve() {
  if (frozen_) co_return;
  std::vector<Pinned> accepted;
  for (const store::PinRecord& record : accepted_in(*pins_))
    accepted.emplace_back(record.tool, record.accepted);
  std::vector<std::string> waiting;
  for (const store::PinRecord& record : pins_->held()) waiting.push_back(record.held);
  std::function<Loaded()> work = [this, accepted, waiting] { return load(accepted, waiting); };
  Loaded loaded = co_await in_thread<Loaded>(std::move(work));
  missing_ = std::move(loaded.missing);
  lacks_waiting_ = loaded.lacks_waiting;
  std::vector<config::Diagnostic> faults = faults_of(status());
  std::move(loaded.diagnostics.begin(), loaded.diagnostics.end(), std::back_inserter(faults));
  served_.serve(std::move(loaded.versions), std::move(faults));
  if (around_.on_served) around_.on_served(source_of(settings_));
}

// Removes versions that nothing names any more, and what a killed pull left. Nobody reads them:
// what is served is named.
asio::awaitable<void> Checkout::collect() {
  if (frozen_) co_return;  // the next start does it
  std::set<std::string> named;
  for (const store::PinRecord& record : pins_->records()) {
    if (!record.offered) continue;  // if it comes back, it is pulled again
    if (!record.accepted.empty()) named.insert(version_of(record.accepted));
    if (!record.held.empty()) named.insert(version_of(record.held));
  }
  std::function<bool()> work = [this, named] {
    const auto lock = versions_.lock(std::chrono::milliseconds(0));
    if (!lock) return false;  // the next pull does it
    versions_.remove_work();
    versions_.remove_all_but(named);
    return true;
  };
  co_await in_thread<bool>(std::move(work));
}

std::string Checkout::diff_command() const {
  return "toolpost skills diff " + settings_.name;
}

std::string Checkout::digest_fault(std::string_view skill, std::string_view digest) const {
  return pins_->digest_fault(skill, digest, diff_command());
}

asio::awaitable<Result<void>> Checkout::accept(std::string skill, std::string digest,
                                               std::string by) {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await begin_work());
  const Work work(*this);
  const PinsPtr seen = pins_;
  const Acceptance wanted{std::move(skill), std::move(digest), std::move(by)};
  Change act = [this, seen, wanted](upstream::Pins& pins) -> Changed {
    if (was_accepted(*seen, pins, wanted)) return Changed(kNoRecords);
    return accept_waiting(pins, wanted, settings_.name, diff_command());
  };
  auto pins = co_await change_pins(std::move(act));
  if (!pins) co_return pins.error();
  pins_ = *std::move(pins);
  co_await serve();
  co_await collect();
  co_return Result<void>();
}

asio::awaitable<Result<std::string>> Checkout::changes(std::string skill, Whole whole) {
  const auto self = shared_from_this();
  HOST_CO_TRY(co_await begin_work());
  const Work busy(*this);
  std::vector<store::PinRecord> held = pins_->held();
  const std::string digest = pins_->digest_held(skill);
  if (!skill.empty()) std::erase_if(held, [&](const auto& one) { return one.tool != skill; });
  std::function<Result<std::vector<SkillChange>>()> work = [this, held, whole] {
    return compare(held, whole);
  };
  auto found = co_await in_thread<Result<std::vector<SkillChange>>>(std::move(work));
  if (!found) co_return found.error();
  co_return as_json(settings_.name, digest, *found);
}

}  // namespace host::checkout
