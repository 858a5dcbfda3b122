// Defines the types of webhook events, and their JSON. An event contains ids, names and states, but
// no arguments and no results. Clients that may see arguments and results can read them over REST,
// with the ids in the event.
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

// Each type of event is one bit, because a webhook can request several types.
enum class Type : std::uint32_t {
  CallFinished = 1,
  ApprovalAsked = 2,
  ExternalExecutionRequired = 4,
  PluginQuarantined = 8,
  DefinitionHeld = 16,
  Test = 32,  // a webhook cannot request this type
};

struct EventType {
  Type type;
  std::string_view name;   // "call.finished"
  std::string_view about;  // describes the type in one sentence
  identity::Scope needed;  // the scope of a principal that may get such events
  bool of_host;            // the event is about the host, not about a call
  std::string_view data;   // JSON Schema (2020-12) of the member `data`
};

constexpr std::uint32_t bit(Type type) {
  return static_cast<std::uint32_t>(type);
}

// Returns all types of events except Test.
const std::array<EventType, 5>& event_types();
// Returns nullptr for an unknown type. find_type() also finds webhook.test.
const EventType* find_type(std::string_view name);
const EventType& about(Type type);
// names_of() returns the names of the event types whose bits are set. bits_of() ignores unknown
// names.
std::vector<std::string> names_of(std::uint32_t bits);
std::uint32_t bits_of(const std::vector<std::string>& names);
// Returns "call.finished, approval.asked, ...", for messages.
std::string all_names();

// An EventSchema is the JSON Schema of a whole event of one type, for the OpenAPI document.
// Type::Test is included.
struct EventSchema {
  std::string_view name;
  std::string_view about;
  std::string schema;
};
std::vector<EventSchema> event_schemas();

// Adds a text that a client, a plugin or an upstream has chosen to the data of an event. The
// function add_text() shortens a text of more than kMostTextBytes, because the store and the
// receivers keep many events.
void add_text(std::string& data, std::string_view key, std::string_view text);
std::string shortened(std::string_view text);
inline constexpr std::size_t kMostTextBytes = 256;

// Returns {"type":...,"timestamp":...,"data":...}. `data` is JSON object text.
std::string body_of(Type type, WallTime at, std::string_view data);

}  // namespace host::webhook
