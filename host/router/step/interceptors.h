// The steps of the call pipeline in which plugins run around the calls of other plugins' tools: the
// [[interceptor]] entries of the configuration, the outermost first. A call that no entry covers
// skips these steps. I/O thread only.
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

// Audit outcome: the tool ran, and its result is withheld because an interceptor failed.
inline constexpr const char* kWithheld = "result_withheld";

class Interceptors {
 public:
  // `catalog`: the serving builds of the plugins. `argument_bytes`: the limit of changed arguments.
  Interceptors(const tool::Catalog& catalog, executor::Executor& executor,
               std::vector<config::Interceptor> configured, std::uint64_t argument_bytes);

  // True if an entry covers the call. An entry never covers the tools of its own plugin.
  bool cover(const tool::Call& call, const Route& route) const;

  // Runs before all checks of the arguments. A result ends the call. An Error: the call was
  // cancelled.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> before(tool::Call& call,
                                                                         const Route& route);

  // Runs `run` inside the interceptors: enter, run, leave. Returns the result, as the interceptors
  // changed it.
  using Run = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;
  boost::asio::awaitable<Result<tool::CallResult>> around(tool::Call& call, const Route& route,
                                                          const Run& run);

  // The interceptors that would run around a call of this tool, one line each, for `toolpost
  // explain`.
  std::vector<std::string> describe(const tool::Call& call, const Route& route) const;

 private:
  friend class MessageFilter;

  // An interceptor of one call. All its functions run in the build that ran EnterCall.
  struct Layer {
    const config::Interceptor* configured = nullptr;
    std::shared_ptr<tool::Provider> provider;  // null: the plugin does not serve
    std::string state;
    bool messages_failed = false;  // it gets no further messages, so that it cannot delay the call
  };
  using Layers = std::vector<Layer>;

  bool covers(const config::Interceptor& one, const tool::Call& call, const Route& route) const;
  Layers layers_of(const tool::Call& call, const Route& route) const;
  // nullopt: the interceptor has no such function.
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
  // The message, as the interceptors changed it. nullopt: the message must not be sent.
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
