#include "tool/definition/class.h"

#include <algorithm>
#include <iterator>

namespace host::tool {

Class classify(std::string_view name) {
  if (name.starts_with("priv_")) return Class::Private;
  if (name.starts_with("pre_")) return Class::Pre;
  if (name.starts_with("post_")) return Class::Post;
  if (name.starts_with("mcp_")) return Class::Upstream;
  if (name.starts_with("_")) return Class::Internal;
  return Class::Standard;
}

bool is_reserved(std::string_view name) {
  constexpr std::string_view kOwn[] = {"Skill",    "reset_tools", "todo_write",
                                       "ask_user", "find_tools",  "call_tool"};
  return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
}

std::string_view to_string(Class value) {
  switch (value) {
    case Class::Standard:
      return "standard";
    case Class::Internal:
      return "internal";
    case Class::Pre:
      return "pre";
    case Class::Post:
      return "post";
    case Class::Private:
      return "private";
    case Class::Upstream:
      return "upstream";
  }
  return "standard";
}

std::string_view stem(std::string_view name) {
  switch (classify(name)) {
    case Class::Private:
      return name.substr(5);
    case Class::Pre:
      return name.substr(4);
    case Class::Post:
      return name.substr(5);
    default:
      return name;
  }
}

}  // namespace host::tool
