#include "plugin/worker_process.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "plugin/settings_check.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kFastTick = 50ms;
constexpr std::size_t kMostPieceBytes = 512u << 20u;

Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}
SteadyTime now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

std::shared_ptr<WorkerProcess> WorkerProcess::create(asio::any_io_executor io, Settings settings) {
  return std::shared_ptr<WorkerProcess>(new WorkerProcess(std::move(io), std::move(settings)));
}

WorkerProcess::WorkerProcess(asio::any_io_executor io, Settings settings)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      socket_(io_),
      output_(io_),
      death_(io_),
      timer_(io_),
      log_(settings_.plugin) {}

WorkerProcess::~WorkerProcess() {
  if (!child_.pidfd) return;
  kill_child(child_);  // the loop has ended before the process: leave no zombie
  reap_child(child_, true);
}

void WorkerProcess::start(Started started) {
  started_ = std::move(started);
  auto child = spawn_worker(settings_.executable, settings_.probe);
  if (!child) {
    state_ = State::Gone;
    asio::post(io_, [self = shared_from_this(), error = child.error()] {
      self->settle(error);
      if (const Ended ended = std::exchange(self->ended_, nullptr)) ended(error.message);
    });
    return;
  }
  child_ = std::move(*child);
  boost::system::error_code error;
  socket_.assign(asio::local::stream_protocol(), child_.socket.release(), error);
  socket_.non_blocking(true, error);
  output_.assign(child_.output.release(), error);
  death_.assign(::dup(child_.pidfd.get()), error);
  heard_ = pinged_ = now();
  start_by_ = now() + settings_.start_timeout;
  write_config(out_, settings_.config);
  flush();
  read();
  watch_output();
  watch_death();
  arm_tick();
}

void WorkerProcess::settle(Result<std::string> outcome) {
  if (const Started started = std::exchange(started_, nullptr)) started(std::move(outcome));
}

// ---- calls

void WorkerProcess::call(std::shared_ptr<tool::Invocation> invocation) {
  if (state_ != State::Ready) {
    invocation->finish(Error{ErrorKind::Unavailable,
                             "plugin \"" + settings_.plugin + "\" is not ready: try again"});
    return;
  }
  const tool::Invocation& what = *invocation;
  CallMessage message;
  message.tool = tool_number(what);
  message.entry = static_cast<std::uint32_t>(entry_of(what.function));
  message.nonblocking = is_nonblocking(what);
  message.abilities = abilities_of(what);
  message.deadline_ns = deadline_ns(what);
  message.arguments = what.arguments;
  message.context = what.context;
  message.request = what.id;
  message.principal = what.principal;
  message.session = what.session;
  message.traceparent = what.traceparent;
  message.continuation = continuation_of(invocation);
  if (call_bytes(message) > kMaxFrameBytes) {
    invocation->finish(Error{ErrorKind::InvalidArgument, "the arguments are larger than 16 MiB"});
    return;
  }
  const std::uint64_t id = next_call_++;
  write_call(out_, id, message);
  calls_.emplace(
      id, Held{PendingCall(std::move(invocation), settings_.config.result_bytes), {}, {}, false});
  if (!ticking_fast_) arm_tick();
  send();
}

void WorkerProcess::cancel(const tool::Invocation& invocation) {
  for (auto& [id, held] : calls_) {
    if (held.call.invocation().get() == &invocation) return cancel(id, held);
  }
}

void WorkerProcess::cancel(std::uint64_t id, Held& held) {
  if (held.cancelled) return;
  held.cancelled = true;
  held.kill_at = now() + settings_.grace;
  FrameWriter(out_, FrameType::Cancel, id);
  send();
}

void WorkerProcess::heard_news() {
  if (state_ != State::Ready) return;
  FrameWriter(out_, FrameType::NewsHeard, 0, kOptional);
  send();
}

// ---- reading

void WorkerProcess::read() {
  const auto room = reader_.prepare();
  socket_.async_read_some(
      asio::buffer(room.data(), room.size()),
      [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
        if (self->state_ == State::Gone) return;
        if (error) {
          kill_child(self->child_);  // it has closed its end: nothing can be asked any more
          return;
        }
        self->reader_.commit(bytes);
        self->heard_ = now();
        const auto handled = self->handle_frames();
        if (!handled) return self->kill(handled.error().message);
        self->read();
      });
}

bool WorkerProcess::drain_socket() {
  for (;;) {
    const auto room = reader_.prepare();
    boost::system::error_code error;
    const std::size_t bytes = socket_.read_some(asio::buffer(room.data(), room.size()), error);
    if (error || bytes == 0) return false;
    reader_.commit(bytes);
    if (!handle_frames()) return false;
  }
}

Result<void> WorkerProcess::handle_frames() {
  for (;;) {
    HOST_TRY_ASSIGN(const std::optional<Frame> frame, reader_.next());
    if (!frame) return {};
    HOST_TRY(handle(*frame));
  }
}

Result<void> WorkerProcess::handle(const Frame& frame) {
  BodyReader body(frame.body);
  switch (frame.type) {
    case FrameType::Hello:
    case FrameType::Loaded:
    case FrameType::Manifest:
    case FrameType::Refused:
      return handle_config_phase(frame);
    case FrameType::Push: {
      const auto at = calls_.find(frame.call_id);
      return at == calls_.end() ? fault("broken frame: a push for no call")
                                : handle_records(at, body);
    }
    case FrameType::Done:
      return handle_done(frame);
    case FrameType::Progress: {
      const auto at = calls_.find(frame.call_id);
      const double done = body.f64();
      const double total = body.f64();
      const std::string_view message = body.text();
      if (!body.done() || at == calls_.end()) return fault("broken frame: progress");
      at->second.call.progress(done, total, message);
      return {};
    }
    case FrameType::Log:
      handle_log(frame, body);
      return body.done() ? Result<void>() : fault("broken frame: log");
    case FrameType::News: {
      auto news = read_news(frame.body);
      if (!news) return fault("broken frame: news");
      news_.put(std::move(*news));
      return {};
    }
    case FrameType::Pong:
    case FrameType::Bye:
      return {};
    default:
      return fault("broken frame: one that only the host sends");
  }
}

Result<void> WorkerProcess::handle_config_phase(const Frame& frame) {
  if (state_ != State::Starting) return fault("broken frame: a handshake that is over");
  if (frame.type == FrameType::Hello) {
    BodyReader body(frame.body);
    if (body.u32() == kProtocolVersion) return {};
    settle(Error{ErrorKind::Internal,
                 settings_.executable.string() + " is of another version than this host"});
    return fault("another protocol version");
  }
  if (frame.type == FrameType::Loaded) return handle_loaded(frame.body);
  if (frame.type == FrameType::Refused) {
    settle(fault(std::string(frame.body)));
    return {};
  }
  state_ = State::Ready;
  settle(std::string(frame.body));
  return {};
}

Result<void> WorkerProcess::handle_loaded(std::string_view config_schema) {
  if (std::exchange(loaded_, true)) return fault("broken frame: loaded twice");
  const Result<void> fits =
      check_settings(settings_.plugin, config_schema, settings_.config.settings);
  if (!fits) {
    settle(fits.error());
    return fault("its settings do not fit");
  }
  FrameWriter(out_, FrameType::Create, 0);
  send();
  return {};
}

Result<void> WorkerProcess::handle_records(Calls::iterator at, BodyReader& body) {
  while (!body.empty()) {
    Record record;
    if (!read_record(body, record)) return fault("broken frame: a record");
    HOST_TRY(handle_record(at->second, record));
  }
  return {};
}

Result<void> WorkerProcess::handle_record(Held& held, const Record& record) {
  std::string_view bytes = record.bytes;
  if (!held.piece.empty() || (record.kind & Record::kContinued)) {
    held.piece.append(bytes);
    if (held.piece.size() > settings_.config.result_bytes + kMaxFrameBytes)
      return fault("a result over its limit");
    if (record.kind & Record::kContinued) return {};
    bytes = held.piece;
  }
  const tp_status status = take_record(held.call, record, bytes);
  held.piece.clear();
  if (status == TP_OK) return {};
  return fault("a push that the worker should have refused (status " + std::to_string(status) +
               ")");
}

tp_status WorkerProcess::take_record(PendingCall& call, const Record& record,
                                     std::string_view bytes) {
  if (record.kind & Record::kError) return call.error(record.code, bytes, record.mime);
  if (record.kind & Record::kKeep) return call.keep(bytes);
  if (record.kind & Record::kAsk) {
    const tp_status status = call.ask(record.mime, method_of_number(record.code), bytes);
    return status == TP_E_UNSUPPORTED ? TP_OK : status;  // that too is told, for the call's end
  }
  return call.push(record.kind, record.mime, bytes);
}

Result<void> WorkerProcess::handle_done(const Frame& frame) {
  const auto at = calls_.find(frame.call_id);
  if (at == calls_.end()) return fault("broken frame: the end of no call");
  BodyReader body(frame.body);
  const tp_status status = body.i32();
  if (!body.ok()) return fault("broken frame: done");
  HOST_TRY(handle_records(at, body));
  PendingCall call = std::move(at->second.call);
  calls_.erase(at);
  call.finish(status);
  if (state_ == State::Retiring) quiesce_when_idle();
  return {};
}

void WorkerProcess::handle_log(const Frame& frame, BodyReader& body) {
  const int level = body.i32();
  const std::string_view message = body.text();
  const std::string_view fields = body.text();
  const auto at = calls_.find(frame.call_id);
  if (at != calls_.end()) at->second.call.log(level, settings_.plugin, message, fields);
  log_.plugin_line(level, message, fields);
}

// ---- writing

void WorkerProcess::send() {
  if (flush_posted_ || writing_) return;
  flush_posted_ = true;
  asio::post(io_, [self = shared_from_this()] {
    self->flush_posted_ = false;
    self->flush();
  });
}

void WorkerProcess::flush() {
  if (writing_ || out_.empty() || state_ == State::Gone) return;
  boost::system::error_code error;
  const std::size_t sent = socket_.write_some(asio::buffer(out_), error);
  if (!error && sent == out_.size()) {
    out_.clear();
    return;
  }
  if (error && error != asio::error::would_block) return;  // its death will be told
  writing_ = true;
  on_way_.swap(out_);
  out_.clear();
  asio::async_write(socket_, asio::buffer(on_way_.data() + sent, on_way_.size() - sent),
                    [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                      self->writing_ = false;
                      self->on_way_.clear();
                      if (!failed) self->flush();
                    });
}

// ---- life and death

void WorkerProcess::watch_output() {
  output_.async_read_some(
      asio::buffer(output_buffer_),
      [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
        self->log_.add({self->output_buffer_.data(), bytes});
        if (error) return self->log_.end();
        self->watch_output();
      });
}

void WorkerProcess::watch_death() {
  death_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](boost::system::error_code error) {
                      if (error || self->state_ == State::Gone) return;
                      const std::string how = reap_child(self->child_, false);
                      if (how.empty()) return self->watch_death();
                      self->died(how);
                    });
}

void WorkerProcess::died(const std::string& how) {
  drain_socket();  // what it answered before it died is answered
  boost::system::error_code error;
  output_.non_blocking(true, error);
  const std::size_t bytes = output_.read_some(asio::buffer(output_buffer_), error);
  if (!error) log_.add({output_buffer_.data(), bytes});
  log_.end();

  const bool wanted = quiesce_sent_ && kill_reason_.empty();
  state_ = State::Gone;
  std::string text = kill_reason_.empty() ? how : kill_reason_;
  if (!wanted && kill_reason_.empty() && !log_.last_line().empty())
    text += "; its last line: " + log_.last_line();
  Calls calls = std::exchange(calls_, {});
  for (auto& [id, held] : calls) {
    held.call.fail(fault("the worker of plugin \"" + settings_.plugin + "\" " + text));
  }
  settle(fault("the library's process " + text));
  socket_.close(error);
  death_.close(error);
  output_.close(error);
  timer_.cancel();
  if (const Ended ended = std::exchange(ended_, nullptr)) ended(wanted ? std::string() : text);
}

void WorkerProcess::kill(std::string why) {
  if (state_ == State::Gone) return;
  if (kill_reason_.empty()) kill_reason_ = "was killed by the host: " + std::move(why);
  kill_child(child_);
}

void WorkerProcess::retire(std::chrono::milliseconds drain) {
  if (state_ == State::Gone || state_ == State::Retiring) return;
  state_ = State::Retiring;
  drain_by_ = now() + drain;
  quiesce_when_idle();
  arm_tick();
}

void WorkerProcess::quiesce_when_idle() {
  if (!calls_.empty() || quiesce_sent_) return;
  quiesce_sent_ = true;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(drain_by_ - now());
  FrameWriter(out_, FrameType::Quiesce, 0)
      .u32(static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 0)));
  send();
}

void WorkerProcess::arm_tick() {
  ticking_fast_ = state_ != State::Ready || !calls_.empty();
  timer_.expires_after(ticking_fast_ ? std::min(kFastTick, settings_.ping_every)
                                     : settings_.ping_every);
  timer_.async_wait([self = weak_from_this()](boost::system::error_code error) {
    if (const auto alive = self.lock(); alive && !error) alive->tick();
  });
}

void WorkerProcess::tick() {
  if (state_ == State::Gone) return;
  const SteadyTime time = now();
  if (state_ == State::Starting && time >= start_by_) {
    settle(fault("the library did not come up within " +
                 std::to_string(settings_.start_timeout.count()) + " ms"));
    return kill("it did not come up in time");
  }
  if (state_ == State::Retiring && time >= drain_by_)
    return kill("it did not end within the drain timeout");
  for (auto& [id, held] : calls_) {
    if (held.cancelled && time >= held.kill_at)
      return kill("a cancelled call did not stop within the grace period");
    const SteadyTime deadline = held.call.invocation()->deadline;
    if (deadline != SteadyTime{} && time >= deadline) cancel(id, held);
  }
  if (state_ != State::Starting && !quiesce_sent_) {
    const bool waits_for_pong = heard_ < pinged_;  // another ping would only put off the end
    if (waits_for_pong && time - pinged_ > settings_.pong_within)
      return kill("it does not answer any more");
    if (!waits_for_pong && time - heard_ >= settings_.ping_every) {
      pinged_ = time;
      FrameWriter(out_, FrameType::Ping, 0);
      send();
    }
  }
  arm_tick();
}

}  // namespace host::plugin
