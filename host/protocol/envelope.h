// The `params._meta` of a request: since 2026-07-28 its version and the client's capabilities, in
// every version the progress token and the trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/json_rpc.h"
#include "protocol/trace_context.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

struct Envelope {
  const json::Value* version = nullptr;       // the claimed version; nullptr: a legacy request
  const json::Value* capabilities = nullptr;  // nullptr: absent
  const json::Value* client = nullptr;        // nullptr: absent
  const json::Value* log_level = nullptr;
  const json::Value* progress_token = nullptr;
  const json::Value* idempotency_key = nullptr;  // nullptr: absent
  Trace trace;                                   // the valid parts

  bool claims() const { return version != nullptr; }
};

Envelope read_envelope(const json::Value* params);

// The reason if the version claim is incomplete or malformed (-32602); otherwise nullopt.
std::optional<std::string> envelope_fault(const Envelope& envelope);
// The fault if a client's Implementation lacks a required member. `key` names the Implementation in
// the message.
std::optional<std::string> client_info_fault(const json::Value& info, std::string_view key);
// The fault -32022 with the served versions if the claimed version is not served. nullopt: it is
// served.
std::optional<Fault> version_fault(std::string_view claimed, const Id& id);
// The fault for an unsupported version in MCP-Protocol-Version.
Fault unsupported_header(std::string_view named, const Id& id);
// The fault of the members that exist in all versions: token and level.
std::optional<std::string> meta_fault(const Envelope& envelope);

// The kinds of questions that a client with these capabilities supports.
tool::Abilities abilities_of(const json::Value* capabilities, Version version);

}  // namespace host::protocol
