// The parameters and results of a tool's four optional functions; see tp_instance_api in plugin.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "toolpost/detail/fields.hpp"

namespace toolpost {
inline namespace v1 {

// Each of the four optional functions of a tool may take State&, the arguments and a Check.
struct Check {
  std::string mode = "default";
  std::vector<std::string> working_dirs = {};
  std::optional<std::string> rule_content = {};  // the content of the rule, only for match_rule
  TOOLPOST_FIELDS(Check, TOOLPOST_FIELD(mode), TOOLPOST_FIELD(working_dirs, "", defaulted),
                  TOOLPOST_FIELD(rule_content))
};

enum class Behavior { allow, ask, deny, passthrough };
TOOLPOST_ENUM(Behavior, TOOLPOST_VALUE(allow), TOOLPOST_VALUE(ask), TOOLPOST_VALUE(deny),
              TOOLPOST_VALUE(passthrough))

struct Permission {
  Behavior behavior = Behavior::passthrough;
  std::string message = {};
  std::optional<std::string> reason = {};
  bool safety = false;  // true: the `behavior` ask applies in every permission mode
  // `cwd` is set only for a tool with command_arg. `cwd` is the absolute path of the folder in
  // which this call's command runs. The host resolves the command's relative paths against `cwd`.
  std::optional<std::string> cwd = {};
  TOOLPOST_FIELDS(Permission, TOOLPOST_FIELD(behavior), TOOLPOST_FIELD(message),
                  TOOLPOST_FIELD(reason), TOOLPOST_FIELD(safety), TOOLPOST_FIELD(cwd))
};

struct Suggestion {
  std::optional<std::string> content = {};  // nullopt: the rule covers the whole tool
};

namespace detail {

// The State type of a plugin whose author defines no State.
struct Stateless {};

// Replaces invalid UTF-8 in the message and the reason of a Permission. The host refuses an answer
// with invalid UTF-8.
void mend_words(Permission& permission);

template <>
struct Codec<Suggestion> {
  static void write(std::string& out, const Suggestion& value);
};

}  // namespace detail

template <class Arguments, class State = detail::Stateless>
class Tool;

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/check.ipp"
#endif
