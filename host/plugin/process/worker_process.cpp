#include "plugin/process/worker_process.h"

#include <unistd.h>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "plugin/file/build_id.h"
#include "plugin/wire/fault.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kFastTick = 50ms;
constexpr std::chrono::milliseconds kPlaceAtAll = 10s;
constexpr std::string_view kEndedWell = "exited with status 0";
constexpr std::size_t kMostUnsentFiles = 16;     // of a worker that does not read
constexpr std::size_t kMostUnread = 64u << 20u;  // beside which nothing more is answered

}  // namespace

std::shared_ptr<WorkerProcess> WorkerProcess::create(asio::any_io_executor io, Settings settings) {
  return std::shared_ptr<WorkerProcess>(new WorkerProcess(std::move(io), std::move(settings)));
}

WorkerProcess::WorkerProcess(asio::any_io_executor io, Settings settings)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      output_(std::make_shared<WorkerOutput>(io_, settings_.plugin,
                                             Redactor(settings_.config.secrets))),
      death_(io_),
      timer_(io_),
      had_state_(settings_.state != nullptr),
      handshake_(settings_.plugin, settings_.executable.string(), settings_.config.settings,
                 std::move(settings_.state)),
      liveness_(settings_.times),
      calls_(settings_.config.result_bytes, slots_),
      desk_(make_desk()) {}

WorkerProcess::~WorkerProcess() {
  if (!child_.pidfd) return;
  kill_child(child_);  // the loop has ended before the process: leave no zombie
  reap_child(child_, true);
}

void WorkerProcess::start(Started started) {
  handshake_.on_outcome(std::move(started));
  link_ = std::make_shared<WorkerLink>(
      io_,
      [self = weak_from_this()](const Frame& frame) -> Result<void> {
        const auto alive = self.lock();
        return alive ? alive->handle(frame) : Result<void>();
      },
      [self = weak_from_this()](const std::string& why) {
        const auto alive = self.lock();
        if (!alive) return;
        if (!why.empty()) return alive->kill(why);
        alive->dying_ = true;
        kill_child(alive->child_);  // nothing can be asked any more
      });
  settings_.filters->give_to(settings_.config.profile);
  const UniqueFd payloads = settings_.probe ? UniqueFd() : make_payload_file();
  slots_.map(payloads.get());
  auto child =
      spawn_worker(settings_.executable, settings_.probe ? WorkerRole::Probe : WorkerRole::Serve,
                   settings_.env, payloads.get());
  if (!child) {
    state_ = State::Gone;
    asio::post(io_, [self = shared_from_this(), error = child.error()] {
      self->handshake_.settle(error);
      WorkerDeath death;
      death.counts = false;  // no code of the plugin has run
      death.started = false;
      death.how = "could not be started: " + error.message;
      self->tell_end(std::move(death));
    });
    return;
  }
  child_ = std::move(*child);
  boost::system::error_code error;
  death_.assign(::dup(child_.pidfd.get()), error);
  liveness_.start(steady_now());
  write_config(link_->out(), settings_.config);
  link_->open(std::move(child_.socket));
  output_->open(std::move(child_.output));
  watch_death();
  arm_tick();
}

// ---- calls

void WorkerProcess::call(std::shared_ptr<tool::Invocation> invocation, bool retried) {
  if (!ready()) {
    Error why{ErrorKind::Unavailable,
              "plugin \"" + settings_.plugin + "\" is not ready: try again"};
    if (retried) {
      invocation->finish(std::move(why));
    } else {
      invocation->refuse(std::move(why));
    }
    return;
  }
  stop_asked_.reset();
  calls_.begin(std::move(invocation), retried, link_->out());
  if (!ticking_fast_) arm_tick();
  // A call that is alone has no other call to share a write with.
  calls_.count() == 1 ? link_->send_now() : link_->send();
}

void WorkerProcess::cancel(const tool::Invocation& invocation) {
  if (state_ == State::Gone) return;
  calls_.cancel(invocation, steady_now() + settings_.grace, link_->out());
  link_->send();
}

void WorkerProcess::heard_news() {
  // A worker that starts has sent no news yet, and may send them.
  if (state_ != State::Ready) return;
  awaits_news_ = true;
  FrameWriter(link_->out(), FrameType::NewsHeard, 0, kOptional);
  link_->send();
}

// ---- what it tells

Result<void> WorkerProcess::handle(const Frame& frame) {
  switch (frame.type) {
    case FrameType::Hello:
    case FrameType::Sandboxed:
    case FrameType::Loaded:
    case FrameType::Manifest:
    case FrameType::Refused:
      return handle_handshake(frame);
    case FrameType::Push:
      return calls_.push(frame);
    case FrameType::Done: {
      HOST_TRY(calls_.done(frame));
      desk_->call_ended(frame.call_id);
      if (freed_) freed_();
      if (state_ == State::Retiring) quiesce_when_idle();
      return {};
    }
    case FrameType::Progress:
      return calls_.progress(frame);
    case FrameType::Log:
      return handle_log(frame);
    case FrameType::State:
    case FrameType::StateEnd:
      return handle_state(frame);
    case FrameType::News: {
      auto news = read_news(frame.body);
      if (!news) return fault("broken frame: news");
      // Each piece is work for the host: a worker does not decide how much.
      if (!std::exchange(awaits_news_, false)) return fault("broken frame: news before its time");
      news_.put(std::move(*news));
      return {};
    }
    case FrameType::HostCall:
      return handle_host_call(frame);
    case FrameType::HostDrop:
      desk_->drop(frame.call_id);
      return {};
    case FrameType::Pong:
      return handle_pong(frame);
    case FrameType::Bye:
      return {};
    default:
      return fault("broken frame: one that only the host sends");
  }
}

Result<void> WorkerProcess::handle_handshake(const Frame& frame) {
  if (state_ != State::Starting) return fault("broken frame: a handshake that is over");
  if (frame.type == FrameType::Manifest) {
    state_ = State::Ready;
    liveness_.up();
  }
  if (frame.type == FrameType::Refused) output_->read_rest();  // which may say why
  HOST_TRY(handshake_.hear(frame, link_->out(), output_->log()));
  link_->send();
  return {};
}

void WorkerProcess::save_state(Saved told) {
  if (!ready() || saved_) return told(Error{ErrorKind::Unavailable, "its worker is not up"});
  saved_ = std::move(told);
  FrameWriter(link_->out(), FrameType::SaveState, 0);
  link_->send();
}

Result<void> WorkerProcess::handle_state(const Frame& frame) {
  if (!saved_) return fault("broken frame: a state that the host did not request");
  if (frame.type == FrameType::State) return state_reader_.add(frame.body);
  std::exchange(saved_, nullptr)(state_reader_.end(frame.body));
  return {};
}

Result<void> WorkerProcess::handle_log(const Frame& frame) {
  const auto line = read_log(frame.body);
  if (!line) return fault("broken frame: log");
  calls_.log(frame.call_id, line->level, settings_.plugin, line->message, line->fields);
  output_->log().plugin_line(line->level, line->message, line->fields, frame.call_id);
  return {};
}

Result<void> WorkerProcess::handle_host_call(const Frame& frame) {
  auto asked = read_host_call(frame);
  const bool may_ask = asked && !settings_.probe && state_ != State::Starting;
  if (!may_ask) return fault("broken frame: a request");
  return still_serves(asked->service) ? desk_->take(std::move(*asked)) : Result<void>();
}

// Nobody reads the answers any more. What a process wrote before it ended by itself still counts.
bool WorkerProcess::still_serves(ServiceId service) const {
  const bool writes = service == ServiceId::KvSet || service == ServiceId::KvRemove ||
                      service == ServiceId::ReportMetrics;
  return !dying_ || (writes && kill_reason_.empty());
}

std::shared_ptr<Desk> WorkerProcess::make_desk() {
  const auto find = [this](std::uint64_t call) { return calls_.find(call); };
  const auto answer = [this](std::uint64_t id, HostAnswer given) {
    if (dying_) return;
    if (given.file && link_->unsent_files() >= kMostUnsentFiles)
      given = {TP_E_BUSY, 0, {}, "too many descriptors are in transit"};
    const std::size_t frame = link_->out().size();
    write_host_answer(link_->out(), id, given);
    if (given.file) link_->attach(frame, std::move(given.file));
    stop_asked_.reset();  // the plugin gets work
    link_->send();
    if (link_->unread() > kMostUnread) kill("it asks and does not read the answers");
  };
  return std::make_shared<Desk>(settings_.plugin, settings_.services, find, answer,
                                settings_.side_settings);
}

// ---- life and death

void WorkerProcess::watch_death() {
  death_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](boost::system::error_code error) {
                      if (error || self->state_ == State::Gone) return;
                      const std::string how = reap_child(self->child_, false);
                      if (how.empty()) return self->watch_death();
                      self->dying_ = true;
                      self->link_->read_last([self, how] { self->died(how); });
                    });
}

void WorkerProcess::died(std::string how) {
  output_->read_rest();
  WorkerDeath death = examine(std::move(how));
  state_ = State::Gone;
  desk_->close();

  link_->close();
  boost::system::error_code error;
  death_.close(error);
  output_->close();
  child_.crash.reset();
  timer_.cancel();
  const bool has_place = death.dump && !death.dump->frames.empty();
  has_place ? find_place(std::move(death)) : tell_end(std::move(death));
}

// The event loop is being destroyed. Whoever waits for this process can own it.
void WorkerProcess::abandon() {
  const auto self = shared_from_this();
  state_ = State::Gone;
  desk_->close();
  if (link_) link_->close();
  handshake_.on_outcome(nullptr);
  saved_ = nullptr;
  ended_ = nullptr;
  freed_ = nullptr;
  stuck_ = nullptr;
  late_trace_ = nullptr;
  calls_.take_all();
}

WorkerDeath WorkerProcess::examine(std::string how) {
  WorkerDeath death;
  death.wanted = (dismissed_ || (quiesce_sent_ && how == kEndedWell)) && kill_reason_.empty();
  death.at_end = quiesce_sent_;
  death.counts = counts_;
  death.how = kill_reason_.empty() ? std::move(how) : kill_reason_;
  if (!death.wanted && kill_reason_.empty()) {
    char bytes[CrashDump::kHeaderBytes + CrashDump::kMostFrames * sizeof(std::uint64_t)];
    const ssize_t count = ::read(child_.crash.get(), bytes, sizeof bytes);
    if (count > 0) death.dump = read_crash_dump({bytes, static_cast<std::size_t>(count)});
    if (death.dump && !death.dump->frames.empty()) {
      death.module = settings_.plugin + ".so";
      death.build_id = build_id_of(settings_.config.library);
    }
  }
  // A plugin that blocks the signal or breaks its stack: then no handler runs.
  if (!death.dump && death.how.starts_with("was killed by SIGSYS"))
    death.how =
        "was ended by its sandbox (signal 31, SIGSYS) for a system call such as ptrace, mount or "
        "io_uring_setup; which one is unknown, because the plugin blocked the signal";
  death.calls = calls_.take_all();
  death.culprit = culprit_of(death);
  if (death.wanted) return death;
  const std::uint64_t its_own = death.culprit != 0 ? 1 : 0;
  output_->add_last_lines(death, had_state_ || calls_.begun() > its_own);
  return death;
}

std::uint64_t WorkerProcess::culprit_of(const WorkerDeath& death) const {
  const std::uint64_t told = death.dump ? death.dump->header.call_id : overdue_call_;
  const auto is_it = [told](const LostCall& call) { return call.id == told; };
  if (std::any_of(death.calls.begin(), death.calls.end(), is_it)) return told;
  return death.calls.size() == 1 ? death.calls.front().id : 0;
}

// In a process of its own, which may take its time; nobody waits for it longer than a moment.
void WorkerProcess::find_place(WorkerDeath death) {
  const std::string& library = settings_.config.library;
  if (const Trace* const known = settings_.places->find(library, death.dump->frames)) {
    death.trace = *known;
    return tell_end(std::move(death));
  }
  end_untold_ = true;
  auto held = std::make_shared<WorkerDeath>(std::move(death));
  auto tell = [self = shared_from_this(), held] {
    if (std::exchange(self->end_untold_, false)) self->tell_end(*held);
  };
  timer_.expires_after(settings_.place_within);
  timer_.async_wait([tell](boost::system::error_code cancelled) {
    if (!cancelled) tell();
  });
  settings_.filters->give_to(settings_.examiner);
  const TraceRequest request{settings_.executable, library, held->dump->frames, settings_.examiner};
  symbolize(io_, request, kPlaceAtAll, [self = shared_from_this(), held, tell](Trace trace) {
    held->trace = std::move(trace);
    self->settings_.places->add(self->settings_.config.library, held->dump->frames, held->trace);
    self->timer_.cancel();
    if (self->end_untold_) return tell();
    if (held->trace.empty()) return;
    log::warning("plugin", "where the worker crashed",
                 {{"plugin", self->settings_.plugin},
                  {"how", held->words()},
                  {"trace", describe(held->trace)}});
    if (self->late_trace_) self->late_trace_(*held);
  });
}

void WorkerProcess::tell_end(WorkerDeath death) {
  std::string text = death.words();
  const bool had_calls = calls_.begun() > 0;  // else what it wrote is of nobody
  if (!had_calls && !death.own_lines.empty()) text += "; its last line: " + death.own_lines.back();
  handshake_.settle(fault("the library's process " + text));
  if (const Saved saved = std::exchange(saved_, nullptr)) saved(fault("its worker " + text));
  if (const Ended ended = std::exchange(ended_, nullptr)) return ended(std::move(death));
  for (const LostCall& call : death.calls) {
    call.invocation->finish(fault("the worker of plugin \"" + settings_.plugin + "\" " + text));
  }
}

void WorkerProcess::kill(std::string why, bool counts) {
  if (state_ == State::Gone) return;
  if (kill_reason_.empty()) {
    kill_reason_ = "was killed by the host: " + std::move(why);
    counts_ = counts;
  }
  dying_ = true;
  kill_child(child_);
}

void WorkerProcess::retire(std::chrono::milliseconds drain) {
  if (state_ == State::Gone || quiesce_sent_) return;
  if (state_ == State::Starting) {  // it has nothing to bring to an end
    dismissed_ = true;
    return kill_child(child_);
  }
  const SteadyTime by = steady_now() + drain;
  drain_by_ = state_ == State::Retiring ? std::min(drain_by_, by) : by;
  state_ = State::Retiring;
  liveness_.end_by(drain_by_);
  quiesce_when_idle();
  arm_tick();
}

// Each of its calls has a deadline, which is the end of it.
void WorkerProcess::set_aside() {
  constexpr std::chrono::hours kNoEnd(24 * 365);
  if (!ready()) return;
  retire(kNoEnd);
}

void WorkerProcess::stop_unless_used(std::chrono::milliseconds drain) {
  if (!ready()) return;
  stop_asked_ = drain;
  FrameWriter(link_->out(), FrameType::Ping, 0);
  link_->send();
}

Result<void> WorkerProcess::handle_pong(const Frame& frame) {
  BodyReader body(frame.body);
  const std::uint32_t callbacks = body.u32();  // timers and answers that wait or run
  if (!body.done()) return fault("broken frame: pong");
  const auto drain = std::exchange(stop_asked_, std::nullopt);
  const bool unused = callbacks == 0 && calls_.empty() && desk_->open() == 0 && !saved_;
  if (drain && unused) retire(*drain);
  return {};
}

void WorkerProcess::quiesce_when_idle() {
  if (!calls_.empty() || quiesce_sent_) return;
  quiesce_sent_ = true;
  liveness_.last_words();
  liveness_.end_by(steady_now() + settings_.end_timeout);
  FrameWriter(link_->out(), FrameType::Quiesce, 0)
      .u32(static_cast<std::uint32_t>(settings_.end_timeout.count()));
  link_->send();
}

void WorkerProcess::arm_tick() {
  ticking_fast_ = state_ != State::Ready || !calls_.empty();
  timer_.expires_after(ticking_fast_ ? std::min(kFastTick, settings_.times.ping_every)
                                     : settings_.times.ping_every);
  timer_.async_wait([self = weak_from_this()](boost::system::error_code error) {
    if (const auto alive = self.lock(); alive && !error) alive->tick();
  });
}

void WorkerProcess::tick() {
  if (state_ == State::Gone) return;
  const SteadyTime time = steady_now();
  if (dying_) {
    // The end of the process says more about its calls, so they usually wait for it.
    if (settings_.lets_go) calls_.let_go_of_dying(time);
    return arm_tick();
  }
  const HeldCalls::Due due = calls_.tick(time, settings_.grace, link_->out());
  overdue_call_ = due.kill;
  if (due.kill != 0) {
    kill("a cancelled call did not stop within the grace period", false);
    return arm_tick();
  }
  if (due.aside && state_ == State::Retiring && settings_.lets_go) calls_.let_go_of_overdue(time);
  if (due.aside && state_ == State::Ready && stuck_) stuck_();
  if (!act_on(liveness_.look(time, link_->heard_at()))) return arm_tick();
  const bool rested = !ticking_fast_;  // no call since the last tick
  if (rested) {
    slots_.trim();
    link_->trim();
  }
  link_->send();
  arm_tick();
}

bool WorkerProcess::act_on(Liveness::Due due) {
  switch (due) {
    case Liveness::Due::Nothing:
      return true;
    case Liveness::Due::Ping:
      FrameWriter(link_->out(), FrameType::Ping, 0);
      return true;
    case Liveness::Due::NotUp:
      handshake_.settle(fault("the library did not come up within " +
                              std::to_string(settings_.times.start.count()) + " ms"));
      kill("it did not come up in time");
      return false;
    case Liveness::Due::NotGone:
      // A drain that runs out is no fault of the plugin: its callers asked for long calls.
      kill(quiesce_sent_ ? "it did not end within plugins.end_timeout_s after its last call"
                         : "its calls did not end within the drain timeout",
           quiesce_sent_);
      return false;
    case Liveness::Due::Silent:
      kill("it does not answer any more");
      return false;
  }
  return true;
}

}  // namespace host::plugin
