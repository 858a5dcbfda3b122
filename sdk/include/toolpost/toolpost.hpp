// The C++ face of the plugin ABI: C++20, header-only, nothing but the standard library.
//
//   struct Add { int a; int b; TOOLPOST_FIELDS(Add, TOOLPOST_FIELD(a), TOOLPOST_FIELD(b)) };
//   int add(const Add& args) { return args.a + args.b; }
//
//   TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "org.example.adder", .name = "Adder", .version =
//   "1.0.0"})
//                       .tool("add", "Add two whole numbers", add, {.read_only = true}))
//
// detail/fields.hpp tells how a struct becomes a schema, detail/content.hpp what a tool may return,
// detail/context.hpp what it can ask of the host. No exception leaves the plugin: Error becomes a
// result that the model can read, Cancelled ends the call, and so does everything else, with its
// own words.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/check.hpp"
#include "toolpost/detail/handler.hpp"
#include "toolpost/detail/handover.hpp"
#include "toolpost/detail/metrics.hpp"
#include "toolpost/detail/offering.hpp"
#include "toolpost/detail/tool_class.hpp"
#include "toolpost/ext/completion.h"
#include "toolpost/ext/prompts.h"
#include "toolpost/ext/resources.h"
#include "toolpost/ext/selftest.h"

namespace toolpost {
inline namespace v1 {

using Strings = std::vector<std::string>;

// A tool's properties, all with the contract's defaults; see tp_tool in plugin.h.
struct ToolOptions {
  std::string title = {};
  bool read_only = false;      // changes nothing anywhere: runs unasked
  bool serial = false;         // never beside itself
  std::string exclusive = {};  // never beside a tool that has the same name here
  std::uint32_t max_inflight = 0;
  bool idempotent = false;
  bool not_destructive = false;
  bool closed_world = false;
  bool nonblocking = false;   // microseconds, no waiting
  bool long_running = false;  // may take long: a task, for clients that follow tasks
  bool needs_task = false;    // ... and no other client can call it
  bool asks_first = false;    // ... and its first run asks before there is a task
  bool external = false;      // somebody else executes it
  bool state_injected = false;
  std::optional<bool> strict = {};
  std::chrono::milliseconds timeout = {};
  std::string group = {};
  Json presets = {""};  // a JSON object of fixed arguments, hidden from the model
  Strings dangerous_paths = {};
  Strings path_args = {};        // JSON pointers, like "/path"
  std::string command_arg = {};  // JSON pointer to a shell command
  Strings after = {};            // post_ tools: the actions that it follows
  Json icons = {""};
  Json input_schema = {""};  // in the place of the one made from the struct of arguments
};

struct PluginOptions {
  std::string id = {};  // reverse DNS
  std::string name = {};
  std::string version = {};
  std::string vendor = {};
  std::string license = {};
  std::string build_info = {};
  bool concurrent = false;  // calls may overlap; else one call at a time in each instance
  bool pin = false;         // once loaded inline, never unloaded
  bool needs_inline = false;
  bool no_inline = false;
  Strings permissions = {};  // what it would like to be granted: "fs:ro:PATH", ...
  Strings required_extensions = {};
  Strings optional_extensions = {};
};

namespace detail {

template <class State>
struct ToolEntry {
  std::string name;
  std::string description;
  ToolOptions options;
  std::string input_schema;
  std::string output_schema;
  ToolCall<State> call;
  ToolCheck<State> check_permissions, match_rule, generate_suggestions, check_read_only;
};

template <class State>
struct SettingsOf {
  using type = NoArguments;
};
template <class State>
requires requires {
  typename State::Settings;
}
struct SettingsOf<State> {
  using type = typename State::Settings;
};

template <class State>
State make_state(std::string_view config, Host host) {
  using Settings = typename SettingsOf<State>::type;
  auto settings = read_object<Settings>(config, "setting");
  if constexpr (std::constructible_from<State, Settings, Host>) {
    return State(std::move(settings), host);
  } else if constexpr (std::constructible_from<State, Settings> &&
                       !std::same_as<Settings, NoArguments>) {
    return State(std::move(settings));
  } else if constexpr (std::constructible_from<State, Host>) {
    return State(host);
  } else {
    return State();
  }
}

}  // namespace detail

// A plugin in the making. State is a class of the author's, made once for each instance from its
// nested struct Settings and a Host, as far as its constructor takes them. It may have activate(),
// quiesce(std::chrono::milliseconds grace), on_cancel(tp_call* id), selftest() and
// extension(std::string_view id) -> const void*. Of these, activate() and selftest() refuse by
// throwing.
template <class State = detail::Stateless>
class Plugin {
 public:
  explicit Plugin(PluginOptions options) : options_(std::move(options)) {}

  // function: a function, a member function of State, or a lambda without captures of what dies.
  template <class F>
  Plugin&& tool(std::string name, std::string description, F function,
                ToolOptions options = {}) && {
    using Arguments = detail::ArgumentsOf<State, F>;
    add<Arguments>(std::move(name), std::move(description), std::move(options));
    tools_.back().output_schema = detail::output_schema_of<
        typename detail::ResultOf<typename detail::Signature<F>::Result>::type>();
    tools_.back().call = detail::make_call<State>(function);
    return std::move(*this);
  }

  // The same with what the class overrides of Tool; T has a member `call`.
  template <class T>
  Plugin&& tool(std::string name, std::string description, ToolOptions options = {}) && {
    static_assert(std::same_as<typename T::State, State>, "toolpost: Tool<Arguments, State>");
    static const T object{};
    std::move(*this).tool(std::move(name), std::move(description),
                          detail::bind_call(object, &T::call), std::move(options));
    detail::ToolEntry<State>& entry = tools_.back();
    const auto bind = [](auto member) {
      return [member](State& state, const typename T::Arguments& args, const Check& check) {
        return (object.*member)(state, args, check);
      };
    };
    if constexpr (detail::overridden<T>(&T::check_permissions))
      entry.check_permissions = detail::make_check<State, Check>(bind(&T::check_permissions));
    if constexpr (detail::overridden<T>(&T::match_rule))
      entry.match_rule = detail::make_check<State, Check>(bind(&T::match_rule));
    if constexpr (detail::overridden<T>(&T::generate_suggestions))
      entry.generate_suggestions = detail::make_check<State, Check>(bind(&T::generate_suggestions));
    if constexpr (detail::overridden<T>(&T::check_read_only))
      entry.check_read_only = detail::make_check<State, Check>(bind(&T::check_read_only));
    return std::move(*this);
  }

  // A tool that the agent's side executes: described here, never called.
  template <Described Arguments>
  Plugin&& external_tool(std::string name, std::string description, ToolOptions options = {}) && {
    options.external = true;
    add<Arguments>(std::move(name), std::move(description), std::move(options));
    return std::move(*this);
  }

  // The optional functions belong to the tool named last.
  template <class F>
  Plugin&& check_permissions(F function) && {  // -> Permission
    tools_.back().check_permissions = detail::make_check<State, Check>(function);
    return std::move(*this);
  }
  template <class F>
  Plugin&& match_rule(F function) && {  // -> bool
    tools_.back().match_rule = detail::make_check<State, Check>(function);
    return std::move(*this);
  }
  template <class F>
  Plugin&& generate_suggestions(F function) && {  // -> std::vector<Suggestion>
    tools_.back().generate_suggestions = detail::make_check<State, Check>(function);
    return std::move(*this);
  }
  template <class F>
  Plugin&& check_read_only(F function) && {  // -> bool
    tools_.back().check_read_only = detail::make_check<State, Check>(function);
    return std::move(*this);
  }

  // Data that a client reads by its URI. function gives Contents, or a text of
  // this media type, or a struct: its JSON.
  template <class F>
  Plugin&& resource(std::string uri, std::string name, std::string description, std::string mime,
                    F function, OfferOptions options = {}) && {
    auto call = detail::make_read<State>(function, mime);
    add_offer(offers_.resources, {std::move(uri),
                                  std::move(name),
                                  std::move(description),
                                  std::move(mime),
                                  std::move(options),
                                  {},
                                  std::move(call),
                                  {},
                                  {}});
    return std::move(*this);
  }
  // The same for all URIs of a template like "notes://{folder}/{name}"; function takes a struct of
  // texts, one field for each variable. {+name} stands for text with slashes.
  template <class F>
  Plugin&& resource_template(std::string uri, std::string name, std::string description,
                             std::string mime, F function, OfferOptions options = {}) && {
    auto call = detail::make_read<State>(function, mime);
    add_offer(offers_.templates, {std::move(uri),
                                  std::move(name),
                                  std::move(description),
                                  std::move(mime),
                                  std::move(options),
                                  {},
                                  std::move(call),
                                  {},
                                  {}});
    return std::move(*this);
  }
  // A prompt that a person can pick. function takes a struct of texts, its arguments, and gives
  // Messages or the text of one message.
  template <class F>
  Plugin&& prompt(std::string name, std::string description, F function,
                  OfferOptions options = {}) && {
    using Arguments = detail::ArgumentsOf<State, F>;
    add_offer(offers_.prompts, {{},
                                std::move(name),
                                std::move(description),
                                {},
                                std::move(options),
                                detail::prompt_arguments<Arguments>(),
                                detail::make_prompt<State>(function),
                                {},
                                {}});
    return std::move(*this);
  }

  // The next two belong to the resource, template or prompt named last.
  // Values for an argument or variable: function takes a Typed and gives a vector of texts or
  // Completions.
  template <class F>
  Plugin&& completion(std::string argument, F function) && {
    offers_.completes = true;
    last_offer().completions.insert_or_assign(std::move(argument),
                                              detail::make_completion<State>(function));
    return std::move(*this);
  }
  // Whether it is in the list now. Where that changes, tell it by host.announce().
  template <class F>
  Plugin&& listed_if(F function) && {
    last_offer().listed_if = detail::make_listed_if<State>(function);
    return std::move(*this);
  }

  // What a new build takes over from the one before, where the configuration lets it; see
  // ext/state.h. save gives bytes of the author's own format and changes nothing; restore gets
  // them, and the schema_id under which they were saved, and refuses them by throwing.
  //   .state("counter/1", [](Counter& c) { return std::to_string(c.count); },
  //          [](Counter& c, std::string_view id, std::string_view bytes) { ... })
  template <class Save, class Restore>
  Plugin&& state(std::string schema_id, Save save, Restore restore) && {
    handover_ = {std::move(schema_id), std::move(save), std::move(restore)};
    return std::move(*this);
  }

  const detail::Handover<State>& handover() const { return handover_; }
  const PluginOptions& options() const { return options_; }
  const detail::Offers<State>& offers() const { return offers_; }
  const std::vector<detail::ToolEntry<State>>& tools() const { return tools_; }

 private:
  using OfferList = std::vector<detail::OfferEntry<State>>;

  void add_offer(OfferList& to, detail::OfferEntry<State> entry) {
    to.push_back(std::move(entry));
    named_last_ = &to == &offers_.prompts     ? &detail::Offers<State>::prompts
                  : &to == &offers_.templates ? &detail::Offers<State>::templates
                                              : &detail::Offers<State>::resources;
  }
  detail::OfferEntry<State>& last_offer() { return (offers_.*named_last_.value()).back(); }

  template <class Arguments>
  void add(std::string name, std::string description, ToolOptions options) {
    detail::ToolEntry<State>& entry = tools_.emplace_back();
    entry.name = std::move(name);
    entry.description = std::move(description);
    entry.input_schema = options.input_schema.text.empty() ? detail::schema_of<Arguments>()
                                                           : options.input_schema.text;
    entry.options = std::move(options);
  }

  PluginOptions options_;
  std::vector<detail::ToolEntry<State>> tools_;
  detail::Handover<State> handover_;
  detail::Offers<State> offers_;
  std::optional<OfferList detail::Offers<State>::*> named_last_;
};

}  // namespace v1
}  // namespace toolpost

#include "toolpost/detail/library.hpp"

// Once in a plugin: makes the library's one exported symbol. The plugin is built when the library
// is loaded, so that the exported function only hands out a pointer. Where that throws, it hands
// out NULL.
#define TOOLPOST_PLUGIN(...)                                                            \
  namespace {                                                                           \
  auto toolpost_make_plugin() {                                                         \
    return __VA_ARGS__;                                                                 \
  }                                                                                     \
  const ::toolpost::detail::Library<decltype(toolpost_make_plugin())> toolpost_library( \
      &toolpost_make_plugin);                                                           \
  }                                                                                     \
  extern "C" TP_EXPORT const tp_plugin* toolpost_plugin_v1(void) {                      \
    return toolpost_library.table();                                                    \
  }
