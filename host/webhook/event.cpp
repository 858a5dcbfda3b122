#include "webhook/event.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "json/object_text.h"

namespace host::webhook {
namespace {

using identity::Scope;

#define TEXT_MEMBER(name) "\"" name "\":{\"type\":\"string\"}"
#define CALLER_MEMBERS TEXT_MEMBER("principal") "," TEXT_MEMBER("agent") "," TEXT_MEMBER("session")

constexpr std::array<EventType, 5> kTypes{{
    {Type::CallFinished, "call.finished",
     "A call has ended. Its record has the result, if the call has one.", Scope::Call, false,
     R"({"type":"object","properties":{)" TEXT_MEMBER("call") "," TEXT_MEMBER(
         "tool") "," CALLER_MEMBERS
                 R"(,"tool_use_id":{"type":"string"},"state":{"enum":["COMPLETE","ERROR"]},)" TEXT_MEMBER(
                     "code") R"(},"required":["call","tool","principal","state"]})"},
    {Type::ApprovalAsked, "approval.asked",
     "A call waits for the decision or the answer of a reviewer.", Scope::Call, false,
     R"({"type":"object","properties":{)" TEXT_MEMBER("approval") "," TEXT_MEMBER(
         "tool") "," CALLER_MEMBERS
                 R"(,"kind":{"enum":["approval","question"]},"needs_code":{"type":"boolean"},)"
                 R"("expires":{"type":"string","format":"date-time"}},)"
                 R"("required":["approval","tool","principal","kind","needs_code","expires"]})"},
    {Type::ExternalExecutionRequired, "call.external_execution_required",
     "A call waits for a client that executes it.", Scope::Call, false,
     R"({"type":"object","properties":{)" TEXT_MEMBER("call") "," TEXT_MEMBER(
         "tool") "," CALLER_MEMBERS
                 R"(,"tool_use_id":{"type":"string"}},"required":["call","tool","principal"]})"},
    {Type::PluginQuarantined, "plugin.quarantined",
     "A plugin is in quarantine, because its workers crashed again and again.", Scope::Admin, true,
     R"({"type":"object","properties":{)" TEXT_MEMBER("plugin") "," TEXT_MEMBER(
         "reason") R"(},"required":["plugin","reason"]})"},
    {Type::DefinitionHeld, "upstream.definition_held",
     "New or changed definitions of an upstream's tools wait for the operator.", Scope::Admin, true,
     R"({"type":"object","properties":{)" TEXT_MEMBER(
         "upstream") R"(,"tools":{"type":"array","items":{"type":"string"}}},"required":["upstream","tools"]})"},
}};

constexpr EventType kTest{
    Type::Test,
    "webhook.test",
    "Somebody tests the webhook.",
    Scope::Call,
    false,
    R"({"type":"object","properties":{)" TEXT_MEMBER("webhook") R"(},"required":["webhook"]})"};

#undef CALLER_MEMBERS
#undef TEXT_MEMBER

std::string schema_of(const EventType& type) {
  std::string out = R"({"type":"object","properties":{"type":{"const":")";
  out += type.name;
  out += R"("},"timestamp":{"type":"string","format":"date-time"},"data":)";
  out += type.data;
  return out + R"(},"required":["type","timestamp","data"]})";
}

}  // namespace

const std::array<EventType, 5>& event_types() {
  return kTypes;
}

const EventType* find_type(std::string_view name) {
  if (name == kTest.name) return &kTest;
  const auto* const found = std::find_if(
      kTypes.begin(), kTypes.end(), [name](const EventType& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : found;
}

const EventType& about(Type type) {
  for (const EventType& one : kTypes) {
    if (one.type == type) return one;
  }
  return kTest;
}

std::vector<std::string> names_of(std::uint32_t bits) {
  std::vector<std::string> names;
  for (const EventType& type : kTypes) {
    if ((bits & bit(type.type)) != 0) names.emplace_back(type.name);
  }
  return names;
}

std::uint32_t bits_of(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names) {
    if (const EventType* const type = find_type(name)) bits |= bit(type->type);
  }
  return bits;
}

std::string all_names() {
  std::string all;
  for (const EventType& type : kTypes) all += (all.empty() ? "" : ", ") + std::string(type.name);
  return all;
}

std::vector<EventSchema> event_schemas() {
  std::vector<EventSchema> schemas;
  for (const EventType& type : kTypes) schemas.push_back({type.name, type.about, schema_of(type)});
  schemas.push_back({kTest.name, kTest.about, schema_of(kTest)});
  return schemas;
}

void add_text(std::string& data, std::string_view key, std::string_view text) {
  json::add_text(data, key, shortened(text));
}

std::string shortened(std::string_view text) {
  if (text.size() <= kMostTextBytes) return std::string(text);
  return std::string(utf8_begin(text, kMostTextBytes)) + "... (" + std::to_string(text.size()) +
         " bytes)";
}

std::string body_of(Type type, WallTime at, std::string_view data) {
  std::string out = "{";
  json::add_text(out, "type", about(type).name);
  json::add_text(out, "timestamp", to_rfc3339(at));
  json::add_member(out, "data", data);
  return out + "}";
}

}  // namespace host::webhook
