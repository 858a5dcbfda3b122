#include "approval/call_key.h"

#include "base/digest.h"
#include "json/canonical.h"
#include "json/json.h"
#include "json/own_text.h"
#include "tool/call/sent_context.h"

namespace host::approval {

std::string canonical_of(const tool::Call& call, const std::string& arguments) {
  if (call.arguments_text.empty()) return json::canonical(call.arguments.root());
  const auto tree = json::parse_own(arguments);  // the arguments that the tool gets
  return tree ? json::canonical(tree->root()) : arguments;
}

std::string arguments_of(const tool::Call& call) {
  return call.arguments_text.empty() ? json::write(call.arguments.root()) : call.arguments_text;
}

store::ApprovalKey key_for(const tool::Call& call, const tool::Tool& tool, const std::string& build,
                           const std::string& arguments) {
  const tool::Peer& who = call.passport->who;
  return {who.principal,
          who.agent,
          tool.name(),
          tool.digest(),
          build,
          sha256(canonical_of(call, arguments) + tool::digested_context(*call.passport))};
}

}  // namespace host::approval
