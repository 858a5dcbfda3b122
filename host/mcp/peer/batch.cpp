#include "mcp/peer/batch.h"

#include <algorithm>

#include "protocol/envelope.h"

namespace host::mcp {

bool BatchMember::is_request() const {
  const auto* const message = std::get_if<protocol::Message>(&read);
  return message && message->kind == protocol::Kind::Request;
}

bool BatchMember::claims_version() const {
  const auto* const message = std::get_if<protocol::Message>(&read);
  return message && protocol::read_envelope(message->params).claims();
}

bool asks_anything(const std::vector<BatchMember>& members) {
  return std::any_of(members.begin(), members.end(), [](const BatchMember& member) {
    return member.is_request() || std::holds_alternative<protocol::Fault>(member.read);
  });
}

std::variant<std::vector<BatchMember>, protocol::Fault> read_batch(const json::Value& array,
                                                                   std::size_t id_bytes) {
  const auto invalid = [](std::string why) {
    return protocol::Fault{protocol::kInvalidRequest, std::move(why), {}, {}};
  };
  if (array.Empty()) return invalid("an empty array is no batch");
  if (array.Size() > kBatchMembers) {
    return invalid("a batch holds at most " + std::to_string(kBatchMembers) + " messages");
  }
  std::vector<BatchMember> members;
  members.reserve(array.Size());
  for (const json::Value& item : array.GetArray()) {
    BatchMember& member = members.emplace_back();
    member.tree.root() = json::copy(item, member.tree.allocator());
    member.read = protocol::read_message(member.tree.root(), id_bytes);
    const auto* const message = std::get_if<protocol::Message>(&member.read);
    if (message && message->method == "initialize") {
      member.read = protocol::Fault{
          protocol::kInvalidRequest, "initialize must not be part of a batch", message->id, {}};
    }
  }
  return members;
}

void Batch::add(std::string_view text, const protocol::Id& id) {
  if (text.empty()) return;
  std::string error;
  if (!answers_.empty() && !id.empty() && answers_.size() + text.size() > most_bytes_) {
    error =
        protocol::error_text({protocol::kInternalError,
                              "the answers to this array of messages would have more bytes than "
                              "limits.result_bytes allows: send this request by itself. What "
                              "it did stands",
                              id,
                              {}});
    if (error.size() < text.size()) text = error;
  }
  answers_ += answers_.empty() ? "[" : ",";
  answers_ += text;
  if (on_growth_) on_growth_(answers_.size());
}

}  // namespace host::mcp
