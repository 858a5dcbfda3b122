// The interceptor steps of the call pipeline, in which plugins run around the calls of other
// plugins' tools. The configuration has the interceptors as [[interceptor]] entries, the outermost
// first. A call skips these steps if no entry covers it. The functions are called on the I/O
// thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/interception.h"
#include "tool/call/result.h"

namespace host::executor {
class Executor;
}

namespace host::router {

// The audit outcome of a call whose tool ran, but whose result the host withholds because an
// interceptor failed.
inline constexpr const char* kWithheld = "result_withheld";

class Interceptors {
 public:
  // `catalog` has the serving builds of the plugins. `argument_bytes` is the size limit for
  // arguments that an interceptor has changed.
  Interceptors(const tool::Catalog& catalog, executor::Executor& executor,
               std::vector<config::Interceptor> configured, std::uint64_t argument_bytes);

  // True if an entry covers the call. An entry never covers the tools of its own plugin.
  bool cover(const tool::Call& call, const Route& route) const;

  // Calls the function BeforeCall of the interceptors, before the host checks the arguments. If
  // before() returns a result, the call ends with that result. An Error means that the call was
  // cancelled.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> before(tool::Call& call,
                                                                         const Route& route);

  // Calls `run` between the EnterCall and LeaveCall functions of the interceptors. Returns the
  // result of `run`, with the changes that the interceptors made.
  using Run = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;
  boost::asio::awaitable<Result<tool::CallResult>> around(tool::Call& call, const Route& route,
                                                          const Run& run);

  // Returns the interceptors that would run around a call of this tool, one line each, for
  // `toolpost explain`.
  std::vector<std::string> describe(const tool::Call& call, const Route& route) const;

 private:
  friend class MessageFilter;

  // A layer is one interceptor of one call. All functions of the interceptor run in the build of
  // the plugin that ran EnterCall.
  struct Layer {
    const config::Interceptor* configured = nullptr;
    std::shared_ptr<tool::Provider> provider;  // null: the plugin does not serve
    std::string state;
    bool messages_failed = false;  // the interceptor gets no further messages, so that it cannot
                                   // delay the call
  };
  using Layers = std::vector<Layer>;

  bool covers(const config::Interceptor& one, const tool::Call& call, const Route& route) const;
  Layers layers_of(const tool::Call& call, const Route& route) const;
  // Returns nullopt if the interceptor has no such function.
  boost::asio::awaitable<std::optional<Result<tool::CallResult>>> run_function(
      const Layer& layer, tool::Function function, const tool::Call& call, const Route& route,
      std::string input);
  boost::asio::awaitable<Result<std::optional<tool::Interception>>> ask(const Layer& layer,
                                                                        tool::Function function,
                                                                        tool::Call& call,
                                                                        const Route& route,
                                                                        std::string input);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> enter(tool::Call& call,
                                                                        const Route& route,
                                                                        Layers& layers);
  boost::asio::awaitable<Result<tool::CallResult>> leave(tool::Call& call, const Route& route,
                                                         const Layers& layers,
                                                         tool::CallResult result);
  // Returns the message with the interceptors' changes. Returns nullopt if the host must not send
  // the message.
  boost::asio::awaitable<std::optional<tool::CallText>> pass_message(tool::Call& call,
                                                                     const Route& route,
                                                                     Layers& layers,
                                                                     tool::CallText message);

  const tool::Catalog& catalog_;
  executor::Executor& executor_;
  const std::vector<config::Interceptor> configured_;
  const std::uint64_t argument_bytes_;
};

}  // namespace host::router
