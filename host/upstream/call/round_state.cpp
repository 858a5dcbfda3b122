#include "upstream/call/round_state.h"

#include "tool/definition/upstream_state.h"

namespace host::upstream {
namespace {

std::string prefix_of(std::string_view server) {
  return std::string(tool::kAskedState).append(server) + ":";
}

}  // namespace

std::string bound_state(std::string_view server, std::string_view own) {
  return prefix_of(server).append(own);
}

bool is_asked(std::string_view state) {
  return state.starts_with(tool::kAskedState);
}

std::optional<std::string> own_state(std::string_view server, std::string_view state) {
  if (!is_asked(state)) return std::nullopt;
  const std::string prefix = prefix_of(server);
  if (!state.starts_with(prefix)) return std::nullopt;
  return std::string(state.substr(prefix.size()));
}

}  // namespace host::upstream
