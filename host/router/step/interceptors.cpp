#include "router/step/interceptors.h"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"
#include "router/step/message_filter.h"
#include "tool/call/intercepted.h"
#include "tool/call/intercepts.h"
#include "tool/definition/name_pattern.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using tool::Function;

constexpr const char* kRefused = "intercepted";  // audit outcome

std::string named(const config::Interceptor& one) {
  return "interceptor \"" + one.plugin + "\"";
}

bool is_cancel(const tool::Call& call, const Error& error) {
  return error.kind == ErrorKind::Cancelled && call.cancel->requested();
}

bool is_open(const config::Interceptor& one) {
  return one.fail == config::FailureMode::Open;
}

tool::CallResult refused(tool::Call& call, const std::string& words) {
  call.outcome = kRefused;
  return tool::CallResult::error(words);
}

tool::Intercepted intercepted_by(const tool::Call& call, const Route& route,
                                 const std::string& state) {
  return {call.name, route.provider->name(), state};
}

// True if nothing has to run, because the plugin has no such function.
bool lacks(const tool::Provider* provider, Function function) {
  if (!provider) return false;  // which is a failure
  const tool::Intercepts& intercepts = provider->offer().intercepts;
  return intercepts.any() && !tool::has(intercepts, function);
}

// The end of the time of one function. What runs before the tool's end also ends with the call's
// time.
SteadyTime deadline_for(const config::Interceptor& one, Function function, const tool::Call& call,
                        SteadyTime now) {
  const SteadyTime own = now + one.timeout;
  const bool is_within = function == Function::EnterCall || function == Function::CallMessage;
  return is_within && call.deadline != SteadyTime{} ? std::min(own, call.deadline) : own;
}

bool reads_arguments(const tool::Provider* provider) {
  return provider && !provider->offer().intercepts.no_arguments;
}

awaitable<Result<tool::CallResult>> ended(Error why) {
  co_return why;
}

// What a client lacks is reported in the host's own words, but an upstream can add its own text.
bool is_no_result_yet(const tool::CallResult& result) {
  return result.round || (!result.lacking.empty() && result.content.empty());
}

}  // namespace

Interceptors::Interceptors(const tool::Catalog& catalog, executor::Executor& executor,
                           std::vector<config::Interceptor> configured,
                           std::uint64_t argument_bytes, CheckTurns& turns)
    : catalog_(catalog),
      executor_(executor),
      configured_(std::move(configured)),
      argument_bytes_(argument_bytes),
      turns_(turns) {}

bool Interceptors::covers(const config::Interceptor& one, const tool::Call& call,
                          const Route& route) const {
  const tool::ProviderIdentity& identity = route.provider->identity();
  if (identity.is_plugin() && identity.name == one.plugin) return false;
  if (one.agents) {
    const std::string& agent = call.passport->who.agent;
    if (std::find(one.agents->begin(), one.agents->end(), agent) == one.agents->end()) return false;
  }
  return std::any_of(one.tools.begin(), one.tools.end(), [&](const std::string& pattern) {
    return tool::fits_pattern(pattern, call.name);
  });
}

bool Interceptors::cover(const tool::Call& call, const Route& route) const {
  return std::any_of(configured_.begin(), configured_.end(),
                     [&](const config::Interceptor& one) { return covers(one, call, route); });
}

const Interceptors::Serving& Interceptors::serving() const {
  const auto& snapshot = catalog_.snapshot();
  const bool is_new = serving_.providers.size() != configured_.size() ||
                      serving_.as_of.owner_before(snapshot) ||
                      snapshot.owner_before(serving_.as_of);
  if (!is_new) return serving_;
  serving_ = {snapshot, {}, true};
  for (const config::Interceptor& one : configured_) {
    tool::Provider* const provider = catalog_.plugin(one.plugin).get();
    serving_.providers.push_back(provider);
    serving_.only_before = serving_.only_before && lacks(provider, Function::EnterCall) &&
                           lacks(provider, Function::CallMessage) &&
                           lacks(provider, Function::LeaveCall);
  }
  return serving_;
}

Interceptors::Layer Interceptors::layer_of(const config::Interceptor& one) const {
  return {&one, catalog_.plugin(one.plugin), {}};
}

Interceptors::Layers Interceptors::layers_of(const tool::Call& call, const Route& route) const {
  Layers layers;
  for (const config::Interceptor& one : configured_) {
    if (covers(one, call, route)) layers.push_back(layer_of(one));
  }
  return layers;
}

// The log has the details. The caller gets only what it can act on.
void Interceptors::failed(tool::Call& call, const config::Interceptor& one,
                          const Error& why) const {
  note_failure(call, one);
  log::warning("router", "an interceptor failed",
               {{"interceptor", one.plugin},
                {"call", call.passport->call},
                {"tool", call.name},
                {"why", why.message}});
  if (on_failure_) on_failure_(one.plugin, why.message);
}

Failed Interceptors::kind_of_failure(const config::Interceptor& one) const {
  const auto provider = catalog_.plugin(one.plugin);
  if (provider && !provider->offer().intercepts.any()) return Failed::NotAnInterceptor;
  return on_failure_ ? Failed::FunctionAsTold : Failed::Function;
}

Interceptors::Attempt Interceptors::take_answer(tool::Call& call, const config::Interceptor& one,
                                                Function function,
                                                const Result<std::string>& answer,
                                                Asked& asked) const {
  if (answer && answer->empty()) return Attempt::Unchanged;
  auto read = answer ? tool::read_interception(function, *answer, argument_bytes_)
                     : Result<tool::Interception>(answer.error());
  if (read) {
    asked = *std::move(read);
  } else {
    failed(call, one, read.error());
  }
  return Attempt::Answered;
}

// A function that cannot run at once is left to ask(), also if that only says why it failed.
Interceptors::Attempt Interceptors::ask_at_once(const config::Interceptor& one,
                                                tool::Provider* provider, Function function,
                                                tool::Call& call, const Route& route,
                                                std::string_view input, const std::string& state,
                                                Asked& asked, Begun& begun) const {
  if (!provider || !provider->offer().intercepts.nonblocking) return Attempt::Waits;
  const SteadyTime now = steady_now();
  const SteadyTime deadline = deadline_for(one, function, call, now);
  if (deadline <= now || call.cancel->requested()) return Attempt::Waits;
  tool::AtOnceCall what{function, intercepted_by(call, route, state), input, call.passport,
                        deadline};
  const tool::AtOnce done = provider->run_at_once(what);
  if (done == tool::AtOnce::Pending) begun = {std::move(what.adopt), deadline};
  if (done != tool::AtOnce::Ended) return Attempt::Waits;
  if (steady_now() > deadline)
    what.answer = Error{ErrorKind::DeadlineExceeded, "it did not answer within its time"};
  return take_answer(call, one, function, what.answer, asked);
}

std::optional<Error> Interceptors::describe_to(executor::Executor::Interception& what,
                                               const Layer& layer, Function function,
                                               const tool::Call& call, const Route& route,
                                               std::string input, Begun begun) {
  if (!layer.provider) {
    return Error{ErrorKind::Unavailable, "the plugin \"" + layer.configured->plugin +
                                             "\" is not served: see `toolpost plugins`"};
  }
  const tool::Intercepts& intercepts = layer.provider->offer().intercepts;
  if (!intercepts.any()) {
    return Error{ErrorKind::PluginFault,
                 "the plugin \"" + layer.configured->plugin + "\" does not offer tp.interceptor/1"};
  }
  const SteadyTime now = steady_now();
  what.deadline =
      begun.adopt ? begun.deadline : deadline_for(*layer.configured, function, call, now);
  if (what.deadline <= now && !begun.adopt)
    return Error{ErrorKind::DeadlineExceeded, "the time of the call was over"};
  what.function = function;
  what.input = std::move(input);
  what.context = tool::write_intercepted(intercepted_by(call, route, layer.state));
  what.nonblocking = intercepts.nonblocking;
  what.adopt = std::move(begun.adopt);
  return std::nullopt;
}

// Costs no coroutine of its own, unless the function cannot run.
awaitable<Result<tool::CallResult>> Interceptors::ask(const Layer& layer, Function function,
                                                      const tool::Call& call, const Route& route,
                                                      std::string input, Begun begun) {
  executor::Executor::Interception what;
  auto why = describe_to(what, layer, function, call, route, std::move(input), std::move(begun));
  if (why) return ended(*std::move(why));
  return executor_.intercept(layer.provider, call, std::move(what));
}

Result<Interceptors::Attempt> Interceptors::take(tool::Call& call, const config::Interceptor& one,
                                                 Function function,
                                                 Result<tool::CallResult>&& answer,
                                                 Asked& asked) const {
  if (answer) return take_answer(call, one, function, std::move(answer->structured), asked);
  if (is_cancel(call, answer.error())) return std::move(answer).error();
  return take_answer(call, one, function, std::move(answer).error(), asked);
}

std::optional<tool::CallResult> Interceptors::take_before(tool::Call& call, const Route& route,
                                                          const config::Interceptor& one,
                                                          Asked asked) const {
  if (!asked && is_open(one)) return std::nullopt;
  if (!asked) return refused_by_failure(call, route, one, kind_of_failure(one), &turns_);
  add_context(call, one, *asked);
  if (!asked->refusal.empty()) {
    note(call, one, "refused the call");
    return refused(call, asked->refusal);
  }
  if (asked->result) {
    note(call, one, "answered the call");
    return std::move(asked->result);
  }
  if (asked->arguments) change_arguments(call, route, one, *std::move(asked->arguments));
  return std::nullopt;
}

Interceptors::Before Interceptors::before_at_once(tool::Call& call, const Route& route,
                                                  std::size_t first) {
  Before at;
  at.next = first;
  std::string input;  // is written once for functions that do not change it
  for (; at.next < configured_.size(); ++at.next) {
    const config::Interceptor& one = configured_[at.next];
    if (!covers(one, call, route)) continue;
    tool::Provider* const provider = serving().providers[at.next];
    if (lacks(provider, Function::BeforeCall)) continue;
    const bool reads = reads_arguments(provider);
    if (reads && input.empty()) input = arguments_for_before(call, route);
    Asked asked;
    const Attempt attempt =
        ask_at_once(one, provider, Function::BeforeCall, call, route,
                    reads ? std::string_view(input) : std::string_view(), {}, asked, at.begun);
    at.waits = attempt == Attempt::Waits;
    if (at.waits) break;
    if (attempt == Attempt::Unchanged) continue;
    at.result = take_before(call, route, one, std::move(asked));
    if (at.result) break;
    input.clear();
  }
  return at;
}

awaitable<Result<std::optional<tool::CallResult>>> Interceptors::before(tool::Call& call,
                                                                        const Route& route,
                                                                        Before from) {
  Before at = from.waits ? std::move(from) : before_at_once(call, route);
  while (at.waits) {
    const config::Interceptor& one = configured_[at.next];
    const Layer layer = layer_of(one);
    std::string input =
        reads_arguments(layer.provider.get()) ? arguments_for_before(call, route) : std::string();
    Result<tool::CallResult> answer = co_await ask(layer, Function::BeforeCall, call, route,
                                                   std::move(input), std::move(at.begun));
    Asked asked;
    HOST_CO_TRY_ASSIGN(const Attempt attempt,
                       take(call, one, Function::BeforeCall, std::move(answer), asked));
    if (attempt == Attempt::Answered) {
      if (auto end = take_before(call, route, one, std::move(asked))) co_return end;
    }
    at = before_at_once(call, route, at.next + 1);
  }
  co_return std::move(at.result);
}

Interceptors::Around Interceptors::around_of(const tool::Call& call, const Route& route) const {
  Around around = Around::Nothing;
  const Serving& serves = serving();
  if (serves.only_before) return around;
  for (std::size_t i = 0; i < configured_.size(); ++i) {
    if (!covers(configured_[i], call, route)) continue;
    const tool::Provider* const provider = serves.providers[i];
    if (!lacks(provider, Function::EnterCall)) return Around::Enter;
    const bool hears = call.observer && !lacks(provider, Function::CallMessage);
    if (hears || !lacks(provider, Function::LeaveCall)) around = Around::AfterRun;
  }
  return around;
}

// A result: the call ends with it, and the layers from that one on have not entered.
awaitable<Result<std::optional<tool::CallResult>>> Interceptors::enter(tool::Call& call,
                                                                       const Route& route,
                                                                       Layers& layers) {
  for (std::size_t i = 0; i < layers.size();) {
    const config::Interceptor& one = *layers[i].configured;
    Asked asked;
    Begun begun;
    tool::Provider* const provider = layers[i].provider.get();
    const std::string_view input =
        reads_arguments(provider) ? std::string_view(call.arguments_text) : std::string_view();
    Attempt attempt = lacks(provider, Function::EnterCall)
                          ? Attempt::Unchanged
                          : ask_at_once(one, provider, Function::EnterCall, call, route, input,
                                        layers[i].state, asked, begun);
    if (attempt == Attempt::Waits) {
      Result<tool::CallResult> answer = co_await ask(layers[i], Function::EnterCall, call, route,
                                                     std::string(input), std::move(begun));
      HOST_CO_TRY_ASSIGN(attempt, take(call, one, Function::EnterCall, std::move(answer), asked));
    }
    if (attempt == Attempt::Unchanged) {
      ++i;
      continue;
    }
    if (!asked && is_open(one)) {
      layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    std::optional<tool::CallResult> end;
    if (!asked) {
      end = refused_by_failure(call, route, one, kind_of_failure(one), nullptr);
    } else if (!asked->refusal.empty()) {
      note(call, one, "refused the call");
      end = refused(call, asked->refusal);
    } else if (asked->result) {
      note(call, one, "answered the call");
      end = std::move(asked->result);
    }
    if (end) {
      layers.resize(i);
      co_return end;
    }
    add_context(call, one, *asked);
    layers[i++].state = std::move(asked->state);
  }
  co_return std::nullopt;
}

awaitable<Result<tool::CallResult>> Interceptors::leave(tool::Call& call, const Route& route,
                                                        const Layers& layers,
                                                        tool::CallResult result) {
  const auto lacking = result.lacking;  // the client learns it, whatever the text is
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const config::Interceptor& one = *layer->configured;
    if (lacks(layer->provider.get(), Function::LeaveCall)) continue;
    const std::string input = tool::as_input(result);
    Asked asked;
    Begun begun;
    Attempt attempt = ask_at_once(one, layer->provider.get(), Function::LeaveCall, call, route,
                                  input, layer->state, asked, begun);
    if (attempt == Attempt::Waits) {
      Result<tool::CallResult> answer = co_await ask(*layer, Function::LeaveCall, call, route,
                                                     std::string(input), std::move(begun));
      HOST_CO_TRY_ASSIGN(attempt, take(call, one, Function::LeaveCall, std::move(answer), asked));
    }
    if (attempt == Attempt::Unchanged) continue;
    if (!asked && is_open(one)) continue;
    if (!asked) {
      result = withheld_by_failure(call, one, kind_of_failure(one));
    } else if (asked->result) {
      note(call, one, "changed the result");
      tool::drop_new_host_meta(result, *asked->result);
      keep_tools_result(call, result);
      result = *std::move(asked->result);
    }
  }
  if (result.is_error) result.lacking = lacking;
  co_return result;
}

awaitable<std::optional<tool::CallText>> Interceptors::pass_message(tool::Call& call,
                                                                    const Route& route,
                                                                    Layers& layers,
                                                                    tool::CallText message) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const config::Interceptor& one = *layer->configured;
    if (layer->messages_failed && is_open(one)) continue;
    if (layer->messages_failed) co_return std::nullopt;
    if (lacks(layer->provider.get(), Function::CallMessage)) continue;
    const Result<tool::CallResult> answer =
        co_await ask(*layer, Function::CallMessage, call, route, tool::as_input(message));
    auto read = answer ? tool::read_message(answer->structured, message)
                       : Result<std::optional<tool::CallText>>(answer.error());
    if (!read && is_cancel(call, read.error())) co_return std::nullopt;
    if (!read) {
      layer->messages_failed = true;
      failed(call, one, read.error());
      if (is_open(one)) continue;
      co_return std::nullopt;
    }
    if (!*read) {
      note(call, one, "dropped a message");
      co_return std::nullopt;
    }
    if ((*read)->text != message.text || (*read)->fields != message.fields)
      note(call, one, "changed a message");
    message = **std::move(read);
  }
  co_return message;
}

awaitable<Result<tool::CallResult>> Interceptors::around(tool::Call& call, const Route& route,
                                                         const Run& run) {
  const auto io = co_await boost::asio::this_coro::executor;
  Layers layers = layers_of(call, route);
  call.tools_result.reset();  // of an earlier round
  HOST_CO_TRY_ASSIGN(std::optional<tool::CallResult> early, co_await enter(call, route, layers));
  Result<tool::CallResult> result = Error{};
  if (early) {
    result = *std::move(early);
  } else {
    MessageFilter filter(*this, call, route, layers, io);
    std::exception_ptr fault;  // it passes when no message is on its way any more
    try {
      result = co_await run();
    } catch (...) {
      fault = std::current_exception();
    }
    co_await filter.finish();
    if (fault) std::rethrow_exception(fault);
  }
  if (!result || is_no_result_yet(*result)) co_return result;
  auto left = co_await leave(call, route, layers, *std::move(result));
  co_return left;
}

std::vector<std::string> Interceptors::describe(const tool::Call& call, const Route& route) const {
  std::vector<std::string> lines;
  for (const Layer& layer : layers_of(call, route)) {
    const bool open = is_open(*layer.configured);
    std::string line = named(*layer.configured);
    if (!layer.provider) {
      line += ", which is not served now";
    } else if (!layer.provider->offer().intercepts.any()) {
      line += ", whose plugin does not offer tp.interceptor/1";
    }
    line += open ? " (if it fails, the call goes on)" : " (if it fails, the call is refused)";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace host::router
