#include "executor/executor.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>
#include <thread>

#include "base/log.h"
#include "json/json.h"
#include "tool/definition/question_key.h"
#include "tool/definition/upstream_state.h"

namespace host::executor {
namespace {

using boost::asio::awaitable;

constexpr auto kFunctionTimeout = std::chrono::seconds(5);

// The answers to the host's own questions are approvals and one-time codes, which nobody else may
// read.
bool is_for_host(const tool::Answers::value_type& answer) {
  return tool::is_host_key(answer.first);
}

// Arguments that the host added to the tool's schema, and that the tool itself would refuse.
std::string without(const std::vector<std::string>& withheld, const json::Document& arguments) {
  json::Document given = arguments.clone();
  if (given.root().IsObject()) {
    for (const std::string& name : withheld)
      given.root().RemoveMember(json::string(name, given.allocator()));
  }
  return json::write(given.root());
}

// A call that skipped the arguments step has no text yet.
std::string text_of(const tool::Call& call, const tool::Tool* tool) {
  if (call.function == tool::Function::ReadResource) return {};  // its name is all that it needs
  if (tool && !tool->declared().withheld.empty())
    return without(tool->declared().withheld, call.arguments);
  return call.arguments_text.empty() ? json::write(call.arguments.root()) : call.arguments_text;
}

std::string words_for(const tool::Invocation& invocation, const tool::Provider& provider) {
  return invocation.tool ? "tool \"" + invocation.tool->name() + "\""
                         : "provider \"" + provider.name() + "\"";
}

// The state and the answers of a call are for the provider that asked.
Error asked_by_upstream(const tool::Call& call) {
  return {ErrorKind::InvalidArgument,
          "the call that asked cannot continue: an upstream asked its question, and \"" +
              call.name + "\" is not of an upstream any more. Call again without a requestState"};
}

}  // namespace

// The shared state of an invocation and the coroutine that waits for it. Either may end first.
class Executor::Run : public std::enable_shared_from_this<Run> {
 public:
  Run(boost::asio::any_io_executor io, std::shared_ptr<tool::Provider> provider,
      tool::Observer* observer, Slot slot, std::shared_ptr<std::size_t> running)
      : provider_(std::move(provider)),
        io_(std::move(io)),
        observer_(observer),
        slot_(std::move(slot)),
        running_(std::move(running)) {}

  // Any thread: a provider may drop an invocation that it has not finished.
  ~Run() {
    if (while_running) boost::asio::post(io_, [kept = std::move(while_running)] {});
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  tool::Invocation invocation;
  std::shared_ptr<void> while_running;  // see tool::Call
  std::optional<Result<tool::CallResult>> result;
  std::shared_ptr<Cancel> caller;  // the call's own cancellation; the invocation has a second one

  void start(const tool::AtOnceCall::Adopt& adopt = nullptr) {
    ++*running_;
    invocation.set_on_finish([this](Result<tool::CallResult>&& given) { end(std::move(given)); });
    if (observer_) watch();
    if (adopt) return adopt(shared_invocation());
    const auto provider = provider_;  // finish() may come before start() returns
    provider->start(shared_invocation());
  }

  void give_up_late() {
    if (result) return;
    give_up({ErrorKind::DeadlineExceeded,
             words_for(invocation, *provider_) + " did not answer within its time"});
  }

  // The caller no longer waits: asks the provider to stop and drops its answer.
  void give_up(Error why) {
    if (result) return;
    result = std::move(why);
    end_watching();
    given_up_at_ = std::chrono::steady_clock::now();
    invocation.cancel->request();
    if (const auto provider = provider_) provider->cancel(shared_invocation());
  }

  void end_watching() { observer_ = nullptr; }

  boost::asio::steady_timer* waiting = nullptr;

 private:
  // Who has the invocation has the run, so that a call costs one piece of memory for both.
  std::shared_ptr<tool::Invocation> shared_invocation() {
    return {shared_from_this(), &invocation};
  }

  // Any thread. Who ends the invocation may drop it meanwhile, so the run is kept.
  void end(Result<tool::CallResult>&& given) {
    auto self = shared_from_this();
    if (std::this_thread::get_id() == io_thread_) return finish(std::move(given));
    boost::asio::post(io_, [self = std::move(self), given = std::move(given)]() mutable {
      self->finish(std::move(given));
    });
  }

  void watch() {
    if (observer_->wants_progress()) {
      invocation.on_progress = [self = weak_from_this()](double done, double total,
                                                         std::string message) {
        if (const auto run = self.lock()) {
          run->tell([done, total, message = std::move(message)](tool::Observer& observer) {
            observer.progress(done, total, message);
          });
        }
      };
    }
    if (!observer_->wants_log()) return;
    invocation.messages_are_filtered = observer_->filters();
    invocation.on_log = [self = weak_from_this()](int level, std::string logger,
                                                  std::string message, std::string fields) {
      if (const auto run = self.lock()) {
        run->tell([level, logger = std::move(logger), message = std::move(message),
                   fields = std::move(fields)](tool::Observer& observer) {
          observer.log(level, logger, message, fields);
        });
      }
    };
  }

  // On the I/O thread this runs at once, so that progress reported before finish() arrives before
  // the result.
  template <class Words>
  void tell(Words words) {
    if (std::this_thread::get_id() != io_thread_) {
      boost::asio::post(io_, [self = shared_from_this(), words = std::move(words)] {
        if (self->observer_) words(*self->observer_);
      });
    } else if (observer_) {
      words(*observer_);
    }
  }

  void finish(Result<tool::CallResult>&& given) {
    --*running_;
    slot_.release();
    while_running = nullptr;
    if (!result) {
      result = std::move(given);
      end_watching();
      if (waiting) waiting->cancel();
    } else {
      report_late();
    }
    provider_.reset();
  }

  void report_late() const {
    const auto late = std::chrono::steady_clock::now() - given_up_at_;
    if (late < std::chrono::seconds(2)) return;
    log::warning(
        "executor", "a call ended long after it was given up",
        {{"of", words_for(invocation, *provider_)},
         {"call", invocation.passport->call},
         {"late_ms",
          std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(late).count())}});
  }

  std::shared_ptr<tool::Provider> provider_;  // kept until it has finished
  const boost::asio::any_io_executor io_;
  const std::thread::id io_thread_ = std::this_thread::get_id();
  tool::Observer* observer_;
  Slot slot_;
  std::shared_ptr<std::size_t> running_;
  SteadyTime given_up_at_{};
};

Executor::Executor(boost::asio::any_io_executor io) : io_(std::move(io)) {}

void Executor::tell_dangerous_paths(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) dangerous_paths_ += entry + "\n";
}

tool::PassportPtr Executor::passport_for(const tool::Tool* tool, const tool::Call& call) const {
  if (dangerous_paths_.empty() || !tool || tool->declared().path_args.empty()) return call.passport;
  return tool::with_value(*call.passport, kDangerousPaths, dangerous_paths_);
}

awaitable<Result<tool::CallResult>> Executor::run(std::shared_ptr<tool::Provider> provider,
                                                  std::shared_ptr<const tool::Tool> tool,
                                                  tool::Call& call, Slot slot) {
  const bool is_of_host = provider->identity().is_host();
  const bool is_of_upstream = provider->identity().is_upstream();
  auto run =
      std::make_shared<Run>(io_, std::move(provider), call.observer, std::move(slot), running_);
  tool::Invocation& invocation = run->invocation;
  invocation.passport = passport_for(tool.get(), call);
  if (!tool) invocation.name = call.name;
  invocation.arguments = text_of(call, tool.get());
  invocation.tool = std::move(tool);
  invocation.function = call.function;
  invocation.deadline = call.deadline;
  if (call.asker) invocation.abilities = call.asker->abilities();
  invocation.continuation = call.continuation;
  if (!is_of_host) std::erase_if(invocation.continuation.answers, is_for_host);
  invocation.judged_to_read = call.judged_to_read;
  invocation.approved = call.approved;
  invocation.outlives = call.outlives;
  invocation.cancel = std::make_shared<Cancel>();
  call.ran = false;
  call.may_have_acted = false;
  call.refusal_data.clear();
  if (call.cancel->requested()) co_return Error{ErrorKind::Cancelled, "cancelled before it began"};
  if (!is_of_upstream && tool::is_upstream_state(call.continuation.state))
    co_return asked_by_upstream(call);
  run->caller = call.cancel;
  run->while_running = call.while_running;
  run->start();
  Result<tool::CallResult> result = Error{};
  if (run->result) {  // a provider that never blocks has already answered
    result = std::move(*run->result);
  } else {
    result = co_await wait_for(run);
  }
  if (!invocation.outcome.empty()) call.outcome = invocation.outcome;
  call.ran = !invocation.refused;
  call.may_have_acted = invocation.may_have_acted;
  call.refusal_data = std::move(invocation.refusal_data);
  co_return result;
}

awaitable<Result<tool::CallResult>> Executor::ask(std::shared_ptr<tool::Provider> provider,
                                                  std::shared_ptr<const tool::Tool> tool,
                                                  tool::Function function, const tool::Call& call,
                                                  std::string context) {
  auto run = std::make_shared<Run>(io_, std::move(provider), nullptr, Slot{}, running_);
  tool::Invocation& invocation = run->invocation;
  invocation.arguments = text_of(call, tool.get());
  invocation.tool = std::move(tool);
  invocation.function = function;
  invocation.context = std::move(context);
  invocation.passport = call.passport;
  invocation.deadline = std::chrono::steady_clock::now() + kFunctionTimeout;
  invocation.cancel = std::make_shared<Cancel>();
  run->caller = call.cancel;
  run->start();
  auto result = co_await wait_for(run);
  co_return result;
}

// The function begins before this returns, and costs no coroutine of its own.
awaitable<Result<tool::CallResult>> Executor::intercept(std::shared_ptr<tool::Provider> provider,
                                                        const tool::Call& call,
                                                        Interception&& what) {
  auto run = std::make_shared<Run>(io_, std::move(provider), nullptr, Slot{}, running_);
  tool::Invocation& invocation = run->invocation;
  invocation.function = what.function;
  invocation.name = call.name;
  invocation.arguments = std::move(what.input);
  invocation.context = std::move(what.context);
  invocation.passport = call.passport;
  invocation.nonblocking = what.nonblocking;
  invocation.deadline = what.deadline;
  invocation.cancel = std::make_shared<Cancel>();
  run->caller = call.cancel;
  if (call.cancel->requested() && !what.adopt) {
    run->result = Error{ErrorKind::Cancelled, "cancelled before it began"};
  } else {
    run->start(what.adopt);
  }
  return wait_for(std::move(run));
}

awaitable<Result<tool::CallResult>> Executor::wait_for(std::shared_ptr<Run> run) {
  if (run->result) co_return std::move(*run->result);
  boost::asio::steady_timer timer(io_, run->invocation.deadline);
  const auto registration = run->caller->on_cancel([&run] {
    run->give_up(Error{ErrorKind::Cancelled, "cancelled"});
    if (run->waiting) run->waiting->cancel();
  });
  if (!run->result) {
    run->waiting = &timer;
    constexpr auto token = boost::asio::as_tuple(boost::asio::deferred);
    const auto [ended] = co_await timer.async_wait(token);
    (void)ended;
    run->waiting = nullptr;
  }
  run->give_up_late();
  run->end_watching();
  co_return std::move(*run->result);
}

}  // namespace host::executor
