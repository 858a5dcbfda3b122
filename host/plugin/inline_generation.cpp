#include "plugin/inline_generation.h"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "plugin/instance.h"
#include "plugin/library.h"
#include "plugin/manifest_writer.h"
#include "plugin/output_log.h"
#include "plugin/pending_call.h"
#include "plugin/settings_check.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kProgressPause{50};

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
  void retire();

  Instance& instance() { return *instance_; }
  NewsInbox& news() { return *news_; }
  const std::string& plugin() const { return plugin_; }
  std::uint64_t result_bytes() const { return around_->result_bytes; }
  void log(int level, std::string_view message, std::string_view fields) {
    const std::lock_guard lock(log_mutex_);
    log_.plugin_line(level, message, fields);
  }

  void add(const tool::Invocation* invocation, tp_call* call) {
    const std::lock_guard lock(calls_mutex_);
    calls_.emplace(invocation, call);
  }
  void remove(const tool::Invocation* invocation) {
    const std::lock_guard lock(calls_mutex_);
    calls_.erase(invocation);
  }
  bool idle() {
    const std::lock_guard lock(calls_mutex_);
    return calls_.empty();
  }
  tp_call* find(const tool::Invocation* invocation) {
    const std::lock_guard lock(calls_mutex_);
    const auto at = calls_.find(invocation);
    return at == calls_.end() ? nullptr : at->second;
  }

 private:
  std::shared_ptr<Surroundings> around_;
  std::shared_ptr<const StagedFile> staged_;
  std::string plugin_;
  std::optional<Library> library_;
  std::unique_ptr<Instance> instance_;
  std::mutex log_mutex_;  // guards log_
  OutputLog log_;
  const std::shared_ptr<NewsInbox> news_ = std::make_shared<NewsInbox>();  // I/O thread
  std::mutex calls_mutex_;                                                 // guards calls_
  std::unordered_map<const tool::Invocation*, tp_call*> calls_;
};

namespace {

using Core = InlineGeneration::Core;

// One call's answers, straight into its result. Holds the core: a pending call keeps the library.
class InlineSink final : public CallSink {
 public:
  InlineSink(std::shared_ptr<Core> core, std::shared_ptr<tool::Invocation> invocation)
      : core_(std::move(core)), call_(std::move(invocation), core_->result_bytes()) {}

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) override {
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
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < next_progress_) return;
    next_progress_ = now + kProgressPause;
    call_.progress(done, total, message);
  }
  void log(int level, std::string_view message, std::string_view json_fields) override {
    call_.log(level, core_->plugin(), message, json_fields);
    core_->log(level, message, json_fields);
  }
  void done(tp_status status) override {
    core_->remove(call_.invocation().get());
    call_.finish(status);
  }

 private:
  std::shared_ptr<Core> core_;
  PendingCall call_;
  SteadyTime next_progress_{};
};

}  // namespace

Result<void> InlineGeneration::Core::load(const Build& build, const SavedState* state) {
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
  HOST_TRY_ASSIGN(instance_, Instance::create(*library_, build.settings, log_line, send_news));
  if (instance_->serial() != build.manifest.serial) {
    return Error{ErrorKind::PluginFault, "its concurrency is not what it was when it was checked"};
  }
  if (state) HOST_TRY(instance_->restore(*state));
  return instance_->activate();
}

void InlineGeneration::Core::retire() {
  if (instance_) instance_->quiesce(around_->drain_timeout);
  instance_.reset();
  const bool pinned = library_ && library_->pinned();
  if (pinned) {
    // Given up on purpose: it asked never to be unloaded.
    static_cast<void>(new Library(std::move(*library_)));
  }
  library_.reset();
  if (Library::is_loaded(staged_->file)) {
    ++around_->zombies;
    log::warning(
        "plugin",
        pinned
            ? "stays in memory, as it asked"
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
      calls_(around()->pool) {
  if (core_->instance().serial()) calls_ = asio::make_strand(around()->pool);
}

InlineGeneration::~InlineGeneration() = default;

void InlineGeneration::begin(std::shared_ptr<tool::Invocation> invocation) {
  CallInfo info{deadline_ns(*invocation),   invocation->principal,
                invocation->session,        invocation->id,
                invocation->traceparent,    abilities_of(*invocation),
                continuation_of(invocation)};
  tp_call* const call =
      Instance::open(std::move(info), std::make_shared<InlineSink>(core_, invocation));
  if (!call) {
    invocation->finish(
        Error{ErrorKind::Unavailable, "too many calls are running: try again later"});
    return;
  }
  core_->add(invocation.get(), call);
  if (is_nonblocking(*invocation) && !core_->instance().serial()) {
    core_->instance().run(call, entry_of(invocation->function), tool_number(*invocation),
                          invocation->arguments, invocation->context);
    return;
  }
  asio::post(calls_, [core = core_, call, invocation = std::move(invocation)] {
    core->instance().run(call, entry_of(invocation->function), tool_number(*invocation),
                         invocation->arguments, invocation->context);
  });
}

bool InlineGeneration::idle() const {
  return core_->idle();
}

void InlineGeneration::save_state(Saved told) {
  asio::post(around()->control, [core = core_, io = around()->io, told = std::move(told)] {
    asio::post(io, [told, state = core->instance().save()] { told(state); });
  });
}

NewsInbox& InlineGeneration::news() {
  return core_->news();
}

void InlineGeneration::heard_news() {
  core_->instance().news().heard();
}

void InlineGeneration::stop(const std::shared_ptr<tool::Invocation>& invocation) {
  if (tp_call* const call = core_->find(invocation.get())) core_->instance().cancel(call);
}

}  // namespace host::plugin
