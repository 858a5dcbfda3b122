// Tool lets you write a tool as a class, for tools with optional functions.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/check.hpp"

namespace toolpost {
inline namespace v1 {

// Derive a class from Tool and add a member `call`, which follows the rules of a tool's function:
//
//   struct Remove : toolpost::Tool<Path, Disk> {
//     std::string call(Disk& disk, const Path& path) const;
//     toolpost::Permission check_permissions(Disk&, const Path& path,
//                                            const toolpost::Check& check) const override;
//   };
//   ... .tool<Remove>("remove", "Remove one file") ...
//
// The host calls only those functions of Tool that you override. The object of your class must have
// no state, because one object serves all instances and threads. Store the data of an instance in
// State, not in the tool's object.
template <class Arguments_, class State_>
class Tool {
 public:
  using Arguments = Arguments_;
  using State = State_;
  virtual ~Tool() = default;

  // Decides whether this call may run.
  virtual Permission check_permissions(State&, const Arguments&, const Check&) const { return {}; }
  // Decides whether a rule with check.rule_content matches this call.
  virtual bool match_rule(State&, const Arguments&, const Check&) const { return false; }
  // Suggests rules that would allow calls like this call.
  virtual std::vector<Suggestion> generate_suggestions(State&, const Arguments&,
                                                       const Check&) const {
    return {};
  }
  // Decides whether this call changes nothing.
  virtual bool check_read_only(State&, const Arguments&, const Check&) const { return false; }
};

namespace detail {

// Returns the member function of the tool's class as a function object with the same parameters.
template <class T, class R, class... P>
auto bind_call(const T& object, R (T::*call)(P...) const) {
  return [&object, call](P... parameters) -> R {
    return (object.*call)(std::forward<P>(parameters)...);
  };
}

template <class F>
struct ClassOf;
template <class C, class R, class... P>
struct ClassOf<R (C::*)(P...) const> {
  using type = C;
};

// overridden() is true if T overrides the given function of Tool.
template <class T, class F>
constexpr bool overridden(F) {
  return !std::is_same_v<typename ClassOf<F>::type, Tool<typename T::Arguments, typename T::State>>;
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
