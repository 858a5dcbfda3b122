// From a function's signature to a tool: which argument struct, which result, and a call that turns
// every exception into a status.
//
// A tool's function may take, in this order and each only if it likes: the instance's State by
// reference (or be its member), one struct of arguments, and a Context& or a Pending. It may be a
// coroutine, whose arguments and Context then stay until it ends: take them by reference.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "toolpost/detail/content.hpp"
#include "toolpost/detail/round.hpp"
#include "toolpost/detail/task.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class R, class... P>
struct SignatureOf {
  using Result = std::remove_cvref_t<R>;
  using Params = std::tuple<P...>;
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... P, bool N>
struct Signature<R (*)(P...) noexcept(N)> : SignatureOf<R, P...> {};
template <class R, class C, class... P, bool N>
struct Signature<R (C::*)(P...) noexcept(N)> : SignatureOf<R, P...> {
  using Class = C;
};
template <class R, class C, class... P, bool N>
struct Signature<R (C::*)(P...) const noexcept(N)> : SignatureOf<R, P...> {
  using Class = C;
};

struct NoArguments {
  TOOLPOST_FIELDS(NoArguments)
};

// The struct among the parameters that is neither State, Context, Pending nor Also.
template <class State, class Also, class... P>
struct ArgumentsAmong {
  using type = NoArguments;
};
template <class State, class Also, class First, class... Rest>
struct ArgumentsAmong<State, Also, First, Rest...> {
  using Bare = std::remove_cvref_t<First>;
  static constexpr bool is_other = std::is_same_v<Bare, State> || std::is_same_v<Bare, Context> ||
                                   std::is_same_v<Bare, Pending> || std::is_same_v<Bare, Also>;
  static_assert(is_other || Described<Bare>,
                "toolpost: the struct of arguments needs TOOLPOST_FIELDS");
  using type = typename std::conditional_t<is_other, ArgumentsAmong<State, Also, Rest...>,
                                           std::type_identity<Bare>>::type;
};

template <class State, class Also, class Params>
struct ArgumentsIn;
template <class State, class Also, class... P>
struct ArgumentsIn<State, Also, std::tuple<P...>> : ArgumentsAmong<State, Also, P...> {
  static constexpr bool pends = (std::is_same_v<std::remove_cvref_t<P>, Pending> || ...);
};

// Hands each parameter what it asks for by its type.
template <class P, class State, class Also, class Arguments>
decltype(auto) supply(State& state, Arguments& arguments, Also& also, Context& context) {
  using Bare = std::remove_cvref_t<P>;
  if constexpr (std::is_same_v<Bare, State>) {
    return (state);
  } else if constexpr (std::is_same_v<Bare, Context>) {
    return (context);
  } else if constexpr (std::is_same_v<Bare, Pending>) {
    return Pending(context);
  } else if constexpr (std::is_same_v<Bare, Also>) {
    return (also);
  } else {
    return std::move(arguments);
  }
}

template <class... P, class F, class State, class Also, class Arguments>
decltype(auto) invoke(std::tuple<P...>*, const F& function, State& state, Arguments& arguments,
                      Also& also, Context& context) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    return std::invoke(function, state, supply<P>(state, arguments, also, context)...);
  } else {
    return std::invoke(function, supply<P>(state, arguments, also, context)...);
  }
}

// Runs `body`, which returns a status; whatever it throws becomes one. The model is told what went
// wrong.
template <class F>
tp_status guarded(const Context& context, F&& body) noexcept {
  const tp_host_api& api = *context.host().api();
  const auto tell = [&](std::string_view message, std::int32_t code, std::string_view data) {
    api.error(context.id(), code, str(message), str(data));
    return TP_OK;
  };
  try {
    return body();
  } catch (const Cancelled&) {
    return TP_E_CANCELLED;
  } catch (const Asked&) {
    return TP_OK;
  } catch (const Unanswerable&) {
    return TP_E_UNSUPPORTED;
  } catch (const Error& error) {
    return tell(error.what(), error.code(), error.data());
  } catch (const Fault& fault) {
    tell(fault.what(), 0, {});
    return TP_E_INTERNAL;
  } catch (const std::bad_alloc&) {
    return TP_E_NOMEM;
  } catch (const std::exception& error) {
    context.log(LogLevel::Error, error.what());
    return tell(error.what(), 0, {});
  } catch (...) {
    context.log(LogLevel::Error, "the tool threw something that is no std::exception");
    return TP_E_INTERNAL;
  }
}

// What is none of the author's parameters.
struct Nothing {};

template <class T>
struct ResultOf {
  using type = T;
  static constexpr bool later = false;
};
template <class T>
struct ResultOf<Task<T>> {
  using type = T;
  static constexpr bool later = true;
};

// A coroutine under way, with all that it refers to. It owns itself until the coroutine ends.
template <class Arguments, class T>
struct RunningTask {
  Context context;
  Arguments arguments;
  Nothing nothing = {};
  std::optional<Task<T>> task = {};

  void finish() noexcept {
    const std::unique_ptr<RunningTask> self(this);
    const tp_status status = guarded(context, [&] {
      if constexpr (std::is_void_v<T>) {
        task->take();
        context.push(TP_TEXT, {}, "done");
      } else {
        push_result(context, task->take());
      }
      return TP_OK;
    });
    // The coroutine's locals go before the call ends: the instance may be destroyed right after.
    const Context ended = context;
    task.reset();
    ended.host().api()->complete(ended.id(), status);
  }
};

template <class State>
using ToolCall = std::function<tp_status(State&, std::string_view args, Context&)>;
template <class State>
using ToolCheck =
    std::function<tp_status(State&, std::string_view args, std::string_view check, Context&)>;

template <class State, class F>
using ArgumentsOf = typename ArgumentsIn<State, Nothing, typename Signature<F>::Params>::type;

// Starts a coroutine, which ends the call by itself.
template <class State, class F>
ToolCall<State> make_task_call(F function) {
  using Params = typename Signature<F>::Params;
  using Value = typename Signature<F>::Result::Result;
  using Running = RunningTask<ArgumentsOf<State, F>, Value>;
  return [function](State& state, std::string_view text, Context& context) -> tp_status {
    auto running = std::unique_ptr<Running>(
        new Running{context, read_object<ArgumentsOf<State, F>>(text, "argument")});
    running->task.emplace(invoke(static_cast<Params*>(nullptr), function, state, running->arguments,
                                 running->nothing, running->context));
    Running* const own = running.release();
    own->task->start([own] { own->finish(); });
    return TP_PENDING;
  };
}

template <class State, class F>
ToolCall<State> make_call(F function) {
  using Params = typename Signature<F>::Params;
  using Result = typename Signature<F>::Result;
  if constexpr (ResultOf<Result>::later) {
    return make_task_call<State>(function);
  } else {
    return [function](State& state, std::string_view text, Context& context) -> tp_status {
      auto arguments = read_object<ArgumentsOf<State, F>>(text, "argument");
      Nothing nothing;
      const auto run = [&]() -> decltype(auto) {
        return invoke(static_cast<Params*>(nullptr), function, state, arguments, nothing, context);
      };
      if constexpr (ArgumentsIn<State, Nothing, Params>::pends) {
        static_assert(std::is_void_v<Result>, "toolpost: a tool with a Pending returns void");
        // Where it throws, its Pending has ended the call: the handle must not be touched again.
        try {
          run();
        } catch (const std::exception& error) {
          context.log(LogLevel::Error, error.what());
        } catch (...) {
          context.log(LogLevel::Error, "the tool threw something that is no std::exception");
        }
        return TP_PENDING;
      } else if constexpr (std::is_void_v<Result>) {
        run();
        context.push(TP_TEXT, {}, "done");
        return TP_OK;
      } else {
        push_result(context, run());
        return TP_OK;
      }
    };
  }
}

// One of the four optional functions: the arguments, and a Check with the context of the question.
template <class State, class Check, class F>
ToolCheck<State> make_check(F function) {
  using Params = typename Signature<F>::Params;
  using Arguments = typename ArgumentsIn<State, Check, Params>::type;
  return [function](State& state, std::string_view text, std::string_view check_text,
                    Context& context) {
    auto arguments = read_object<Arguments>(text, "argument");
    auto check = read_object<Check>(check_text, "context");
    const auto answer =
        invoke(static_cast<Params*>(nullptr), function, state, arguments, check, context);
    context.push(TP_JSON, {}, to_json(answer));
    return TP_OK;
  };
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
