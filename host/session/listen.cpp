#include "session/listen.h"

namespace host::session {

std::variant<Listen, protocol::Fault> read_listen(const protocol::Message& message) {
  const auto invalid = [&](std::string why) {
    return protocol::Fault{protocol::kInvalidParams, std::move(why), message.id, {}};
  };
  const json::Value* const wanted =
      message.params ? json::find(*message.params, "notifications") : nullptr;
  if (!wanted || !wanted->IsObject()) {
    return invalid("subscriptions/listen needs \"notifications\", an object");
  }
  const json::Value* const tools = json::find(*wanted, "toolsListChanged");
  if (tools && !tools->IsBool()) return invalid("\"toolsListChanged\" must be a boolean");
  return Listen{tools && tools->GetBool()};
}

}  // namespace host::session
