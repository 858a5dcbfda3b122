#include "protocol/client_requests.h"

#include "json/object_text.h"
#include "protocol/envelope.h"
#include "protocol/foreign_tasks.h"
#include "protocol/log_level.h"

namespace host::protocol {
namespace {

// The bytes of a request without its id, its method and its params. The members `name` and
// `arguments` need fewer bytes in addition to their values.
constexpr std::size_t kMostOfFrame = 64;

std::string meta_of(const RequestMeta& meta, const Sender& sender) {
  std::string out = "{";
  if (features(meta.version).stateless) {
    json::add_text(out, kVersionKey, to_string(meta.version));
    json::add_member(out, kCapabilitiesKey, sender.capabilities);
    json::add_member(out, kClientKey, sender.info);
    if (meta.log_level >= 0) json::add_text(out, kLogLevelKey, log_level_name(meta.log_level));
  }
  if (!meta.progress_token.empty()) json::add_member(out, "progressToken", meta.progress_token);
  if (!meta.trace.parent.empty()) json::add_text(out, "traceparent", meta.trace.parent);
  if (!meta.trace.state.empty()) json::add_text(out, "tracestate", meta.trace.state);
  if (!meta.trace.baggage.empty()) json::add_text(out, "baggage", meta.trace.baggage);
  return out + "}";
}

// The text has reserved memory for the params, which need `params_bytes`.
std::string begin_request(const Id& id, std::string_view method, std::size_t params_bytes) {
  std::string out;
  out.reserve(kMostOfFrame + id.size() + method.size() + params_bytes);
  out.append(R"({"jsonrpc":"2.0","id":)").append(id);
  append_string("method", method, out);
  return out;
}

}  // namespace

std::string client_capabilities(const tool::Abilities& abilities, Version version, bool tasks) {
  std::string out = "{";
  if (features(version).elicitation && (abilities.forms || abilities.urls)) {
    std::string modes = "{";
    if (features(version).elicitation_modes) {
      if (abilities.forms) json::add_member(modes, "form", "{}");
      if (abilities.urls) json::add_member(modes, "url", "{}");
    }
    json::add_member(out, "elicitation", modes + "}");
  }
  if (abilities.sampling) {
    const bool tools = abilities.sampling_tools && features(version).sampling_tools;
    json::add_member(out, "sampling", tools ? R"({"tools":{}})" : "{}");
  }
  if (abilities.roots) json::add_member(out, "roots", "{}");
  if (tasks && features(version).stateless) {
    std::string extensions = "{";
    json::add_member(extensions, kTasksExtension, "{}");
    json::add_member(out, "extensions", extensions + "}");
  }
  return out + "}";
}

std::string initialize_request(const Id& id, Version version, const Sender& sender) {
  std::string params = "{";
  json::add_text(params, "protocolVersion", to_string(version));
  json::add_member(params, "capabilities", sender.capabilities);
  json::add_member(params, "clientInfo", sender.info);
  std::string out = begin_request(id, "initialize", params.size());
  append_key("params", out);
  out.append(params).append("}}");
  return out;
}

std::string initialized_notification() {
  return R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
}

std::string discover_request(const Id& id, const Sender& sender) {
  RequestMeta meta;
  meta.version = Version::v2026_07_28;
  return client_request(id, "server/discover", {}, meta, sender);
}

std::string client_request(const Id& id, std::string_view method, std::string_view members,
                           const RequestMeta& meta, const Sender& sender) {
  const std::string about = meta_of(meta, sender);
  std::string out = begin_request(id, method, members.size() + about.size());
  if (about == "{}" && members.empty()) {
    out += "}";
    return out;
  }
  out.append(R"(,"params":{)").append(members);
  if (about != "{}") {
    append_key("_meta", out);
    out += about;
  }
  out += "}}";
  return out;
}

std::string cursor_member(std::string_view cursor) {
  std::string out;
  if (!cursor.empty()) append_string("cursor", cursor, out);
  return out;
}

namespace {

void append_continuation(const tool::Continuation& resumed, std::string& out) {
  if (!resumed.answers.empty()) {
    std::string answers = "{";
    for (const auto& [key, answer] : resumed.answers) json::add_member(answers, key, answer);
    append_key("inputResponses", out);
    out += answers + "}";
  }
  if (!resumed.state.empty()) append_string("requestState", resumed.state, out);
}

std::string named_members(std::string_view name, std::string_view arguments) {
  std::string out;
  out.reserve(kMostOfFrame + name.size() + arguments.size());
  append_string("name", name, out);
  append_key("arguments", out);
  out += arguments;
  return out;
}

}  // namespace

std::string call_members(std::string_view tool, std::string_view arguments,
                         const tool::Continuation& resumed) {
  std::string out = named_members(tool, arguments);
  append_continuation(resumed, out);
  return out;
}

std::string read_members(std::string_view uri, const tool::Continuation& resumed) {
  std::string out = uri_member(uri);
  append_continuation(resumed, out);
  return out;
}

std::string prompt_members(std::string_view name, const json::Value& arguments,
                           const tool::Continuation& resumed) {
  std::string out = named_members(name, json::write(arguments));
  append_continuation(resumed, out);
  return out;
}

std::string completion_members(std::string_view name, const json::Value& request) {
  const json::Value* const ref = json::find(request, "ref");
  const json::Value* const context = json::find(request, "context");
  std::string out;
  append_key("ref", out);
  if (json::find_text(*ref, "type") == "ref/prompt") {
    out += R"({"type":"ref/prompt")";
    append_string("name", name, out);
    out += '}';
  } else {
    out += R"({"type":"ref/resource")";
    append_string("uri", json::find_text(*ref, "uri"), out);
    out += '}';
  }
  append_key("argument", out);
  json::write(*json::find(request, "argument"), out);
  if (!context) return out;
  append_key("context", out);
  json::write(*context, out);
  return out;
}

std::string uri_member(std::string_view uri) {
  std::string out;
  append_string("uri", uri, out);
  return out;
}

std::string level_member(int level) {
  std::string out;
  append_string("level", log_level_name(level), out);
  return out;
}

std::string listen_members(const std::vector<std::string>& uris) {
  if (uris.empty())
    return R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,)"
           R"("resourcesListChanged":true})";
  std::string wanted = "{";
  json::add_member(wanted, "resourceSubscriptions", json::list_of(uris));
  return R"("notifications":)" + wanted + "}";
}

std::string client_answer(const Id& id, std::string_view result) {
  std::string out;
  begin_result(id, out);
  out += result;
  return out + '}';
}

}  // namespace host::protocol
