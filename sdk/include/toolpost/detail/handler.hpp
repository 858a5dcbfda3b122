// handler.hpp makes a tool from a function. The signature of the function determines the struct of
// arguments and the type of the result. Every exception becomes a status.
//
// A tool's function may have these parameters, in this order, each of them optional: the instance's
// State by reference (or it is a member of State), one struct of arguments, entries of the call's
// context, and a Context& or a Pending. A tool's function may be a coroutine. If the function is a
// coroutine, the arguments and the Context exist until the coroutine ends, so take them by
// reference.
//
// To get an entry of the call's context, take a std::optional of a struct with a member
// context_type. context_type is the name under which callers send the context entry. Context
// entries are not part of the tool's schemas. The std::optional is empty if the caller sent no
// entry with the name context_type. A coroutine takes the std::optional by value.
//   struct User {
//     static constexpr const char* context_type = "org.example.User";
//     std::string id;
//   };
//   std::string greet(const Greeting& args, const std::optional<User>& user);
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/check.hpp"
#include "toolpost/detail/content.hpp"
#include "toolpost/detail/converted.hpp"
#include "toolpost/detail/round.hpp"
#include "toolpost/detail/task.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class... P>
struct TypeList {};

template <class R, class... P>
struct SignatureOf {
  using Result = std::remove_cvref_t<R>;
  using Params = TypeList<P...>;
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class F, class C>
struct Signature<Converted<F, C>> : Signature<F> {};
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

// is_context_entry<P> is true if the parameter type P is a std::optional of a struct with a
// context_type.
template <class T>
inline constexpr bool is_context_entry = false;
template <class T>
requires requires {
  { T::context_type } -> std::convertible_to<const char*>;
}
inline constexpr bool is_context_entry<std::optional<T>> = true;

// ArgumentsAmong finds the type of the first parameter that is not State, Context, Pending, Also or
// an entry of the context. The type that ArgumentsAmong finds is the struct of arguments.
template <class State, class Also, class... P>
struct ArgumentsAmong {
  using type = NoArguments;
};
template <class State, class Also, class First, class... Rest>
struct ArgumentsAmong<State, Also, First, Rest...> {
  using Bare = std::remove_cvref_t<First>;
  static constexpr bool is_other = std::is_same_v<Bare, State> || std::is_same_v<Bare, Context> ||
                                   std::is_same_v<Bare, Pending> || std::is_same_v<Bare, Also> ||
                                   is_context_entry<Bare>;
  static_assert(is_other || Described<Bare>,
                "toolpost: the struct of arguments must be an aggregate or have TOOLPOST_FIELDS");
  using type = typename std::conditional_t<is_other, ArgumentsAmong<State, Also, Rest...>,
                                           std::type_identity<Bare>>::type;
};

template <class State, class Also, class Params>
struct ArgumentsIn;
template <class State, class Also, class... P>
struct ArgumentsIn<State, Also, TypeList<P...>> : ArgumentsAmong<State, Also, P...> {
  static constexpr bool pends = (std::is_same_v<std::remove_cvref_t<P>, Pending> || ...);
  static constexpr bool refers_to_entry =
      ((is_context_entry<std::remove_cvref_t<P>> && std::is_reference_v<P>) || ...);
};

// Returns the value that a parameter of the function gets, chosen by the parameter's type.
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
  } else if constexpr (is_context_entry<Bare>) {
    using Entry = typename Bare::value_type;
    return context.template entry<Entry>(Entry::context_type);
  } else {
    static_assert(std::is_same_v<Bare, Arguments>,
                  "toolpost: such a function takes the plugin's state, one struct of "
                  "arguments, a Context, and a Check or a Pending where it may; nothing else");
    return std::move(arguments);
  }
}

template <class... P, class F, class State, class Also, class Arguments>
decltype(auto) invoke(TypeList<P...>*, const F& function, State& state, Arguments& arguments,
                      Also& also, Context& context) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    return std::invoke(function, state, supply<P>(state, arguments, also, context)...);
  } else {
    return std::invoke(function, supply<P>(state, arguments, also, context)...);
  }
}

// Returns the status that `body` returns. If `body` throws an exception, guarded() returns a
// status, and the model gets the exception's message.
tp_status guarded(const Context& context, FunctionRef<tp_status()> body) noexcept;
// Runs `body` for a call that a Pending ends later. An exception is logged.
tp_status left_to_pending(const Context& context, FunctionRef<void()> body) noexcept;

// The type Nothing stands for a parameter that the author's function does not have.
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

// The type that a tool's function returns.
template <class F>
using ReturnedBy =
    typename Returned<F, typename ResultOf<typename Signature<F>::Result>::type>::type;

// A RunningTask is a running coroutine, with all objects that it uses. A RunningTask owns itself
// until the coroutine ends.
template <class F, class Arguments, class T>
struct RunningTask {
  const F& function;
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
        with_returned(function, task->take(),
                      [this](const auto& result) { push_result(context, result); });
      }
      return TP_OK;
    });
    // The coroutine's locals are destroyed before the call ends, because the instance may be
    // destroyed right after the call.
    const Context ended = context;
    task.reset();
    ended.host().api()->complete(ended.id(), status);
  }
};

template <class State, class F>
using ArgumentsOf = typename ArgumentsIn<State, Nothing, typename Signature<F>::Params>::type;

// A ToolFunction calls a tool's function, or one of the tool's four optional functions, and hides
// the types that the author uses.
class ToolFunction {
 public:
  virtual ~ToolFunction();
  // `check` is a Check as JSON. Only the optional functions of a tool get a Check.
  virtual tp_status run(void* state, std::string_view args, std::string_view check,
                        Context& context) const = 0;

 protected:
  ToolFunction() = default;
  ToolFunction(const ToolFunction&) = default;
  ToolFunction& operator=(const ToolFunction&) = default;
};
using ToolFunctionPtr = std::unique_ptr<const ToolFunction>;

template <class State, class F>
class CallFunction final : public ToolFunction {
  using Params = typename Signature<F>::Params;
  using Result = typename Signature<F>::Result;
  using Arguments = ArgumentsOf<State, F>;

 public:
  CallFunction(F function, Unknown unknown) : function_(std::move(function)), unknown_(unknown) {}

  tp_status run(void* state_of_instance, std::string_view args, std::string_view,
                Context& context) const override {
    State& state = *static_cast<State*>(state_of_instance);
    if constexpr (ResultOf<Result>::later) {
      return start(state, args, context);
    } else {
      auto arguments = read_object<Arguments>(args, "argument", unknown_);
      Nothing nothing;
      const auto call = [&]() -> decltype(auto) {
        return invoke(static_cast<Params*>(nullptr), function_in(function_), state, arguments,
                      nothing, context);
      };
      if constexpr (ArgumentsIn<State, Nothing, Params>::pends) {
        static_assert(std::is_void_v<Result>, "toolpost: a tool with a Pending returns void");
        return left_to_pending(context, call);
      } else if constexpr (std::is_void_v<Result>) {
        call();
        context.push(TP_TEXT, {}, "done");
      } else {
        with_returned(function_, call(),
                      [&context](const auto& result) { push_result(context, result); });
      }
      return TP_OK;
    }
  }

 private:
  // Starts a coroutine, which later ends the call itself.
  tp_status start(State& state, std::string_view args, Context& context) const {
    static_assert(!ArgumentsIn<State, Nothing, Params>::refers_to_entry,
                  "toolpost: a coroutine takes entries of the context by value");
    using Running = RunningTask<F, Arguments, typename ResultOf<Result>::type>;
    auto running = std::unique_ptr<Running>(
        new Running{function_, context, read_object<Arguments>(args, "argument", unknown_)});
    running->task.emplace(invoke(static_cast<Params*>(nullptr), function_in(function_), state,
                                 running->arguments, running->nothing, running->context));
    Running* const own = running.release();
    own->task->start([own] { own->finish(); });
    return TP_PENDING;
  }

  F function_;
  Unknown unknown_;
};

template <class State, class F>
ToolFunctionPtr make_call(F function, Unknown unknown) {
  return ToolFunctionPtr(new CallFunction<State, F>(std::move(function), unknown));
}

Check read_check(std::string_view check);

// A CheckFunction is one of the four optional functions of a tool. A CheckFunction gets the
// arguments, and a Check with the context.
template <class State, class Answer, class F>
class CheckFunction final : public ToolFunction {
 public:
  explicit CheckFunction(F function) : function_(std::move(function)) {}

  tp_status run(void* state, std::string_view args, std::string_view check_text,
                Context& context) const override {
    using Params = typename Signature<F>::Params;
    using Arguments = typename ArgumentsIn<State, Check, Params>::type;
    auto arguments = read_object<Arguments>(args, "argument");
    Check check = read_check(check_text);
    static_assert(std::is_convertible_v<typename Signature<F>::Result, Answer>,
                  "toolpost: check_permissions returns Permission; match_rule and check_read_only "
                  "return bool; generate_suggestions returns std::vector<Suggestion>");
    Answer answer = invoke(static_cast<Params*>(nullptr), function_, *static_cast<State*>(state),
                           arguments, check, context);
    if constexpr (std::is_same_v<Answer, Permission>) mend_words(answer);
    context.push(TP_JSON, {}, json_of(answer));
    return TP_OK;
  }

 private:
  F function_;
};

template <class State, class Answer, class F>
ToolFunctionPtr make_check(F function) {
  return ToolFunctionPtr(new CheckFunction<State, Answer, F>(std::move(function)));
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/handler.ipp"
#endif
