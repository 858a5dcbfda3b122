#include "plugin/serving/inline_generation.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "base/progress_rate.h"
#include "plugin/answer/pending_call.h"
#include "plugin/declared/settings_check.h"
#include "plugin/instance/instance.h"
#include "plugin/instance/library.h"
#include "plugin/instance/manifest_writer.h"
#include "plugin/instance/may_wait.h"
#include "plugin/services/desk.h"
#include "plugin/wire/output_log.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

// The calls that are in the plugin, by numbers that are never used twice. Any thread.
class RunningCalls {
 public:
  std::uint64_t next_number() { return ++last_number_; }
  void add(std::uint64_t number, std::shared_ptr<tool::Invocation> invocation, tp_call* call) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(number, Running{std::move(invocation), call});
  }
  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    calls_.erase(number);
  }
  tp_call* find(const tool::Invocation* invocation) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, running] : calls_) {
      if (running.invocation.get() == invocation) return running.call;
    }
    return nullptr;
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return calls_.empty();
  }
  std::shared_ptr<tool::Invocation> find(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto at = calls_.find(number);
    return at == calls_.end() ? nullptr : at->second.invocation;
  }

 private:
  struct Running {
    std::shared_ptr<tool::Invocation> invocation;
    tp_call* call = nullptr;
  };
  std::atomic<std::uint64_t> last_number_ = 0;
  mutable std::mutex mutex_;  // guards calls_
  std::unordered_map<std::uint64_t, Running> calls_;
};

}  // namespace

// Its last owner may be a plugin's own thread, inside complete(): so it is never destroyed where it
// is let go, but on the control executor.
class InlineGeneration::Core {
 public:
  Core(std::shared_ptr<Surroundings> around, std::shared_ptr<const StagedFile> staged,
       std::string plugin)
      : around_(std::move(around)),
        staged_(std::move(staged)),
        plugin_(plugin),
        log_(std::move(plugin)) {
    ++around_->alive;
  }
  ~Core() { --around_->alive; }

  Result<void> load(const Build& build, const SavedState* state);
  void quiesce();
  void retire();

  Instance& instance() { return *instance_; }
  NewsInbox& news() { return *news_; }
  const std::string& plugin() const { return plugin_; }
  std::uint64_t result_bytes() const { return around_->result_bytes; }
  void log(int level, std::string_view message, std::string_view fields) {
    const std::lock_guard lock(log_mutex_);
    log_.plugin_line(level, message, fields);
  }

  RunningCalls& calls() { return *calls_; }
  bool idle() { return calls_->empty(); }
  // Where a serial instance runs: nobody else's waiting call can keep its thread.
  std::optional<asio::any_io_executor> own_thread() {
    if (!own_thread_) return std::nullopt;
    return own_thread_->get_executor();
  }

 private:
  void open_desk();
  void close_desk();
  HostCalls::Road road_to_services();

  std::shared_ptr<Surroundings> around_;
  std::shared_ptr<const StagedFile> staged_;
  std::string plugin_;
  std::shared_ptr<const config::Plugin> side_settings_;  // see Build
  std::optional<Library> library_;
  std::unique_ptr<Instance> instance_;
  bool quiesced_ = false;                        // control executor
  std::optional<asio::thread_pool> own_thread_;  // of a serial instance
  std::mutex log_mutex_;                         // guards log_
  OutputLog log_;
  const std::shared_ptr<NewsInbox> news_ = std::make_shared<NewsInbox>();  // I/O thread
  const std::shared_ptr<std::shared_ptr<Desk>> desk_place_ =
      std::make_shared<std::shared_ptr<Desk>>();  // I/O thread
  const std::shared_ptr<RunningCalls> calls_ = std::make_shared<RunningCalls>();
};

namespace {

using Core = InlineGeneration::Core;

// One call's answers, straight into its result. Holds the core: a pending call keeps the library.
class InlineSink final : public CallSink {
 public:
  InlineSink(std::shared_ptr<Core> core, std::shared_ptr<tool::Invocation> invocation,
             std::uint64_t number)
      : core_(std::move(core)),
        call_(std::move(invocation), core_->result_bytes()),
        number_(number) {}

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) override {
    if ((kind & TP_PARTIAL) != 0) tell_kept();  // which came before it
    return call_.push(kind, mime, bytes);
  }
  tp_status error(std::int32_t code, std::string_view message,
                  std::string_view json_data) override {
    return call_.error(code, message, json_data);
  }
  tp_status ask(std::string_view key, std::string_view method, std::string_view params) override {
    return call_.ask(key, method, params);
  }
  tp_status keep(std::string_view state) override { return call_.keep(state); }
  void progress(double done, double total, std::string_view message) override {
    if (steps_.take(done, total, message)) call_.progress(done, total, message);
  }
  void log(int level, std::string_view message, std::string_view json_fields) override {
    call_.log(level, core_->plugin(), message, json_fields);
    core_->log(level, message, json_fields);
  }
  void done(tp_status status) override {
    core_->calls().remove(number_);
    core_->instance().host_calls().call_ended(number_);
    tell_kept();
    call_.finish(status);
  }

 private:
  void tell_kept() {
    if (const auto kept = steps_.take_kept())
      call_.progress(kept->done, kept->total, kept->message);
  }

  std::shared_ptr<Core> core_;
  PendingCall call_;
  const std::uint64_t number_;
  ProgressRate steps_{system_clock()};
};

// The answer of an interceptor's function that runs at once. A function that is still pending when
// it has returned is adopted by an invocation.
class AtOnceSink final : public CallSink {
  enum class Phase : std::uint8_t { Running, Ended, Adopted };

 public:
  AtOnceSink(std::shared_ptr<Core> core, std::uint64_t number, tool::PassportPtr passport)
      : core_(std::move(core)), number_(number), passport_(std::move(passport)) {}

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) override {
    std::string partial;  // an interceptor's client gets no partial results of it
    return builder().push(kind, mime, bytes, partial);
  }
  tp_status error(std::int32_t code, std::string_view message,
                  std::string_view json_data) override {
    return builder().error(code, message, json_data);
  }
  tp_status ask(std::string_view key, std::string_view method, std::string_view params) override {
    return builder().ask(key, method, params);
  }
  tp_status keep(std::string_view state) override { return builder().keep(state); }
  void progress(double, double, std::string_view) override {}
  void log(int level, std::string_view message, std::string_view json_fields) override {
    core_->log(level, message, json_fields);
  }
  void done(tp_status status) override {
    core_->instance().host_calls().call_ended(number_);
    status_ = status;
    if (phase_.exchange(Phase::Ended) == Phase::Adopted) finish();
  }

  std::optional<tp_status> status() const {
    return phase_.load() == Phase::Ended ? std::optional(status_) : std::nullopt;
  }
  Result<std::string> answer(tp_status status, tool::Function function, std::string_view tool) {
    if (!builder_ && status == TP_OK) return std::string();
    HOST_TRY_ASSIGN(tool::CallResult result, builder().finish(status, function, tool));
    return std::move(result.structured);
  }
  void adopt(const std::shared_ptr<tool::Invocation>& invocation, tp_call* call) {
    core_->calls().add(number_, invocation, call);
    adopted_ = invocation;
    Phase running = Phase::Running;
    if (!phase_.compare_exchange_strong(running, Phase::Adopted)) finish();
  }

 private:
  ResultBuilder& builder() {
    if (!builder_) builder_.emplace(passport_->call, core_->result_bytes()).read_answer();
    return *builder_;
  }
  // Whoever comes last of done() and adopt().
  void finish() {
    const auto invocation = std::move(adopted_);
    core_->calls().remove(number_);
    invocation->finish(builder().finish(status_, invocation->function, invocation->name));
  }

  const std::shared_ptr<Core> core_;
  const std::uint64_t number_;
  const tool::PassportPtr passport_;
  std::optional<ResultBuilder> builder_;  // nullopt: the function has said nothing
  std::atomic<Phase> phase_ = Phase::Running;
  tp_status status_ = TP_OK;                   // of a function that has ended
  std::shared_ptr<tool::Invocation> adopted_;  // of a function that is adopted
};

}  // namespace

Result<void> InlineGeneration::Core::load(const Build& build, const SavedState* state) {
  side_settings_ = build.side_settings;
  HOST_TRY_ASSIGN(library_, Library::open(staged_->file));
  if (library_->descriptor().flags & TP_PLUGIN_NO_INLINE) {
    return Error{ErrorKind::PluginFault, "must not run inline: set isolation = \"worker\""};
  }
  HOST_TRY_ASSIGN(const std::string_view schema, library_->config_schema());
  HOST_TRY(check_settings(plugin_, schema, build.settings));
  const auto log_line = [this](int level, std::string_view message, std::string_view fields) {
    log(level, message, fields);
  };
  const auto send_news = [io = around_->io, inbox = std::weak_ptr(news_)](const News& told) {
    boost::asio::post(io, [inbox, told] {
      if (const auto there = inbox.lock()) there->put(told);
    });
  };
  HOST_TRY_ASSIGN(instance_, Instance::create(*library_, {build.settings, build.secrets},
                                              {log_line, send_news, road_to_services()}));
  if (instance_->serial() != build.manifest.serial) {
    return Error{ErrorKind::PluginFault, "its concurrency is not what it was when it was checked"};
  }
  if (state) HOST_TRY(instance_->restore(*state));
  if (instance_->serial()) own_thread_.emplace(1);
  HOST_TRY(instance_->activate());
  open_desk();
  instance_->open_services();
  return {};
}

// The desk belongs to the I/O thread: others only post to it.
HostCalls::Road InlineGeneration::Core::road_to_services() {
  const auto place = desk_place_;
  return {[io = around_->io, place](HostCall asked) {
            asio::post(io, [place, asked = std::move(asked)]() mutable {
              if (*place) static_cast<void>((*place)->take(std::move(asked)));
            });
          },
          [io = around_->io, place](std::uint64_t id) {
            asio::post(io, [place, id] {
              if (*place) (*place)->drop(id);
            });
          }};
}

void InlineGeneration::Core::open_desk() {
  const auto find = [calls = calls_](std::uint64_t call) { return calls->find(call); };
  const auto answer = [calls = instance_->weak_host_calls()](std::uint64_t id, HostAnswer given) {
    if (const auto there = calls.lock()) there->answered(id, std::move(given));
  };
  auto desk = std::make_shared<Desk>(plugin_, around_->services, find, answer, side_settings_);
  asio::post(around_->io, [place = desk_place_, desk = std::move(desk)] { *place = desk; });
}

void InlineGeneration::Core::close_desk() {
  asio::post(around_->io, [place = desk_place_] {
    if (*place) (*place)->close();
    place->reset();
  });
}

void InlineGeneration::Core::quiesce() {
  if (!std::exchange(quiesced_, true)) instance_->quiesce(around_->end_timeout);
}

void InlineGeneration::Core::retire() {
  if (instance_) quiesce();
  close_desk();
  if (own_thread_) own_thread_->join();
  instance_.reset();
  const bool pinned = library_ && (library_->pinned() || !staged_->stays_loaded.empty());
  if (pinned) {
    // Given up on purpose: it asked never to be unloaded, or would not go, or not whole.
    static_cast<void>(new Library(std::move(*library_)));
  }
  library_.reset();
  if (Library::is_loaded(staged_->file)) {
    ++around_->zombies;
    log::warning(
        "plugin",
        pinned
            ? "stays in memory: it " +
                  (staged_->stays_loaded.empty() ? "asked to" : staged_->stays_loaded)
            : "stays in memory although it was unloaded: "
              "build it with -fno-gnu-unique and hidden visibility, or use isolation = \"worker\"",
        {{"plugin", plugin_}});
  }
}

Result<std::shared_ptr<InlineGeneration::Core>> InlineGeneration::load(
    std::shared_ptr<Surroundings> around, const Build& build,
    std::shared_ptr<const SavedState> state) {
  const asio::any_io_executor control = around->control;
  const auto retire_elsewhere = [control](Core* core) {
    asio::post(control, [core] {
      core->retire();
      delete core;
    });
  };
  std::shared_ptr<Core> core(new Core(std::move(around), build.staged, build.plugin),
                             retire_elsewhere);
  HOST_TRY(core->load(build, state.get()));
  return core;
}

InlineGeneration::InlineGeneration(std::shared_ptr<Surroundings> surroundings, Build build,
                                   std::shared_ptr<Core> core)
    : Generation(std::move(surroundings), std::move(build)),
      core_(std::move(core)),
      calls_(core_->own_thread().value_or(around()->pool)) {}

InlineGeneration::~InlineGeneration() = default;

void InlineGeneration::begin(std::shared_ptr<tool::Invocation> invocation) {
  const std::uint64_t number = core_->calls().next_number();
  CallInfo info{number, deadline_ns(invocation->deadline), invocation->passport,
                abilities_of(*invocation), continuation_of(invocation)};
  tp_call* const call =
      Instance::open(std::move(info), std::make_shared<InlineSink>(core_, invocation, number));
  if (!call) {
    invocation->refuse(
        Error{ErrorKind::Unavailable, "too many calls are running: try again later"});
    return;
  }
  core_->calls().add(number, invocation, call);
  if (is_nonblocking(*invocation) && !core_->instance().serial()) {
    const MayNotWait here;  // answers come to this very thread
    core_->instance().run(call, invocation->function, tool_number(*invocation),
                          input_of(*invocation), invocation->context);
    return;
  }
  const tool::Caller* const outer = invocation->passport->caller.get();
  const bool nested = outer && !core_->instance().serial();
  const auto where = nested ? around()->nested_pool(outer->depth) : calls_;
  asio::post(where, [core = core_, call, invocation = std::move(invocation)] {
    core->instance().run(call, invocation->function, tool_number(*invocation),
                         input_of(*invocation), invocation->context);
  });
}

tool::AtOnce InlineGeneration::begin_at_once(tool::AtOnceCall& call) {
  if (!offer().intercepts.nonblocking || core_->instance().serial()) return tool::AtOnce::No;
  const std::uint64_t number = core_->calls().next_number();
  auto sink = std::make_shared<AtOnceSink>(core_, number, call.passport);
  CallInfo info{number, deadline_ns(call.deadline), call.passport, 0, nullptr, call.input};
  tp_call* const handle = Instance::open_running(std::move(info), sink);
  if (!handle) return tool::AtOnce::No;  // start() says why
  {
    const MayNotWait here;  // answers come to this very thread
    core_->instance().run_interception(handle, call.function, call.input, call.of);
  }
  if (const auto status = sink->status()) {
    call.answer = sink->answer(*status, call.function, call.of.tool);
    return tool::AtOnce::Ended;
  }
  call.adopt = [sink, handle](const std::shared_ptr<tool::Invocation>& invocation) {
    sink->adopt(invocation, handle);
  };
  return tool::AtOnce::Pending;
}

bool InlineGeneration::idle() const {
  return core_->idle();
}

void InlineGeneration::ask_for_state(Saved told) {
  asio::post(around()->control, [core = core_, io = around()->io, told = std::move(told)] {
    asio::post(io, [told, state = core->instance().save()] { told(state); });
  });
}

void InlineGeneration::end_instance() {
  asio::post(around()->control, [core = core_] { core->quiesce(); });
}

NewsInbox& InlineGeneration::news() {
  return core_->news();
}

void InlineGeneration::heard_news() {
  core_->instance().news().heard();
}

void InlineGeneration::stop(const std::shared_ptr<tool::Invocation>& invocation) {
  if (tp_call* const call = core_->calls().find(invocation.get())) core_->instance().cancel(call);
}

}  // namespace host::plugin
