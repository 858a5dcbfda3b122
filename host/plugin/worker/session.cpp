#include "plugin/worker/session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "base/heap.h"
#include "plugin/instance/call_table.h"
#include "plugin/instance/manifest_writer.h"
#include "plugin/instance/may_wait.h"
#include "plugin/wire/host_call.h"
#include "plugin/wire/passed_files.h"
#include "plugin/wire/worker_descriptors.h"
#include "plugin/worker/crash_handler.h"
#include "plugin/worker/host_end.h"
#include "plugin/worker/wire_sink.h"
#include "sandbox/apply.h"

namespace host::plugin::worker {
namespace {

constexpr int kRefusedExit = 3;
constexpr int kProtocolExit = 4;

Instance::Log log_to(Channel& channel) {
  return [&channel](int level, std::string_view message, std::string_view fields) {
    channel.send([&](std::string& out) {
      FrameWriter(out, FrameType::Log, 0).i32(level).text(message).text(fields);
    });
  };
}

NewsBoard::Send send_to(Channel& channel) {
  return [&channel](const News& news) {
    channel.send([&](std::string& out) { write_news(out, news); });
  };
}

HostCalls::Road road_to_services(Channel& channel) {
  return {[&channel](const HostCall& asked) {
            channel.send([&](std::string& out) { write_host_call(out, asked); });
          },
          [&channel](std::uint64_t id) {
            channel.send([&](std::string& out) { FrameWriter(out, FrameType::HostDrop, id); });
          }};
}

Makes product_of(tool::Function function) {
  if (function == tool::Function::ReadResource) return Makes::Contents;
  return tool::is_interception(function) ? Makes::Answer : Makes::Blocks;
}

// When the host takes a frame, the kernel tells whoever sleeps on the socket that there is room to
// write. That wakes a thread that sleeps in recvmsg(), once for each frame and in vain. A thread
// that sleeps in poll() wakes only for what it waits for.
void wait_for_bytes(int socket) {
  pollfd one{socket, POLLIN, 0};
  while (::poll(&one, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

Session::Session(int socket, int payloads) : channel_(socket) {
  slots_.map(payloads);
  ::close(payloads);
}

bool Session::read_more() {
  const auto room = reader_.prepare();
  wait_for_bytes(channel_.socket());
  const ssize_t count = receive_with_files(channel_.socket(), room, files_);
  if (count <= 0) return false;
  reader_.commit(static_cast<std::size_t>(count));
  return true;
}

int Session::run() {
  const MayNotWait reader;  // every answer of the host's is read here
  channel_.send([](std::string& out) {
    FrameWriter(out, FrameType::Hello, 0).u32(kProtocolVersion).u32(TP_ABI_MAJOR);
  });
  while (read_more()) {
    channel_.begin_batch();
    const Next next = handle_buffered();
    channel_.end_batch();
    if (next == Next::Stop) return 0;
  }
  // The host is gone: no answer would be read, and calls may hang for ever.
  ::_exit(0);
}

Session::Next Session::handle_buffered() {
  for (;;) {
    const auto frame = reader_.next();
    if (!frame) {
      std::fprintf(stderr, "%s\n", frame.error().message.c_str());
      ::_exit(kProtocolExit);
    }
    if (!*frame) return Next::GoOn;
    if (handle(**frame) == Next::Stop) return Next::Stop;
  }
}

Session::Next Session::handle(const Frame& frame) {
  switch (frame.type) {
    case FrameType::Config: {
      const auto config = read_config(frame.body);
      const Result<void> loaded =
          config ? load(*config)
                 : Error{ErrorKind::Internal, "host and worker are of different versions"};
      if (!loaded) ::_exit(refuse(loaded.error()));
      return Next::GoOn;
    }
    case FrameType::Create: {
      const Result<void> created = create();
      if (!created) ::_exit(refuse(created.error()));
      return Next::GoOn;
    }
    case FrameType::State:
    case FrameType::StateEnd: {
      const Result<void> taken = take_state(frame);
      if (!taken) ::_exit(refuse(taken.error()));
      return Next::GoOn;
    }
    case FrameType::SaveState:
      save_state();
      return Next::GoOn;
    case FrameType::Call:
      start_call(frame);
      return Next::GoOn;
    case FrameType::Cancel:
      cancel_call(frame.call_id);
      return Next::GoOn;
    case FrameType::Ping:
      pong();
      return Next::GoOn;
    case FrameType::NewsHeard:
      if (instance_) instance_->news().heard();
      return Next::GoOn;
    case FrameType::HostRet:
      take_answer(frame);
      return Next::GoOn;
    case FrameType::Quiesce:
      quiesce(frame);
      return Next::Stop;
    default:
      std::fprintf(stderr, "a frame that only a worker sends\n");
      ::_exit(kProtocolExit);
  }
}

// With the number of timers and answers that wait or run: a worker that has some is not idle. It
// comes while little happens, so it is the time to give memory back.
void Session::pong() {
  give_back_memory();
  const std::size_t busy = instance_ ? instance_->callbacks().busy() : 0;
  channel_.send([busy](std::string& out) {
    FrameWriter(out, FrameType::Pong, 0).u32(static_cast<std::uint32_t>(busy));
  });
}

int Session::refuse(const Error& why) {
  channel_.send(
      [&](std::string& out) { FrameWriter(out, FrameType::Refused, 0).raw(why.message); });
  channel_.end_batch();
  return kRefusedExit;
}

Result<void> Session::load(const WorkerConfig& config) {
  if (library_) return Error{ErrorKind::Internal, "the host configures its worker twice"};
  config_ = config;
  install_crash_handler(kWorkerCrashPipe, config.library.c_str());
  if (config.profile.exec) HOST_TRY(start_keeper());
  HOST_TRY_ASSIGN(const sandbox::Applied applied, sandbox::apply(config.profile));
  HOST_TRY(watch_for_end_of_host(channel_.socket()));
  channel_.send([&](std::string& out) { write_sandboxed(out, applied); });
  HOST_TRY_ASSIGN(library_, Library::open(config.library));
  if (library_->descriptor().flags & TP_PLUGIN_NEEDS_INLINE && !config.selftest) {
    return Error{ErrorKind::PluginFault, "cannot run in a worker"};
  }
  HOST_TRY_ASSIGN(const std::string_view schema, library_->config_schema());
  channel_.send([&](std::string& out) { FrameWriter(out, FrameType::Loaded, 0).raw(schema); });
  return {};
}

// The host has found that the settings fit the library's schema.
Result<void> Session::create() {
  if (!library_ || instance_) {
    return Error{ErrorKind::Internal, "the host makes an instance of no library, or a second one"};
  }
  // What a trial asks would happen: it can ask nothing.
  HostCalls::Road services = config_.selftest ? HostCalls::Road{} : road_to_services(channel_);
  HOST_TRY_ASSIGN(instance_,
                  Instance::create(*library_, {config_.settings, config_.secrets},
                                   {log_to(channel_), send_to(channel_), std::move(services)}));
  HOST_TRY_ASSIGN(const std::string manifest, write_manifest(library_->descriptor(), *instance_));
  if (state_) HOST_TRY(instance_->restore(*state_));
  state_.reset();
  HOST_TRY(instance_->activate());
  if (config_.selftest) HOST_TRY(instance_->selftest());
  threads_ = std::make_unique<CallThreads>(instance_->serial() ? 1 : std::max(config_.threads, 1u));
  channel_.send([&](std::string& out) { FrameWriter(out, FrameType::Manifest, 0).raw(manifest); });
  instance_->open_services();  // not before: the host takes no request of a worker that is not up
  return {};
}

Result<void> Session::take_state(const Frame& frame) {
  if (frame.type == FrameType::State) return state_reader_.add(frame.body);
  HOST_TRY_ASSIGN(state_, state_reader_.end(frame.body));
  return {};
}

void Session::save_state() {
  if (!instance_) return;
  const auto state = instance_->save();
  channel_.send([&](std::string& out) {
    state ? write_state(out, *state) : write_no_state(out, state.error().message);
  });
}

void Session::start_call(const Frame& frame) {
  const auto message = read_call(frame.body);
  const std::uint64_t id = frame.call_id;
  auto arguments = message ? arguments_of(*message) : std::nullopt;
  if (!arguments || !instance_) {
    std::fprintf(stderr, "a call that cannot be read\n");
    ::_exit(kProtocolExit);
  }
  CallInfo info{id, message->deadline_ns, message->passport, message->abilities,
                message->continuation};
  const tool::Function function = message->function;
  auto sink = std::make_shared<WireSink>(
      channel_, slots_, id, PushCheck(config_.result_bytes, product_of(function), *arguments),
      message->abilities, [this, id, calls = instance_->weak_host_calls()] {
        forget(id);
        if (const auto there = calls.lock()) there->call_ended(id);
      });
  tp_call* const call = Instance::open(std::move(info), sink);
  if (!call) {
    sink->done(TP_E_BUSY);
    return;
  }
  {
    const std::lock_guard lock(calls_mutex_);
    calls_.emplace(id, call);
  }
  const std::uint32_t tool = message->tool;
  // A serial instance has one thread, and this is not it.
  if (message->nonblocking && !instance_->serial()) {
    const InCall in_call(id);
    instance_->run(call, function, tool, *arguments, message->context);
    return;
  }
  auto run = [this, id, call, function, tool, arguments = *std::move(arguments),
              context = std::string(message->context)] {
    const InCall in_call(id);
    instance_->run(call, function, tool, arguments, context);
  };
  // A serial instance has one thread, and nothing that runs there can wait for this.
  if (message->nested && !instance_->serial()) {
    threads_->post_first(std::move(run));
  } else {
    threads_->post(std::move(run));
  }
}

std::optional<std::string> Session::arguments_of(const CallMessage& message) {
  std::string arguments;
  arguments.reserve(message.pieces.size() * kPayloadSlotBytes + message.arguments.size());
  for (const PayloadPiece& piece : message.pieces) {
    if (!slots_.take(piece, arguments)) return std::nullopt;
  }
  arguments.append(message.arguments);
  return arguments;
}

void Session::forget(std::uint64_t id) {
  const std::lock_guard lock(calls_mutex_);
  calls_.erase(id);
}

void Session::take_answer(const Frame& frame) {
  auto answer = read_host_answer(frame);
  if (!answer || !instance_) {
    std::fprintf(stderr, "an answer that cannot be read\n");
    ::_exit(kProtocolExit);
  }
  take_file(frame.flags, *answer);
  instance_->host_calls().answered(frame.call_id, std::move(*answer));
}

void Session::take_file(std::uint16_t flags, HostAnswer& answer) {
  if (flags & kFileLost) answer = {TP_E_BUSY, 0, {}, "too many descriptors are in transit"};
  if (!(flags & kWithFile)) return;
  if (files_.empty()) {
    std::fprintf(stderr, "an answer without its file\n");
    ::_exit(kProtocolExit);
  }
  answer.file = std::make_shared<UniqueFd>(std::move(files_.front()));
  files_.pop_front();
  if (!*answer.file)
    answer = {TP_E_NOMEM, 0, {}, "this plugin's process has too many open descriptors"};
}

void Session::cancel_call(std::uint64_t id) {
  tp_call* call = nullptr;
  {
    const std::lock_guard lock(calls_mutex_);
    const auto at = calls_.find(id);
    if (at == calls_.end()) return;  // it ended while the wish was on its way
    call = at->second;
  }
  instance_->cancel(call);
}

void Session::quiesce(const Frame& frame) {
  if (!instance_) return;
  const std::chrono::milliseconds grace(BodyReader(frame.body).u32());
  const auto until = std::chrono::steady_clock::now() + grace;
  instance_->quiesce(grace);
  // Where a call hangs on, its thread may still be inside: then nothing is destroyed under it.
  const bool idle = threads_->wait_idle(until);
  if (idle) instance_.reset();
  channel_.send([](std::string& out) { FrameWriter(out, FrameType::Bye, 0); });
  channel_.end_batch();
  if (!idle) ::_exit(0);
}

}  // namespace host::plugin::worker
