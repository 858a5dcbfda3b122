#include "protocol/envelope.h"

#include "protocol/log_level.h"
#include "protocol/trace_context.h"

namespace host::protocol {
namespace {

std::string versions_data(std::string_view supported, std::string_view requested) {
  std::string data = R"({"supported":)" + std::string(supported) + R"(,"requested":)";
  json::write_string(requested, data);
  return data + '}';
}

}  // namespace

Envelope read_envelope(const json::Value* params) {
  Envelope envelope;
  const json::Value* const meta = params ? json::find(*params, "_meta") : nullptr;
  if (!meta || !meta->IsObject()) return envelope;
  std::string_view traceparent, tracestate, baggage;
  for (const auto& member : meta->GetObject()) {
    const std::string_view name = json::text(member.name);
    if (name == kVersionKey)
      envelope.version = &member.value;
    else if (name == kCapabilitiesKey)
      envelope.capabilities = &member.value;
    else if (name == kClientKey)
      envelope.client = &member.value;
    else if (name == kLogLevelKey)
      envelope.log_level = &member.value;
    else if (name == "progressToken")
      envelope.progress_token = &member.value;
    else if (name == "idempotency_key")
      envelope.idempotency_key = &member.value;
    else if (name == kContextKey)
      envelope.context = &member.value;
    else if (name == "traceparent")
      traceparent = json::text(member.value);
    else if (name == "tracestate")
      tracestate = json::text(member.value);
    else if (name == "baggage")
      baggage = json::text(member.value);
  }
  envelope.trace = read_trace(traceparent, tracestate, baggage);
  return envelope;
}

std::optional<std::string> envelope_fault(const Envelope& envelope) {
  const auto missing = [](std::string_view key) {
    return "params._meta needs \"" + std::string(key) + "\"";
  };
  if (!envelope.version) return missing(kVersionKey);
  if (!envelope.version->IsString()) {
    return "\"" + std::string(kVersionKey) + "\" must be a string";
  }
  if (!envelope.capabilities) return missing(kCapabilitiesKey);
  if (!envelope.capabilities->IsObject()) {
    return "\"" + std::string(kCapabilitiesKey) + "\" must be an object";
  }
  return envelope.client ? client_info_fault(*envelope.client, kClientKey) : std::nullopt;
}

std::optional<std::string> client_info_fault(const json::Value& info, std::string_view key) {
  const std::string named = "\"" + std::string(key) + "\"";
  if (!info.IsObject()) return named + " must be an object";
  for (const std::string_view member : {"name", "version"}) {
    const json::Value* const value = json::find(info, member);
    if (!value || !value->IsString()) {
      return named + " needs \"" + std::string(member) + "\", a string";
    }
  }
  return std::nullopt;
}

std::optional<Fault> version_fault(std::string_view claimed, const Id& id) {
  if (is_modern_name(claimed)) return std::nullopt;
  return Fault{kUnsupportedVersion, "Unsupported protocol version", id,
               versions_data(supported_modern(), claimed)};
}

Fault unsupported_header(std::string_view named, const Id& id) {
  std::string message = "MCP-Protocol-Version names an unsupported version, ";
  json::write_string(named, message);
  message += ": this host serves " + std::string(supported_over_http());
  return Fault{kUnsupportedVersion, std::move(message), id,
               versions_data(supported_over_http(), named)};
}

std::optional<std::string> meta_fault(const Envelope& envelope) {
  if (envelope.progress_token && read_id(envelope.progress_token).empty()) {
    return "\"progressToken\" must be a string of at most 1 KiB or an integer within 2^53";
  }
  if (!envelope.log_level) return std::nullopt;
  if (!log_level_from(json::text(*envelope.log_level))) {
    return "\"" + std::string(kLogLevelKey) + "\" must be one of debug to emergency";
  }
  return std::nullopt;
}

tool::Abilities abilities_of(const json::Value* capabilities, Version version) {
  tool::Abilities able;
  if (!capabilities || !capabilities->IsObject()) return able;
  const auto declared = [&](const json::Value& in, std::string_view key) {
    const json::Value* const found = json::find(in, key);
    return found && found->IsObject() ? found : nullptr;
  };
  if (const json::Value* const elicitation = declared(*capabilities, "elicitation");
      elicitation && features(version).elicitation) {
    const bool modes = features(version).elicitation_modes && !elicitation->ObjectEmpty();
    able.forms = !modes || declared(*elicitation, "form");  // `{}` means form, `{url}` does not
    able.urls = modes && declared(*elicitation, "url");
  }
  if (const json::Value* const sampling = declared(*capabilities, "sampling")) {
    able.sampling = true;
    able.sampling_tools = features(version).sampling_tools && declared(*sampling, "tools");
  }
  able.roots = declared(*capabilities, "roots");
  return able;
}

}  // namespace host::protocol
