// The types of webhook events, and their JSON. An event has ids, names and states, but no arguments
// and no results. Clients that may read those use REST with the ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "identity/scopes.h"

namespace host::webhook {

// Each type is one bit, because a webhook can request several.
enum class Type : std::uint32_t {
  CallFinished = 1,
  ApprovalAsked = 2,
  ExternalExecutionRequired = 4,
  PluginQuarantined = 8,
  DefinitionHeld = 16,
  Test = 32,  // cannot be requested
};

struct EventType {
  Type type;
  std::string_view name;   // "call.finished"
  std::string_view about;  // one sentence
  identity::Scope needed;  // the scope that a principal needs to get it
  bool of_host;            // about the host, not about a call
  std::string_view data;   // JSON Schema (2020-12) of the member `data`
};

constexpr std::uint32_t bit(Type type) {
  return static_cast<std::uint32_t>(type);
}

// All types, without Test.
const std::array<EventType, 5>& event_types();
// nullptr: there is no such type. Also finds webhook.test.
const EventType* find_type(std::string_view name);
const EventType& about(Type type);
// The names of the types in `bits`, and the reverse. Unknown names are ignored.
std::vector<std::string> names_of(std::uint32_t bits);
std::uint32_t bits_of(const std::vector<std::string>& names);
// "call.finished, approval.asked, ..."
std::string all_names();

// The JSON Schema of a whole event, for each type, Test included. For the OpenAPI document.
struct EventSchema {
  std::string_view name;
  std::string_view about;
  std::string schema;
};
std::vector<EventSchema> event_schemas();

// {"type":...,"timestamp":...,"data":...}. `data` is JSON object text.
std::string body_of(Type type, WallTime at, std::string_view data);

}  // namespace host::webhook
