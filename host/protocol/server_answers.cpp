#include "protocol/server_answers.h"

#include <algorithm>

#include "json/excerpt.h"
#include "protocol/envelope.h"
#include "protocol/foreign_questions.h"
#include "protocol/log_level.h"
#include "tool/definition/content_shape.h"
#include "tool/definition/declared_text.h"
#include "tool/definition/host_meta.h"
#include "tool/definition/question_key.h"

namespace host::protocol {
namespace {

constexpr std::size_t kMostNameBytes = 128;
constexpr std::size_t kMostToolNameBytes = 256;
constexpr std::size_t kMostInstructionBytes = 16u << 10u;
constexpr std::size_t kMostMessageBytes = 8u << 10u;
constexpr std::size_t kMostQuestions = 16;
constexpr std::size_t kMostStateBytes = 64u << 10u;
constexpr std::string_view kWrongKey =
    "the key of a question must have 1 to 128 bytes, and not begin with \"toolpost.\"";
constexpr std::string_view kServerKey = "io.modelcontextprotocol/serverInfo";

Error malformed(std::string_view what) {
  return Error{ErrorKind::PluginFault, std::string(what)};
}

const json::Value* object(const json::Value& in, std::string_view key) {
  const json::Value* const found = json::find(in, key);
  return found && found->IsObject() ? found : nullptr;
}

// A client could take such an answer for the host's own skill.
Result<void> check_uri(const json::Value& named) {
  if (!named.IsObject() || !tool::is_skill_uri(json::find_text(named, "uri"))) return {};
  return malformed("its result has a URI with the scheme skill:, which is for skills of this host");
}

// The URI of an embedded resource, and that of a link.
Result<void> check_uri_of(const json::Value& block) {
  if (!block.IsObject()) return {};
  const json::Value* const embedded = object(block, "resource");
  return check_uri(embedded ? *embedded : block);
}

// The URIs of resources/read and prompts/get.
Result<void> check_uris(const json::Value& result) {
  const json::Value* const contents = json::find(result, "contents");
  const json::Value* const messages = json::find(result, "messages");
  if (contents && contents->IsArray()) {
    for (const json::Value& one : contents->GetArray()) HOST_TRY(check_uri(one));
  }
  if (!messages || !messages->IsArray()) return {};
  for (const json::Value& message : messages->GetArray()) {
    const json::Value* const content =
        message.IsObject() ? json::find(message, "content") : nullptr;
    if (content && content->IsArray()) {
      for (const json::Value& block : content->GetArray()) HOST_TRY(check_uri_of(block));
    } else if (content) {
      HOST_TRY(check_uri_of(*content));
    }
  }
  return {};
}

bool truth(const json::Value& in, std::string_view key, bool otherwise) {
  const json::Value* const found = json::find(in, key);
  return found && found->IsBool() ? found->GetBool() : otherwise;
}

// Cut first, so that a long text costs little.
std::string message_of(std::string_view text) {
  return json::excerpt(tool::shown_text(json::excerpt(text, kMostMessageBytes)), kMostMessageBytes);
}

std::string line_of(const json::Value& in, std::string_view key) {
  return json::excerpt(tool::shown_line(json::find_text(in, key)), kMostNameBytes);
}

void read_capabilities(const json::Value& result, ServerSelf& self) {
  const json::Value* const all = object(result, "capabilities");
  if (!all) return;
  const auto list = [&](std::string_view name, bool& has, bool& changes) {
    const json::Value* const one = object(*all, name);
    has = one != nullptr;
    changes = one && truth(*one, "listChanged", false);
  };
  list("tools", self.tools, self.tools_change);
  list("resources", self.resources, self.resources_change);
  const json::Value* const resources = object(*all, "resources");
  self.resources_subscribe = resources && truth(*resources, "subscribe", false);
  list("prompts", self.prompts, self.prompts_change);
  self.completions = object(*all, "completions") != nullptr;
  self.logging = object(*all, "logging") != nullptr;
}

// Cancelling is part of the extension, and a capability of its own before.
void read_task_capabilities(const json::Value& result, ServerSelf& self) {
  const json::Value* const all = object(result, "capabilities");
  if (!all) return;
  if (features(self.version).stateless) {
    const json::Value* const extensions = object(*all, "extensions");
    self.tasks = extensions && object(*extensions, kTasksExtension);
    self.tasks_cancel = self.tasks;
    return;
  }
  const json::Value* const tasks = object(*all, "tasks");
  const json::Value* const requests = tasks ? object(*tasks, "requests") : nullptr;
  const json::Value* const tools = requests ? object(*requests, "tools") : nullptr;
  self.tasks = features(self.version).task_requests && tools && object(*tools, "call");
  self.tasks_cancel = self.tasks && object(*tasks, "cancel");
}

void read_info(const json::Value* info, ServerSelf& self) {
  if (!info || !info->IsObject()) return;
  self.name = line_of(*info, "name");
  self.title = line_of(*info, "title");
  self.release = line_of(*info, "version");
}

void read_rest(const json::Value& result, ServerSelf& self) {
  read_capabilities(result, self);
  read_task_capabilities(result, self);
  self.instructions = json::excerpt(tool::shown_text(json::find_text(result, "instructions")),
                                    kMostInstructionBytes);
}

bool supports_ours(const json::Value& versions) {
  return std::any_of(versions.Begin(), versions.End(),
                     [](const json::Value& one) { return is_modern_name(json::text(one)); });
}

void read_hints(const json::Value& tool, ForeignTool& read) {
  const json::Value* const hints = object(tool, "annotations");
  if (!hints) return;
  read.read_only = truth(*hints, "readOnlyHint", false);
  read.destructive = truth(*hints, "destructiveHint", true);
  read.idempotent = truth(*hints, "idempotentHint", false);
  read.open_world = truth(*hints, "openWorldHint", true);
  if (read.title.empty()) read.title = json::find_text(*hints, "title");
}

// A member that is an object (or an array), as its text; empty: absent.
Result<std::string> text_of(const json::Value& tool, std::string_view key, bool array) {
  const json::Value* const found = json::find(tool, key);
  if (!found) return std::string();
  if (array ? found->IsArray() : found->IsObject()) return json::write(*found);
  return malformed("its \"" + std::string(key) + "\" is no " + (array ? "array" : "object"));
}

// MCP reserves the prefixes of keys whose second label is one of these.
bool is_reserved_by_mcp(std::string_view key) {
  const std::string_view prefix = key.substr(0, key.find('/'));
  const std::size_t first = prefix.find('.');
  if (prefix.size() == key.size() || first == std::string_view::npos) return false;
  const std::string_view rest = prefix.substr(first + 1);
  const std::string_view second = rest.substr(0, rest.find('.'));
  return second == "modelcontextprotocol" || second == "mcp";
}

}  // namespace

std::string passed_on_meta(const json::Value& holder) {
  const json::Value* const meta = object(holder, "_meta");
  std::string out;
  if (!meta) return out;
  for (const auto& member : meta->GetObject()) {
    const std::string_view key = json::text(member.name);
    if (is_reserved_by_mcp(key) || tool::is_host_meta(key)) continue;
    if (!out.empty()) out += ',';
    json::write_string(key, out);
    out += ':';
    json::write(member.value, out);
  }
  return out;
}

Result<ServerSelf> read_initialized(const json::Value& result) {
  if (!result.IsObject()) return malformed("its answer to initialize is no object");
  const std::string_view named = json::find_text(result, "protocolVersion");
  const auto version = legacy_version_from(named);
  if (!version) {
    return Error{ErrorKind::Unavailable, "it speaks the protocol version \"" +
                                             json::excerpt(tool::shown_line(named), 40) +
                                             "\", which this host does not"};
  }
  ServerSelf self;
  self.version = *version;
  read_info(json::find(result, "serverInfo"), self);
  read_rest(result, self);
  return self;
}

Result<ServerSelf> read_discovered(const json::Value& result) {
  const json::Value* const versions =
      result.IsObject() ? json::find(result, "supportedVersions") : nullptr;
  if (!versions || !versions->IsArray())
    return Error{ErrorKind::InvalidArgument, "its answer to server/discover has no versions"};
  if (!supports_ours(*versions))
    return Error{ErrorKind::Unavailable, "it speaks no protocol version that this host has"};
  ServerSelf self;
  self.version = Version::v2026_07_28;
  const json::Value* const meta = object(result, "_meta");
  read_info(meta ? json::find(*meta, kServerKey) : nullptr, self);
  read_rest(result, self);
  return self;
}

bool is_modern_error(const json::Value& error) {
  const json::Value* const code = json::find(error, "code");
  if (!code || !code->IsInt()) return false;
  const json::Value* const data = object(error, "data");
  switch (code->GetInt()) {
    case kUnsupportedVersion:
      return data && json::find(*data, "supported");
    case kMissingCapability:
      return data && json::find(*data, "requiredCapabilities");
    case kHeaderMismatch:
      return true;
    default:
      return false;
  }
}

Result<ListPage> read_list_page(const json::Value& result, std::string_view list) {
  const json::Value* const entries = result.IsObject() ? json::find(result, list) : nullptr;
  if (!entries || !entries->IsArray())
    return malformed("its answer has no array \"" + std::string(list) + "\"");
  ListPage page;
  for (const json::Value& entry : entries->GetArray()) page.entries.push_back(&entry);
  const json::Value* const cursor = json::find(result, "nextCursor");
  if (cursor && cursor->IsString()) page.cursor = std::string(json::text(*cursor));
  const json::Value* const ttl = json::find(result, "ttlMs");
  if (ttl && ttl->IsInt64() && ttl->GetInt64() >= 0)
    page.ttl = std::chrono::milliseconds(ttl->GetInt64());
  return page;
}

Result<ForeignTool> read_tool(const json::Value& tool) {
  if (!tool.IsObject()) return malformed("it is no object");
  ForeignTool read;
  read.name = json::find_text(tool, "name");
  if (read.name.empty()) return malformed("it has no name");
  if (read.name.size() > kMostToolNameBytes)
    return malformed("its name has more than " + std::to_string(kMostToolNameBytes) + " bytes");
  read.title = json::find_text(tool, "title");
  read.description = json::find_text(tool, "description");
  HOST_TRY_ASSIGN(read.input_schema, text_of(tool, "inputSchema", false));
  if (read.input_schema.empty()) return malformed("it has no \"inputSchema\"");
  HOST_TRY_ASSIGN(read.output_schema, text_of(tool, "outputSchema", false));
  HOST_TRY_ASSIGN(read.icons, text_of(tool, "icons", true));
  read.meta = passed_on_meta(tool);
  read_hints(tool, read);
  read.tasks = read_task_support(tool);
  return read;
}

Result<tool::Round> read_round(const json::Value& result) {
  tool::Round round;
  round.state = json::find_text(result, "requestState");
  if (round.state.size() > kMostStateBytes)
    return malformed("its \"requestState\" has more than " + std::to_string(kMostStateBytes) +
                     " bytes");
  const json::Value* const asked = object(result, "inputRequests");
  if (asked && asked->MemberCount() > kMostQuestions)
    return malformed("it asks more than " + std::to_string(kMostQuestions) + " questions at once");
  if (asked) {
    for (const auto& member : asked->GetObject()) {
      const std::string_view key = json::text(member.name);
      if (!tool::is_provider_key(key)) return malformed(kWrongKey);
      auto question = read_asked(key, member.value);
      if (!question)
        return malformed("its question " + tool::quoted_name(key) +
                         " is malformed: " + question.error().message);
      round.questions.push_back(*std::move(question));
    }
  }
  if (round.questions.empty() && round.state.empty())
    return malformed("its result is \"input_required\" and asks nothing");
  return round;
}

Result<tool::CallResult> read_call_result(const json::Value& result) {
  if (!result.IsObject()) return malformed("its result is no object");
  const json::Value* const type = json::find(result, "resultType");
  if (type && json::text(*type) == "input_required") {
    tool::CallResult asks;
    HOST_TRY_ASSIGN(asks.round, read_round(result));
    return asks;
  }
  if (type && json::text(*type) != "complete")
    return malformed("its result has the type " + tool::quoted_name(json::text(*type)) +
                     ", which this host does not know");
  const json::Value* const content = json::find(result, "content");
  const json::Value* const structured = json::find(result, "structuredContent");
  if (!content && !structured) return malformed("its result has no \"content\"");
  if (content && !content->IsArray()) return malformed("its \"content\" is no array");
  tool::CallResult read;
  if (content) {
    for (const json::Value& block : content->GetArray()) {
      if (const std::string fault = tool::fault_of_content(block); !fault.empty())
        return malformed("a content block of its result " + fault);
      HOST_TRY(check_uri_of(block));
      read.add_block(tool::write_without_host_meta(block));
    }
  }
  if (structured && !structured->IsNull()) read.structured = json::write(*structured);
  read.is_error = truth(result, "isError", false);
  read.meta = passed_on_meta(result);
  return read;
}

Result<tool::CallResult> read_offer_result(tool::Function function, const json::Value& result) {
  if (!result.IsObject()) return malformed("its result is no object");
  const std::string_view type = json::find_text(result, "resultType");
  tool::CallResult read;
  if (type == "input_required") {
    HOST_TRY_ASSIGN(read.round, read_round(result));
    return read;
  }
  if (json::find(result, "resultType") && type != "complete")
    return malformed("its result has the type " + tool::quoted_name(type) +
                     ", which this host does not know");
  const bool completes = function == tool::Function::Complete;
  const json::Value* const completion = completes ? object(result, "completion") : &result;
  if (!completion) return malformed("its result has no object \"completion\"");
  HOST_TRY(check_uris(result));
  read.structured = tool::write_without_host_meta(*completion);
  read.meta = passed_on_meta(result);
  return read;
}

ForeignError read_error(const json::Value& error) {
  ForeignError read;
  const json::Value* const code = json::find(error, "code");
  if (code && code->IsInt()) read.code = code->GetInt();
  read.message = message_of(json::find_text(error, "message"));
  if (const json::Value* const any = json::find(error, "data"); any && !any->IsNull()) {
    read.data = json::write(*any);
    if (read.data.size() > kMostErrorDataBytes) read.data.clear();
  }
  const json::Value* const data = object(error, "data");
  if (read.code == kMissingCapability && data)
    read.required = abilities_of(json::find(*data, "requiredCapabilities"), Version::v2026_07_28);
  return read;
}

std::optional<ForeignProgress> read_progress(const json::Value& params) {
  ForeignProgress read;
  read.token = read_id(json::find(params, "progressToken"));
  const json::Value* const done = json::find(params, "progress");
  const json::Value* const total = json::find(params, "total");
  if (read.token.empty() || !done || !done->IsNumber()) return std::nullopt;
  read.done = done->GetDouble();
  if (total && total->IsNumber()) read.total = total->GetDouble();
  read.message = message_of(json::find_text(params, "message"));
  return read;
}

Id read_subscription(const json::Value& params) {
  const json::Value* const meta = object(params, "_meta");
  return meta ? read_id(json::find(*meta, "io.modelcontextprotocol/subscriptionId")) : Id();
}

std::string read_updated(const json::Value& params) {
  return std::string(json::find_text(params, "uri"));
}

std::optional<ForeignLog> read_log(const json::Value& params) {
  const auto level = log_level_from(json::find_text(params, "level"));
  const json::Value* const data = json::find(params, "data");
  if (!level || !data) return std::nullopt;
  ForeignLog read;
  read.level = *level;
  read.logger = line_of(params, "logger");
  if (data->IsObject()) read.fields = tool::shown_text(json::write(*data));
  if (!read.fields.empty() && read.fields.size() <= kMostMessageBytes) return read;
  read.fields.clear();
  read.message = message_of(data->IsString() ? json::text(*data) : json::write(*data));
  return read;
}

}  // namespace host::protocol
