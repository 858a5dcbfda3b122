#include "upstream/manager/upstream.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "upstream/manager/confinement.h"
#include "upstream/manager/secret_values.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

using boost::system::error_code;
using metrics::Kind;

// A call waits through a pause of this length; through a longer one it fails at once.
constexpr std::chrono::milliseconds kShortPause{1000};

// See retries_as_legacy().
constexpr const char* kStartedTwice =
    "; the host started it twice and waited as long each time, because some servers do not answer "
    "initialize after server/discover";

metrics::About about(const char* name, Kind kind, const char* help,
                     std::vector<std::string> labels = {"upstream"}) {
  return {name, kind, help, std::move(labels), {}, 1000};
}

// What the upstream may ask the clients of its calls.
tool::Abilities passed_on(const config::Upstream& settings) {
  const auto has = [&](std::string_view what) {
    return std::find(settings.questions.begin(), settings.questions.end(), what) !=
           settings.questions.end();
  };
  const bool elicits = has("elicitation");
  const bool samples = has("sampling");
  return {elicits, elicits, samples, samples, has("roots")};
}

}  // namespace

UpstreamMetrics::UpstreamMetrics(metrics::Registry& registry)
    : up(registry.add(
          about("toolpost_upstream_up", Kind::Gauge, "1 if the upstream is connected."))),
      starts(registry.add(about("toolpost_upstream_starts_total", Kind::Counter,
                                "Connections to the upstream that were begun."))),
      dropped(registry.add(about("toolpost_upstream_dropped_total", Kind::Counter,
                                 "Messages of the upstream that were dropped, by reason.",
                                 {"upstream", "reason"}))),
      held(registry.add(about("toolpost_upstream_held", Kind::Gauge,
                              "Definitions of tools that wait for the operator."))) {}

void UpstreamMetrics::forget(const std::string& upstream) {
  for (metrics::Family* const one : {&up, &starts, &dropped, &held}) one->remove(upstream);
}

Upstream::Upstream(std::shared_ptr<const config::Upstream> settings, Surroundings surroundings)
    : shared_settings_(std::move(settings)),
      env_(std::move(surroundings)),
      calls_(std::make_shared<Calls>(
          env_.io,
          CallSettings{.upstream = settings_.name,
                       .server = digest_of_server(settings_),
                       .secrets = env_.secrets,
                       .passed_on = passed_on(settings_),
                       .most_parked = env_.config.limits.upstream_parked_calls,
                       .jobs = env_.jobs},
          Calls::Line{
              [this] { return state_ == State::Ready ? connection_.get() : nullptr; },
              [this] { need(); },
              [this](const tool::Tool& tool, const std::string& name) {
                return objection_to(tool, name);
              },
              [this] { became_idle(); },
              [this](tool::Function function, const std::string& target) {
                return offering_->admission(function, target);
              },
              [this](std::function<void()> done) { return offering_->catch_up(std::move(done)); },
              [this] { return awaits_tools(); }})),
      ended_calls_(std::make_shared<EndedCalls>(settings_.name, env_.secrets)),
      pins_(settings_.name, settings_.pin.value_or(env_.config.upstreams.pin),
            served_names(settings_.name),
            {env_.config.limits.upstream_tools, env_.config.limits.upstream_message_bytes}),
      offering_(std::make_shared<Offering>(
          Offering::Surroundings{env_.io, shared_settings_, env_.config, env_.jobs,
                                 [this] { offer_changed(); },
                                 [this] {
                                   if (state_ == State::Ready) calls_->connected();
                                 },
                                 env_.read_again_after, [this] { return offer_source(); },
                                 [this](std::function<bool()> step, std::function<void()> done) {
                                   run(std::move(step), std::move(done));
                                 },
                                 env_.times},
          env_.offers)),
      backoff_(env_.config.upstreams.restart_pause, env_.config.upstreams.restart_pause_most),
      pause_(env_.io),
      refresh_pause_(env_.io),
      tools_wait_(env_.io),
      idle_(env_.io),
      drain_(env_.io) {}

void Upstream::begin(const std::vector<store::PinRecord>& stored,
                     std::vector<OfferWriter::Record> offers, Connects connects,
                     std::function<void()> done) {
  if (std::exchange(has_begun_, true) || state_ == State::Stopped) return done();
  last_error_ = env_.unread;
  pins_.load(stored);
  env_.metrics->held.ensure({name()}).value = static_cast<double>(pins_.held().size());
  set_state(State::Idle);
  if (env_.login) follow_login();
  const bool needs_login = env_.login && !offers.empty();
  const auto load = [self = shared_from_this(), offers = std::move(offers), connects,
                     done = std::move(done)] { self->load_offers(offers, connects, done); };
  const bool is_due = connects == Connects::AsConfigured && (!settings_.lazy || !pins_.seen());
  if (!needs_login) {
    load();
  } else {  // the lists of another login are not served
    spawn(
        env_.io, {"upstream", "waits for the stored login"},
        [ledger = env_.login->access()->ledger()]() -> boost::asio::awaitable<void> {
          const Result<void> ignored = co_await ledger->load();  // prepare() logs it
        },
        [load](const Result<void>&) { load(); });
  }
  // Outdated lists can have made it connect already, or its start has failed and pauses.
  if ((is_due || connects == Connects::AtOnce) && state_ == State::Idle) connect();
}

void Upstream::load_offers(const std::vector<OfferWriter::Record>& stored, Connects connects,
                           std::function<void()> done) {
  reads_offers_ = connects != Connects::WhenCalled;
  if (reads_offers_ && state_ == State::Idle && offering_->is_outdated(stored)) connect();
  offering_->load(stored, [weak = weak_from_this(), done = std::move(done)] {
    const auto self = weak.lock();
    if (!self) return;
    if (self->offering_->is_followed() && self->state_ == State::Idle) self->connect();
    self->review([weak, done] {
      if (const auto still = weak.lock()) still->publish(done);
    });
  });
}

std::string Upstream::offer_source() {
  if (source_.empty() && env_.source) source_ = env_.source();
  if (source_.empty() || !env_.login) return source_;
  return to_hex(sha256(source_ + "\n" + env_.login->access()->ledger()->record().login));
}

// The connection reads the values of secrets, too. If they are new, another account answers.
void Upstream::renew_source() {
  if (!env_.source) return;
  std::string now = env_.source();
  if (now.empty() || now == source_) return;
  const bool is_other = !std::exchange(source_, std::move(now)).empty();
  if (is_other) offering_->forget();
}

// A new login is a new connection, which nobody else's answers are left in.
void Upstream::follow_login() {
  env_.login->on_change([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->is_retired()) return;
    self->offering_->forget();
    self->restart([](const Result<void>&) {});
  });
  env_.login->prepare();
}

void Upstream::cannot_begin(const Error& why) {
  if (!has_begun_) last_error_ = "its accepted definitions could not be read: " + why.message;
}

void Upstream::set_state(State state) {
  state_ = state;
  env_.metrics->up.ensure({name()}).value = state == State::Ready ? 1 : 0;
}

// ---- connections

void Upstream::connect() {
  if (is_held_) {
    is_wanted_ = true;
    return set_state(State::Starting);  // calls wait
  }
  pause_.cancel();
  renew_source();
  ++starts_;
  env_.metrics->starts.ensure({name()}).value += 1;
  set_state(State::Starting);
  start_end_ = env_.clock.steady() + env_.config.upstreams.start_timeout;
  connected_at_ = env_.clock.wall();
  auto transport = env_.transport();
  if (!transport) return pause(transport.error().message);
  ConnectionSettings settings;
  settings.name = name();
  settings.info = env_.info;
  settings.start_timeout = env_.config.upstreams.start_timeout;
  settings.probe_timeout = env_.config.upstreams.probe_timeout;
  settings.close_timeout = env_.config.upstreams.stop_timeout + env_.end_margin;
  settings.messages_per_second = env_.config.limits.upstream_messages_per_s;
  settings.id_bytes = env_.config.limits.id_bytes;
  settings.last_number = last_number_;
  settings.trace_context = settings_.trace_context;
  settings.jobs = env_.jobs;
  settings.budget = env_.budget;
  settings.secrets = env_.secrets;
  settings.legacy = passed_on(settings_);
  Connection::Events events;
  events.on_ready = [this] { became_ready(); };
  events.on_leaving = [this](const Error& why) { left(why); };
  events.on_ended = [this, start = starts_](const Error& why, bool was_ready) {
    const bool is_current = connection_ && start == starts_;
    is_current ? ended(why, was_ready) : forget_left(start);
  };
  events.on_list_changed = [this](ListKind kind) {
    if (kind == ListKind::Tools) list_changed();
    offering_->list_changed(kind);
  };
  events.on_resource_updated = env_.updated;
  events.on_log = [this](const protocol::ForeignLog& line) {
    log::debug("upstream", line.message + line.fields,
               {{"upstream", name()}, {"logger", line.logger}});
  };
  events.on_dropped = [this](std::string_view reason) {
    env_.metrics->dropped.ensure({name(), reason}).value += 1;
  };
  connection_ = std::make_unique<Connection>(env_.io, *std::move(transport), std::move(settings),
                                             std::move(events));
  connection_->open(era_);
}

void Upstream::became_ready() {
  era_ = connection_->era();
  read_tools();
}

// It may have ended for a reason of its own, or because this host wanted it.
void Upstream::ended(const Error& why, bool was_ready) {
  const bool as_legacy = retries_as_legacy(why, was_ready);
  const bool is_mute = !was_ready && why.kind == ErrorKind::DeadlineExceeded;
  const bool is_mute_again = std::exchange(was_mute_, as_legacy && is_mute) && is_mute;
  const bool answered_a_call = connection_->answered_a_call();
  const bool is_denied = why.kind == ErrorKind::Denied || std::exchange(is_unread_denied_, false);
  std::string reason = unread_.empty() ? why.message : std::exchange(unread_, {});
  if (is_mute_again) reason += kStartedTwice;
  if (!was_ready && !connection_->first_garbage().empty())
    reason += "; before that it sent \"" + connection_->first_garbage() + "\", which is no message";
  last_lines_ = connection_->transport().last_lines();
  if (!was_ready && !last_lines_.empty()) reason += "; it last wrote: " + last_lines_.back();
  reason = env_.secrets->hide_in_words(reason);
  const std::string hint = env_.secrets->hide_in_words(sandbox_in(why, was_ready));
  hinted_ = {reason, hint};
  drop_connection(why);
  if (state_ == State::Stopped) {
    calls_->fail_waiting(end_reason_);
    if (on_stopped_) std::exchange(on_stopped_, nullptr)();
    return;
  }
  if (is_retired()) {
    set_state(State::Idle);
    return end_retirement_if_idle();
  }
  const bool rests = std::exchange(resting_, false);
  if (std::exchange(restarting_, false)) return connect();
  if (as_legacy) {
    era_ = Era::Legacy;
    return connect();
  }
  if (rests) {
    set_state(State::Idle);
    if (calls_->need_connection() || !waiters_.empty() || offering_->is_followed()) connect();
    return;
  }
  const bool is_session_lost = was_ready && why.kind == ErrorKind::NotFound;
  if (!was_ready || is_session_lost) era_ = Era::Unknown;
  if (is_session_lost && backoff_.forgot_session(env_.clock.steady(), answered_a_call)) {
    if (!answered_a_call && !is_needed()) return set_state(State::Idle);
    log::info("upstream", "begins again", {{"upstream", name()}, {"reason", reason}});
    return connect();
  }
  log::warning("upstream", was_ready ? "ended" : "could not be started",
               {{"upstream", name()}, {"reason", reason + hint}});
  pause(std::move(reason));
  // Only a person can change that, so no call waits for the next start.
  if (!is_denied) return;
  calls_->fail_waiting(last_error_);
  calls_->fail_tasks(last_error_);
}

// Only if the sandbox was made: without it, the reason itself speaks of the sandbox. A process that
// was ready can have ended for any reason.
std::string Upstream::sandbox_in(const Error& why, bool was_ready) const {
  if (!settings_.sandbox || connection_->transport().sandbox().layers.empty()) return {};
  std::vector<std::string> said = last_lines_;
  said.push_back(why.message);
  if (was_ready && !names_sandbox_error(said)) return {};
  return "; " + sandbox_hint(*settings_.sandbox, said);
}

// Some servers of older protocols end at a request that they do not know, or never read again.
bool Upstream::retries_as_legacy(const Error& why, bool was_ready) {
  const bool fits = why.kind == ErrorKind::Unavailable || why.kind == ErrorKind::DeadlineExceeded;
  return !was_ready && era_ == Era::Unknown && fits &&
         connection_->transport().silence_means_legacy();
}

// The connection calls this object, so it goes later.
void Upstream::drop_connection(const Error& why) {
  const bool goes_on = state_ != State::Stopped && !is_retired();
  const bool keeps_tasks = goes_on && connection_->transport().keeps_tasks();
  reading_ = false;
  read_again_ = false;
  waits_to_read_ = false;
  awaits_tools_ = false;
  ++round_;
  refresh_pause_.cancel();
  tools_wait_.cancel();
  offering_->disconnected();
  last_number_ = connection_->last_number();
  calls_->disconnected(why, keeps_tasks);
  std::shared_ptr<Connection> gone = std::move(connection_);
  if (gone->is_leaving()) {
    leaving_.emplace(starts_, std::move(gone));
  } else {
    boost::asio::post(env_.io, [gone] {});
  }
}

void Upstream::pause(std::string why) {
  last_error_ = std::move(why);
  const SteadyTime now = env_.clock.steady();
  const auto length = backoff_.failed(now);
  next_start_ = now + length;
  set_state(State::Waiting);
  tell_waiters(Error{ErrorKind::Unavailable, last_error_});
  if (length > kShortPause) calls_->fail_waiting(last_error_);
  pause_.expires_after(length);
  pause_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->state_ != State::Waiting) return;
    self->is_needed() ? self->connect() : self->set_state(State::Idle);
  });
}

bool Upstream::is_needed() const {
  return !settings_.lazy || !pins_.seen() || calls_->need_connection() || !waiters_.empty() ||
         offering_->is_followed() || (reads_offers_ && offering_->needs_reading());
}

// A call waits.
void Upstream::need() {
  if (state_ == State::Idle) return connect();
  if (state_ == State::Stopped) return calls_->fail_waiting(end_reason_);
  if (state_ != State::Waiting) return;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(next_start_ - env_.clock.steady());
  if (left <= kShortPause) return;
  calls_->fail_waiting(last_error_ + "; the host starts it again in " +
                       std::to_string((left.count() + 999) / 1000) + " s");
}

// Nobody calls it now. If that lasts, its process ends.
void Upstream::became_idle() {
  if (is_retired()) return end_retirement();
  if (offering_->is_followed() || settings_.idle_stop.count() == 0 || !settings_.lazy ||
      state_ != State::Ready)
    return;
  idle_.expires_after(settings_.idle_stop);
  idle_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->state_ != State::Ready) return;
    if (self->calls_->running() + self->calls_->waiting() > 0) return;  // it comes here again
    if (self->offering_->is_followed()) return;
    if (self->offering_->is_reading()) {  // until then its prompts and resources are not known
      return self->offering_->when_read([weak] {
        if (const auto still = weak.lock()) still->became_idle();
      });
    }
    self->resting_ = true;
    self->set_state(State::Starting);  // calls wait for the next connection
    self->connection_->close();
  });
}

void Upstream::follow(const std::set<std::string>& uris) {
  offering_->follow(uris);
  if (!offering_->is_followed()) {
    if (calls_->running() == 0) became_idle();
  } else if (state_ == State::Idle && has_begun_) {
    connect();
  }
}

// ---- orders

void Upstream::restart(Done done) {
  if (state_ == State::Stopped) return done(Error{ErrorKind::Unavailable, "the host stops"});
  if (!has_begun_) return done(Error{ErrorKind::Unavailable, last_error_});
  wait_for_reading(std::move(done));
  backoff_.reset();
  era_ = Era::Unknown;
  if (connection_) {
    restarting_ = true;
    set_state(State::Starting);  // calls wait for the next connection
    connection_->close();
  } else {
    connect();
  }
  end_left("the host ended the connection");
}

void Upstream::refresh(Done done) {
  if (state_ == State::Stopped) return done(Error{ErrorKind::Unavailable, "the host stops"});
  if (!has_begun_) return done(Error{ErrorKind::Unavailable, last_error_});
  wait_for_reading(std::move(done));
  if (state_ == State::Idle || state_ == State::Waiting) return connect();
  if (state_ != State::Ready) return;
  offering_->list_changed(ListKind::Resources);
  offering_->list_changed(ListKind::Prompts);
  if (!reading_) read_tools();  // otherwise tools_are_read() begins the next one
}

void Upstream::settle(Done done) {
  if (state_ != State::Starting)
    return offering_->when_read([done = std::move(done)] { done({}); });
  waiters_.push_back({std::move(done)});
}

// For a reading that begins after the order.
void Upstream::wait_for_reading(Done done) {
  waiters_.push_back({std::move(done), readings_ + 1});
}

void Upstream::tell_waiters(const Result<void>& outcome) {
  for (const Waiter& one : std::exchange(waiters_, {})) one.done(outcome);
}

void Upstream::tell_readers(std::uint64_t reading, const Result<void>& outcome) {
  std::vector<Waiter> told;
  for (Waiter& one : std::exchange(waiters_, {}))
    (one.reading <= reading ? told : waiters_).push_back(std::move(one));
  for (const Waiter& one : told) one.done(outcome);
}

}  // namespace host::upstream
