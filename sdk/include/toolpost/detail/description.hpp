// A Description contains the data of a Plugin<State> without the type State. The SDK makes the C
// tables from the data in a Description.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/handler.hpp"
#include "toolpost/detail/handover.hpp"
#include "toolpost/detail/interceptor.hpp"
#include "toolpost/detail/offering.hpp"
#include "toolpost/detail/options.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

struct ToolEntry {
  std::string name;
  std::string description;
  ToolOptions options;
  std::string input_schema;
  std::string output_schema;
  Unknown unknown = Unknown::Refused;
  ToolFunctionPtr call;  // null: clients execute the tool
  ToolFunctionPtr check_permissions, match_rule, generate_suggestions, check_read_only;
};

// StateFunctions contains pointers to the functions of the author's State. A pointer is null if
// State does not have the function.
struct StateFunctions {
  void* (*make)(std::string_view config, Host host);
  void (*destroy)(void* state);
  std::string (*config_schema)();
  void (*activate)(void* state);
  void (*quiesce)(void* state, std::chrono::milliseconds grace);
  void (*on_cancel)(void* state, tp_call* call);
  void (*selftest)(void* state);
  const void* (*extension)(void* state, std::string_view id);
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
void* make_state(std::string_view config, Host host) {
  using Settings = typename SettingsOf<State>::type;
  auto settings = read_object<Settings>(config, "setting", Unknown::Refused);
  if constexpr (std::constructible_from<State, Settings, Host>) {
    return new State(std::move(settings), host);
  } else if constexpr (std::constructible_from<State, Settings> &&
                       !std::same_as<Settings, NoArguments>) {
    return new State(std::move(settings));
  } else if constexpr (std::constructible_from<State, Host>) {
    return new State(host);
  } else {
    return new State();
  }
}

template <class State>
constexpr StateFunctions state_functions() {
  StateFunctions of = {};
  of.make = &make_state<State>;
  of.destroy = [](void* state) { delete static_cast<State*>(state); };
  of.config_schema = [] {
    return closed_schema_of(Fields::of<typename SettingsOf<State>::type>());
  };
  if constexpr (requires(State & s) { s.activate(); })
    of.activate = [](void* state) { static_cast<State*>(state)->activate(); };
  if constexpr (requires(State & s) { s.quiesce(std::chrono::milliseconds()); })
    of.quiesce = [](void* state, std::chrono::milliseconds grace) {
      static_cast<State*>(state)->quiesce(grace);
    };
  if constexpr (requires(State & s, tp_call * call) { s.on_cancel(call); })
    of.on_cancel = [](void* state, tp_call* call) { static_cast<State*>(state)->on_cancel(call); };
  if constexpr (requires(State & s) { s.selftest(); })
    of.selftest = [](void* state) { static_cast<State*>(state)->selftest(); };
  if constexpr (requires(State & s) { s.extension(std::string_view()); })
    of.extension = [](void* state, std::string_view id) -> const void* {
      return static_cast<State*>(state)->extension(id);
    };
  return of;
}

// A Description is the description of a plugin. A Description can be moved, but not copied.
struct Description {
  Description(PluginOptions about, const StateFunctions& of);
  Description(Description&&) noexcept;
  Description& operator=(Description&&) noexcept;
  ~Description();

  // Adds a tool. The optional functions that are set after add_tool() belong to the tool that
  // add_tool() added.
  ToolEntry& add_tool(std::string name, std::string description, ToolOptions options,
                      const Fields& arguments);
  OfferEntry& add_offer(std::vector<OfferEntry>& to, std::string name, std::string description,
                        OfferOptions options, OfferCall call);
  ToolEntry& last_tool();    // throws if no tool was added
  OfferEntry& last_offer();  // throws if a tool was added last, or if nothing was added

  PluginOptions options;
  StateFunctions state;
  std::vector<ToolEntry> tools;
  Handover handover;
  Offers offers;
  InterceptorEntry interceptor;
  std::vector<OfferEntry> Offers::*named_last = nullptr;  // null: a tool was added last
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/description.ipp"
#endif
