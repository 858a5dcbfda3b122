// Reads the `params._meta` of a request. In every protocol version, `_meta` has the progress token
// and the trace. Since protocol version 2026-07-28, `_meta` also has the protocol version and the
// client's capabilities.
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
inline constexpr std::string_view kContextKey = "io.toolpost/context";

struct Envelope {
  // `version` is the protocol version in `_meta`. If `version` is nullptr, the request belongs to a
  // protocol version with sessions.
  const json::Value* version = nullptr;
  const json::Value* capabilities = nullptr;  // nullptr: absent
  const json::Value* client = nullptr;        // nullptr: absent
  const json::Value* log_level = nullptr;
  const json::Value* progress_token = nullptr;
  const json::Value* idempotency_key = nullptr;  // nullptr: absent
  const json::Value* context = nullptr;          // the call's context; nullptr: absent
  Trace trace;                                   // has only valid parts

  bool claims() const { return version != nullptr; }
};

Envelope read_envelope(const json::Value* params);

// Returns the reason (error -32602) if `_meta` lacks the protocol version or the capabilities, or
// if one of them or clientInfo is malformed. Otherwise returns nullopt.
std::optional<std::string> envelope_fault(const Envelope& envelope);
// Returns a description of the fault if an object with a client's name and version (such as
// clientInfo) lacks a required member. `key` is the object's member name, such as "clientInfo", for
// the error message.
std::optional<std::string> client_info_fault(const json::Value& info, std::string_view key);
// Returns the fault -32022 with the served protocol versions if the host does not serve the version
// `claimed`. Returns nullopt if the host serves this version.
std::optional<Fault> version_fault(std::string_view claimed, const Id& id);
// Returns the fault for an unsupported version in the header MCP-Protocol-Version.
Fault unsupported_header(std::string_view named, const Id& id);
// Returns the fault if the progress token or the log level is malformed. All protocol versions have
// a progress token and a log level.
std::optional<std::string> meta_fault(const Envelope& envelope);

// Returns the kinds of questions that a client with these capabilities supports.
tool::Abilities abilities_of(const json::Value* capabilities, Version version);

}  // namespace host::protocol
