// The C++ interface to the plugin ABI. The C++ interface of the SDK needs C++20 and only the
// standard library.
//
//   struct Add { int a; int b; };
//   int add(const Add& args) { return args.a + args.b; }
//
//   TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "org.example.adder", .name = "Adder", .version =
//   "1.0.0"})
//                       .tool("add", "Add two whole numbers", add, {.read_only = true}))
//
// detail/fields.hpp describes how a struct becomes a schema. detail/content.hpp describes what a
// tool may return. detail/context.hpp has the functions of the host. No exception leaves the
// plugin. An Error becomes a result that the model can read. A Cancelled ends the call without a
// message. An exception of any other type ends the call with the exception's message.
#pragma once

#if !defined(__cpp_concepts)
#error "toolpost: these headers need C++20: set(CMAKE_CXX_STANDARD 20), or -std=c++20"
#else

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// There are two kinds of mingw-w64 compilers. The mingw-w64 compilers with "win32" threads have no
// std::mutex.
#if defined(__MINGW32__) && defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS)
#error "toolpost: this compiler has no std::mutex: use the -posix one, x86_64-w64-mingw32-g++-posix"
#endif

#include "toolpost/detail/check.hpp"
#include "toolpost/detail/description.hpp"
#include "toolpost/detail/library.hpp"
#include "toolpost/detail/metrics.hpp"
#include "toolpost/detail/tool_class.hpp"
#include "toolpost/detail/utf8.hpp"

namespace toolpost {
inline namespace v1 {

// Builds a plugin. The template parameter State is a class of the plugin's author. One State object
// is made for each instance. The constructor of State may take the nested struct State::Settings
// and a Host. State may have activate(), quiesce(std::chrono::milliseconds grace),
// on_cancel(tp_call* id), selftest() and extension(std::string_view id) -> const void*. To refuse
// the build, throw in activate() or selftest().
template <class State = detail::Stateless>
class Plugin {
 public:
  explicit Plugin(PluginOptions options)
      : made_(std::move(options), detail::state_functions<State>()) {}

  // `function` is a function, a member function of State, or a lambda. The captures of a lambda
  // must live as long as the library. For a tool with its own result converter, pass
  // converted(function, converter).
  template <class F>
  Plugin&& tool(std::string name, std::string description, F function,
                ToolOptions options = {}) && {
    detail::ToolEntry& entry =
        made_.add_tool(std::move(name), std::move(description), std::move(options),
                       detail::Fields::of<detail::ArgumentsOf<State, F> >());
    entry.output_schema = detail::output_schema_of<detail::ReturnedBy<F> >();
    entry.call = detail::make_call<State>(std::move(function), entry.unknown);
    return std::move(*this);
  }

  // Adds a tool as a class T (see Tool). T has a member `call`, and may override the functions of
  // Tool.
  template <class T>
  Plugin&& tool(std::string name, std::string description, ToolOptions options = {}) && {
    static_assert(std::same_as<typename T::State, State>, "toolpost: Tool<Arguments, State>");
    static const T object{};
    std::move(*this).tool(std::move(name), std::move(description),
                          detail::bind_call(object, &T::call), std::move(options));
    detail::ToolEntry& entry = made_.last_tool();
    const auto bind = [](auto member) {
      return [member](State& state, const typename T::Arguments& args, const Check& check) {
        return (object.*member)(state, args, check);
      };
    };
    if constexpr (detail::overridden<T>(&T::check_permissions))
      entry.check_permissions = detail::make_check<State, Permission>(bind(&T::check_permissions));
    if constexpr (detail::overridden<T>(&T::match_rule))
      entry.match_rule = detail::make_check<State, bool>(bind(&T::match_rule));
    if constexpr (detail::overridden<T>(&T::generate_suggestions))
      entry.generate_suggestions =
          detail::make_check<State, std::vector<Suggestion> >(bind(&T::generate_suggestions));
    if constexpr (detail::overridden<T>(&T::check_read_only))
      entry.check_read_only = detail::make_check<State, bool>(bind(&T::check_read_only));
    return std::move(*this);
  }

  // Adds a tool that a client executes. The host never calls the plugin for an external tool. The
  // client that executes a call answers with a Result.
  template <Described Arguments, class Result = void>
  Plugin&& external_tool(std::string name, std::string description, ToolOptions options = {}) && {
    options.external = true;
    made_
        .add_tool(std::move(name), std::move(description), std::move(options),
                  detail::Fields::of<Arguments>())
        .output_schema = detail::output_schema_of<Result>();
    return std::move(*this);
  }

  // Each of the next four functions sets an optional function of the tool that was added last.
  template <class F>
  Plugin&& check_permissions(F function) && {  // -> Permission
    made_.last_tool().check_permissions =
        detail::make_check<State, Permission>(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& match_rule(F function) && {  // -> bool
    made_.last_tool().match_rule = detail::make_check<State, bool>(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& generate_suggestions(F function) && {  // -> std::vector<Suggestion>
    made_.last_tool().generate_suggestions =
        detail::make_check<State, std::vector<Suggestion> >(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& check_read_only(F function) && {  // -> bool
    made_.last_tool().check_read_only = detail::make_check<State, bool>(std::move(function));
    return std::move(*this);
  }

  // Adds a resource: data that a client reads by the URI. `function` returns Contents, or a text of
  // the media type `mime`, or a struct, which becomes JSON.
  template <class F>
  Plugin&& resource(std::string uri, std::string name, std::string description, std::string mime,
                    F function, OfferOptions options = {}) && {
    return std::move(*this).readable(made_.offers.resources, std::move(uri), std::move(name),
                                     std::move(description), std::move(mime), std::move(function),
                                     std::move(options));
  }
  // Adds a resource template: a resource for each URI of a template like "notes://{folder}/{name}".
  // `function` takes a struct of texts, with one field for each variable. {+name} matches text with
  // slashes.
  template <class F>
  Plugin&& resource_template(std::string uri, std::string name, std::string description,
                             std::string mime, F function, OfferOptions options = {}) && {
    return std::move(*this).readable(made_.offers.templates, std::move(uri), std::move(name),
                                     std::move(description), std::move(mime), std::move(function),
                                     std::move(options));
  }
  // Adds a prompt that a user can choose. `function` takes the prompt's arguments as a struct of
  // texts, and returns Messages or the text of one message.
  template <class F>
  Plugin&& prompt(std::string name, std::string description, F function,
                  OfferOptions options = {}) && {
    made_
        .add_offer(made_.offers.prompts, std::move(name), std::move(description),
                   std::move(options), detail::make_prompt<State>(std::move(function)))
        .arguments = detail::Fields::of<detail::ArgumentsOf<State, F> >().prompt_arguments();
    return std::move(*this);
  }

  // Each of the next two functions sets a function of the resource, template or prompt that was
  // added last. The function completion() suggests values for one argument or variable. The
  // `function` of completion() takes a Typed, and returns a vector of texts or Completions.
  template <class F>
  Plugin&& completion(std::string argument, F function) && {
    made_.offers.completes = true;
    made_.last_offer().completions.insert_or_assign(
        std::move(argument), detail::make_completion<State>(std::move(function)));
    return std::move(*this);
  }
  // `function` returns true if the resource, template or prompt is in the list now. If the result
  // of `function` changes, call host.announce().
  template <class F>
  Plugin&& listed_if(F function) && {
    made_.last_offer().listed_if = detail::make_listed_if<State>(std::move(function));
    return std::move(*this);
  }

  // The next four functions make the plugin an interceptor of other plugins' calls, if the operator
  // names it in an [[interceptor]]; see ext/interceptor.h. Each function takes (State&, const
  // Intercepted&, input, Context&), or the same parameters without State&.
  //
  // For before_calls() and enter_calls(), the input is a const Json& with the arguments, and the
  // function returns a Verdict. A function that does not read the arguments can omit this
  // parameter, and costs less. For messages_of_calls(), the input is a const StreamedText&, and the
  // function returns a std::optional<StreamedText>; nullopt drops the message. For leave_calls(),
  // the input is a const CalledResult&, and the function returns a std::optional<CalledResult>;
  // nullopt leaves the result unchanged.
  template <class F>
  Plugin&& before_calls(F function) && {
    made_.interceptor.reads_arguments |= detail::reads_arguments<State, F>;
    made_.interceptor.before = detail::make_verdict<State>(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& enter_calls(F function) && {
    made_.interceptor.reads_arguments |= detail::reads_arguments<State, F>;
    made_.interceptor.enter = detail::make_verdict<State>(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& messages_of_calls(F function) && {
    made_.interceptor.message = detail::make_message<State>(std::move(function));
    return std::move(*this);
  }
  template <class F>
  Plugin&& leave_calls(F function) && {
    made_.interceptor.leave = detail::make_leave<State>(std::move(function));
    return std::move(*this);
  }
  // Declares that the plugin's interceptor functions return within microseconds and never wait.
  Plugin&& intercepts_at_once() && {
    made_.interceptor.nonblocking = true;
    return std::move(*this);
  }

  // Passes the state of the previous build to a new build, if the configuration allows it; see
  // ext/state.h. `save` takes the State& and returns bytes in a format that the author defines, but
  // must not change the State. `restore` takes the State&, the schema_id of the saved bytes, and
  // the bytes. `restore` throws an exception if it cannot use the saved bytes.
  template <class Save, class Restore>
  Plugin&& state(std::string schema_id, Save save, Restore restore) && {
    made_.handover = {
        std::move(schema_id),
        [save](void* state) -> std::string { return save(*static_cast<State*>(state)); },
        [restore](void* state, std::string_view id, std::string_view bytes) {
          restore(*static_cast<State*>(state), id, bytes);
        }};
    return std::move(*this);
  }

  detail::Description description() && { return std::move(made_); }

 private:
  template <class F>
  Plugin&& readable(std::vector<detail::OfferEntry>& to, std::string uri, std::string name,
                    std::string description, std::string mime, F function,
                    OfferOptions options) && {
    auto call = detail::make_read<State>(std::move(function), mime);
    detail::OfferEntry& entry = made_.add_offer(to, std::move(name), std::move(description),
                                                std::move(options), std::move(call));
    entry.uri = std::move(uri);
    entry.mime = std::move(mime);
    return std::move(*this);
  }

  detail::Description made_;
};

}  // namespace v1
}  // namespace toolpost

// Use the macro TOOLPOST_PLUGIN once in a plugin. TOOLPOST_PLUGIN makes the only exported symbol of
// the library. The Plugin object is built when the library is loaded, so the exported function only
// returns a pointer. If building the Plugin object throws, the exported function returns NULL.
#define TOOLPOST_PLUGIN(...)                                                 \
  namespace {                                                                \
  ::toolpost::detail::Description toolpost_make_plugin() {                   \
    return (__VA_ARGS__).description();                                      \
  }                                                                          \
  const ::toolpost::detail::Library toolpost_library(&toolpost_make_plugin); \
  }                                                                          \
  extern "C" TP_EXPORT const tp_plugin* toolpost_plugin_v1(void) {           \
    return toolpost_library.table();                                         \
  }

#endif  // C++20
