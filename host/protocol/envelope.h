// What a request says of itself in `params._meta`: since 2026-07-28 its version and the client's
// capabilities, in every version the token of its progress and its trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/json_rpc.h"
#include "protocol/trace_context.h"
#include "protocol/versions.h"
#include "tool/question.h"

namespace host::protocol {

inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

struct Envelope {
  const json::Value* version = nullptr;       // the claim; nullptr: a request of the legacy era
  const json::Value* capabilities = nullptr;  // nullptr: absent
  const json::Value* client = nullptr;        // nullptr: absent
  const json::Value* log_level = nullptr;
  const json::Value* progress_token = nullptr;
  const json::Value* idempotency_key = nullptr;  // nullptr: absent
  Trace trace;                                   // what of it is valid

  bool claims() const { return version != nullptr; }
};

Envelope read_envelope(const json::Value* params);

// Whether a claim is whole; what is missing or malformed otherwise (-32602).
std::optional<std::string> envelope_fault(const Envelope& envelope);
// What a client says of itself (Implementation): whether it has what it must have. `key` names it.
std::optional<std::string> client_info_fault(const json::Value& info, std::string_view key);
// Whether the claimed version is served; else -32022 with what is.
std::optional<Fault> version_fault(std::string_view claimed, const Id& id);
// What MCP-Protocol-Version of an HTTP request names is no version that is served.
Fault unsupported_header(std::string_view named, const Id& id);
// Of the members that are served alike in all versions: token and level.
std::optional<std::string> meta_fault(const Envelope& envelope);

// What a client of these capabilities can be asked.
tool::Abilities abilities_of(const json::Value* capabilities, Version version);

}  // namespace host::protocol
