#include "protocol/json_rpc.h"

#include <cstdint>

#include "base/log.h"

namespace host::protocol {
namespace {

constexpr std::int64_t kMaxIdInteger = std::int64_t{1} << 53;

Fault invalid(std::string message, Id id = {}) {
  return {kInvalidRequest, std::move(message), std::move(id), {}};
}

std::string why_no_id(const json::Value& id, std::size_t most_bytes) {
  if (!id.IsString()) return "\"id\" must be a string or an integer within 2^53";
  return "\"id\" is a string of " + std::to_string(id.GetStringLength()) +
         " bytes: limits.id_bytes allows " + std::to_string(most_bytes);
}

// What a message holds that counts, found in one pass: objects are searched linearly.
struct Members {
  const json::Value* version = nullptr;
  const json::Value* id = nullptr;
  const json::Value* method = nullptr;
  json::Value* params = nullptr;
  const json::Value* result = nullptr;
  const json::Value* error = nullptr;
};

Members members_of(json::Value& tree) {
  Members found;
  for (auto& member : tree.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (name == "jsonrpc")
      found.version = &member.value;
    else if (name == "id")
      found.id = &member.value;
    else if (name == "method")
      found.method = &member.value;
    else if (name == "params")
      found.params = &member.value;
    else if (name == "result")
      found.result = &member.value;
    else if (name == "error")
      found.error = &member.value;
  }
  return found;
}

std::variant<Message, Fault> read_call(const Members& found, Id id) {
  if (!found.method->IsString()) return invalid("\"method\" must be a string", std::move(id));
  if (found.result || found.error) {
    return invalid("a message has a \"method\" or a \"result\" or an \"error\", not several",
                   std::move(id));
  }
  if (found.params && !found.params->IsObject()) {
    return invalid("\"params\" must be an object", std::move(id));
  }
  const json::Value* const meta = found.params ? json::find(*found.params, "_meta") : nullptr;
  if (meta && !meta->IsObject()) {
    // null is how some clients write a member that they do not set. A notification is never
    // answered.
    if (found.id && !meta->IsNull()) {
      return Fault{kInvalidParams, "\"params._meta\" must be an object", std::move(id), {}};
    }
    if (!meta->IsNull()) {
      log::debug("session", "a notification's params._meta is no object and was dropped");
    }
    found.params->RemoveMember("_meta");
  }
  Message message;
  message.kind = found.id ? Kind::Request : Kind::Notification;
  message.id = std::move(id);
  message.method = json::text(*found.method);
  message.params = found.params;
  return message;
}

std::variant<Message, Fault> read_response(const Members& found, Id id) {
  // As JSON-RPC 1.0 has it, some servers write both members, and one of them is null.
  const bool has_both = found.result && found.error;
  const json::Value* const error = has_both && found.error->IsNull() ? nullptr : found.error;
  const json::Value* const result =
      has_both && error && found.result->IsNull() ? nullptr : found.result;
  if ((result != nullptr) == (error != nullptr)) {
    return invalid("the message has no \"method\", so it needs one of \"result\" and \"error\"",
                   std::move(id));
  }
  if (error && !error->IsObject()) {
    return invalid("\"error\" must be an object", std::move(id));
  }
  Message message;
  message.kind = Kind::Response;
  message.id = std::move(id);
  message.result = result;
  message.error = error;
  return message;
}

}  // namespace

Id read_id(const json::Value* id, std::size_t most_bytes) {
  if (!id) return {};
  if (id->IsInt64()) {
    const std::int64_t value = id->GetInt64();
    return value >= -kMaxIdInteger && value <= kMaxIdInteger ? std::to_string(value) : Id();
  }
  if (!id->IsString() || id->GetStringLength() > most_bytes) return {};
  Id text;
  json::write_string(json::text(*id), text);
  return text;
}

Id id_of_refused(const json::MemberScan& scan, std::size_t id_bytes) {
  if (!scan.has("method") || scan.kept().empty()) return {};
  const auto id = json::parse(scan.kept());
  return id ? read_id(&id->root(), id_bytes) : Id();
}

Id id_of_refused(std::string_view text, std::size_t id_bytes) {
  json::MemberScan scan("id");
  scan.take(text);
  return id_of_refused(scan, id_bytes);
}

std::variant<Message, Fault> read_message(json::Value& tree, std::size_t id_bytes) {
  if (!tree.IsObject()) return invalid("a message must be a JSON object");
  const Members found = members_of(tree);
  Id id = read_id(found.id, id_bytes);
  if (!found.version || json::text(*found.version) != "2.0") {
    return invalid("\"jsonrpc\" must be \"2.0\"", std::move(id));
  }
  // An error that answers what could not be read has the id null, or none.
  const bool orphan = found.error && !found.method && (!found.id || found.id->IsNull());
  if (found.id && id.empty() && !orphan) {
    return invalid(why_no_id(*found.id, id_bytes));
  }
  if (found.method) return read_call(found, std::move(id));
  if (!found.id && !orphan) return invalid("the message has neither \"method\" nor \"id\"");
  return read_response(found, std::move(id));
}

void begin_result(const Id& id, std::string& out) {
  out += R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"result":)";
}

std::string error_text(const Id& id, int code, std::string_view message, std::string_view data) {
  std::string out = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) {
    out += R"("id":)";
    out += id;
    out += ',';
  }
  out += R"("error":{"code":)";
  out += std::to_string(code);
  out += R"(,"message":)";
  json::write_string(message, out);
  if (!data.empty()) {
    out += R"(,"data":)";
    out += data;
  }
  out += "}}";
  return out;
}

std::string error_text(const Fault& fault) {
  return error_text(fault.id, fault.code, fault.message, fault.data);
}

void append_key(std::string_view key, std::string& out) {
  if (!out.empty() && out.back() != '{') out += ',';
  out += '"';
  out += key;
  out += "\":";
}

void append_string(std::string_view key, std::string_view value, std::string& out) {
  append_key(key, out);
  json::write_string(value, out);
}

}  // namespace host::protocol
