// The interceptor steps of the call pipeline, in which plugins run around the calls of other
// plugins' tools. The configuration contains the interceptors as [[interceptor]] entries, the
// outermost first. If no [[interceptor]] entry covers a call, the call skips the interceptor steps.
// The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "executor/executor.h"
#include "router/step/interceptor_effect.h"
#include "router/view/route.h"
#include "tool/call/at_once.h"
#include "tool/call/call.h"
#include "tool/call/interception.h"
#include "tool/call/result.h"

namespace host::router {

// A function of an interceptor that has started on the I/O thread and has not ended.
struct BegunFunction {
  tool::AtOnceCall::Adopt adopt;  // null: the function has not begun
  SteadyTime deadline{};
};

// The progress of a call through the BeforeCall functions of its interceptors.
struct BeforeProgress {
  std::size_t next = 0;  // the index of the first [[interceptor]] entry that is not done
  bool waits = false;    // true: Interceptors::before() must wait for this entry
  BegunFunction begun;   // the function of that entry, if it has begun
  std::optional<tool::CallResult> result;  // if set, the call ends with this result
};

class Interceptors {
 public:
  using Begun = BegunFunction;
  using Before = BeforeProgress;

  // `catalog` contains the builds of the plugins that are in use. `argument_bytes` is the size
  // limit for arguments that an interceptor has changed. If a BeforeCall function failed, the host
  // checks the call's arguments, and `turns` limits and counts these checks. `turns` must outlive
  // all calls of the Interceptors.
  Interceptors(const tool::Catalog& catalog, executor::Executor& executor,
               std::vector<config::Interceptor> configured, std::uint64_t argument_bytes,
               CheckTurns& turns);

  // Returns true if an [[interceptor]] entry covers the call. An [[interceptor]] entry never covers
  // the tools of the plugin that it names.
  bool cover(const tool::Call& call, const Route& route) const;

  // Calls the BeforeCall functions of the interceptors, before the host checks the arguments.
  // before_at_once() stops at the first BeforeCall function that must wait. before() continues with
  // that function. If before() returns a result, the call ends with that result. An Error means
  // that the call was cancelled.
  Before before_at_once(tool::Call& call, const Route& route, std::size_t first = 0);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> before(tool::Call& call,
                                                                         const Route& route,
                                                                         Before from = {});

  // Says which functions of interceptors around() would call. `Nothing` means that around() would
  // call no function, so the caller can skip around(). `AfterRun` means that around() calls
  // functions of interceptors only during and after the tool's run. `Enter` means that around()
  // also calls EnterCall before the tool's run. While EnterCall runs, files and rules may change.
  enum class Around { Nothing, AfterRun, Enter };
  Around around_of(const tool::Call& call, const Route& route) const;

  // Calls `run` between the EnterCall and LeaveCall functions of the interceptors. Returns the
  // result of `run`, with the changes that the interceptors made.
  using Run = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;
  boost::asio::awaitable<Result<tool::CallResult>> around(tool::Call& call, const Route& route,
                                                          const Run& run);

  // Sets a function that gets each failed interceptor's name and the reason. Only `toolpost call`
  // and `toolpost explain` use on_failure(), because they show the reason to the operator. If a
  // function is set, error results omit the hint that the operator can read the reason in the
  // host's log.
  void on_failure(std::function<void(const std::string& plugin, const std::string& why)> act) {
    on_failure_ = std::move(act);
  }

  // Returns the interceptors that would run around a call of this tool, one per line, for `toolpost
  // explain`.
  std::vector<std::string> describe(const tool::Call& call, const Route& route) const;

 private:
  friend class MessageFilter;

  // A layer is one interceptor of one call. All functions of the interceptor run in the build of
  // the plugin that ran EnterCall.
  struct Layer {
    const config::Interceptor* configured = nullptr;
    std::shared_ptr<tool::Provider> provider;  // null: the plugin does not serve
    std::string state;
    bool messages_failed = false;  // true: the interceptor gets no further messages of the call
  };
  using Layers = std::vector<Layer>;
  // The answer of an interceptor's function. The value nullopt means that the interceptor failed.
  using Asked = std::optional<tool::Interception>;
  // The outcome of an attempt to call an interceptor's function without waiting. `Unchanged` means
  // that the function answered and changes nothing. `Answered` means that the function returned an
  // answer with changes. `Waits` means that the function has no answer yet: ask() must get the
  // answer.
  enum class Attempt { Unchanged, Answered, Waits };

  bool covers(const config::Interceptor& one, const tool::Call& call, const Route& route) const;
  // For each [[interceptor]] entry, `providers` contains the build of the entry's plugin that is in
  // use, in the order of the entries. A null pointer means that no build of the plugin is in use.
  // The builds are looked up once for each snapshot of the catalog. Use the pointers in `providers`
  // before the I/O thread runs other code.
  struct Serving {
    std::weak_ptr<const tool::Snapshot> as_of;
    std::vector<tool::Provider*> providers;
    bool only_before = false;  // true: all entries have only the function BeforeCall
  };
  const Serving& serving() const;
  Layer layer_of(const config::Interceptor& one) const;
  Layers layers_of(const tool::Call& call, const Route& route) const;
  // If ask_at_once() returns Answered, `asked` has the answer. If ask_at_once() returns Waits
  // although the interceptor's function has started, `begun` refers to that function.
  Attempt ask_at_once(const config::Interceptor& one, tool::Provider* provider,
                      tool::Function function, tool::Call& call, const Route& route,
                      std::string_view input, const std::string& state, Asked& asked,
                      Begun& begun) const;
  // Writes to `what` the data that executor::Executor::intercept() needs. Call describe_to() only
  // for a function that the interceptor implements. Returns the Error if the function cannot run.
  static std::optional<Error> describe_to(executor::Executor::Interception& what,
                                          const Layer& layer, tool::Function function,
                                          const tool::Call& call, const Route& route,
                                          std::string input, Begun begun);
  // Calls the interceptor's function, unless the call `begun` is already in progress, and waits for
  // the answer. The JSON text of the answer is in CallResult::structured.
  boost::asio::awaitable<Result<tool::CallResult>> ask(const Layer& layer, tool::Function function,
                                                       const tool::Call& call, const Route& route,
                                                       std::string input, Begun begun = {});
  // Reads what ask() returned. Never returns `Waits`. An Error means that the call was cancelled.
  Result<Attempt> take(tool::Call& call, const config::Interceptor& one, tool::Function function,
                       Result<tool::CallResult>&& answer, Asked& asked) const;
  // Reads the answer. If the interceptor failed, records the failure and leaves `asked` as nullopt.
  Attempt take_answer(tool::Call& call, const config::Interceptor& one, tool::Function function,
                      const Result<std::string>& answer, Asked& asked) const;
  // Applies an answer of an interceptor's function BeforeCall. If take_before() returns a result,
  // the call ends with that result.
  std::optional<tool::CallResult> take_before(tool::Call& call, const Route& route,
                                              const config::Interceptor& one, Asked asked) const;
  void failed(tool::Call& call, const config::Interceptor& one, const Error& why) const;
  Failed kind_of_failure(const config::Interceptor& one) const;
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> enter(tool::Call& call,
                                                                        const Route& route,
                                                                        Layers& layers);
  boost::asio::awaitable<Result<tool::CallResult>> leave(tool::Call& call, const Route& route,
                                                         const Layers& layers,
                                                         tool::CallResult result);
  // Returns the message to the client, with the interceptors' changes. Returns nullopt if the host
  // must not send the message.
  boost::asio::awaitable<std::optional<tool::CallText>> pass_message(tool::Call& call,
                                                                     const Route& route,
                                                                     Layers& layers,
                                                                     tool::CallText message);

  const tool::Catalog& catalog_;
  executor::Executor& executor_;
  const std::vector<config::Interceptor> configured_;
  const std::uint64_t argument_bytes_;
  CheckTurns& turns_;
  mutable Serving serving_;
  std::function<void(const std::string& plugin, const std::string& why)> on_failure_;
};

}  // namespace host::router
