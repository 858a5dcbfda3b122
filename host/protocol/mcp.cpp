#include "protocol/mcp.h"

#include "json/json.h"
#include "protocol/content.h"
#include "protocol/elicitation.h"

namespace host::protocol {
namespace {

bool is_object(std::string_view json) {
  const auto first = json.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && json[first] == '{';
}

bool may_carry(std::string_view structured, Structured kind) {
  return kind == Structured::Any || (kind == Structured::Object && is_object(structured));
}

// Before 2026-07-28 an output schema describes an object or is not shown.
bool may_show_output_schema(const std::string& schema, Structured kind) {
  if (schema.empty() || kind == Structured::None) return false;
  if (kind == Structured::Any) return true;
  const auto tree = json::parse(schema);
  return tree && json::find_text(tree->root(), "type") == "object";
}

// A model that reads only content must still see a structured result.
void append_content(const tool::CallResult& result, Version version, std::string& out) {
  append_key("content", out);
  out += '[';
  if (result.content.empty() && !result.structured.empty()) {
    out += R"({"type":"text","text":)";
    json::write_string(result.structured, out);
    out += '}';
  } else if (features(version).audio && features(version).resource_links) {
    out += result.content;
  } else {
    out += content_for(result.content, version);
  }
  out += ']';
}

}  // namespace

void append_meta(std::string_view info, std::string_view more, Version version, std::string& out) {
  const bool tells_server = features(version).stateless && !info.empty();
  if (!tells_server && more.empty()) return;
  append_key("_meta", out);
  out += '{';
  if (tells_server) {
    append_key("io.modelcontextprotocol/serverInfo", out);
    out += info;
  }
  if (!more.empty()) {
    if (tells_server) out += ',';
    out += more;
  }
  out += '}';
}

std::string server_info(const ServerInfo& info, Version version) {
  std::string out = "{";
  append_string("name", info.name, out);
  if (features(version).titles && !info.title.empty()) append_string("title", info.title, out);
  append_string("version", info.version, out);
  out += '}';
  return out;
}

// What is served, whether or not a provider offers any of it now.
std::string capabilities(Version version) {
  std::string out =
      R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
      R"("prompts":{"listChanged":true},"logging":{})";
  if (features(version).completions) out += R"(,"completions":{})";
  if (!features(version).stateless) {
    out += R"(,"experimental":{"io.modelcontextprotocol/skills":{"directoryRead":true}})";
  } else {
    out += R"(,"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true},)"
           R"("io.modelcontextprotocol/tasks":{}})";
  }
  return out + '}';
}

void append_tool(const tool::Tool& tool, Version version, Structured structured, std::string& out) {
  const tool::Declaration& declared = tool.declared();
  out += '{';
  out += tool.listing();
  if (features(version).titles && !declared.title.empty()) {
    append_string("title", declared.title, out);
  }
  if (may_show_output_schema(declared.output_schema, structured)) {
    append_key("outputSchema", out);
    out += declared.output_schema;
  }
  if (features(version).icons && !declared.icons.empty()) {
    append_key("icons", out);
    out += declared.icons;
  }
  out += '}';
}

std::string list_answer(const Id& id, std::string_view list, std::string_view entries,
                        std::string_view next_cursor, Version version, std::string_view info) {
  std::string value;
  value.reserve(entries.size() + next_cursor.size() + 24);
  value += '[';
  value += entries;
  value += ']';
  if (!next_cursor.empty()) append_string("nextCursor", next_cursor, value);
  return member_answer(id, list, value, version, info);
}

std::string member_answer(const Id& id, std::string_view name, std::string_view value,
                          Version version, std::string_view info) {
  std::string out;
  out.reserve(value.size() + info.size() + 256);
  begin_result(id, out);
  out += '{';
  if (features(version).stateless) out += kComplete;
  append_key(name, out);
  out += value;
  if (features(version).stateless) {
    out += ',';
    out += kNoCaching;
  }
  append_meta(info, {}, version, out);
  out += "}}";
  return out;
}

std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info) {
  return call_answer(id, result, version, info, features(version).structured);
}

std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info, Structured structured) {
  std::string out;
  out.reserve(result.content.size() + result.structured.size() + result.meta.size() + info.size() +
              id.size() + 192);
  begin_result(id, out);
  out += '{';
  if (features(version).stateless) out += kComplete;
  append_content(result, version, out);
  if (!result.structured.empty() && may_carry(result.structured, structured)) {
    append_key("structuredContent", out);
    out += result.structured;
  }
  if (result.is_error) out += R"(,"isError":true)";
  append_meta(info, result.meta, version, out);
  out += "}}";
  return out;
}

void append_questions(const std::vector<tool::Question>& questions, std::string& out) {
  out += '{';
  for (const tool::Question& question : questions) {
    if (&question != &questions.front()) out += ',';
    json::write_string(question.key, out);
    out += R"(:{"method":)";
    json::write_string(question.method, out);
    out += R"(,"params":)";
    out += question.refused.empty() ? question.params : params_with_reason(question);
    out += '}';
  }
  out += '}';
}

std::string round_answer(const Id& id, const tool::Round& round, std::string_view state,
                         std::string_view info) {
  std::string refused;
  for (const tool::Question& question : round.questions) {
    if (question.refused.empty()) continue;
    refused += refused.empty() ? R"("io.toolpost/refused_answers":{)" : ",";
    json::write_string(question.key, refused);
    refused += ':';
    json::write_string(question.refused, refused);
  }
  if (!refused.empty()) refused += '}';
  std::string out;
  begin_result(id, out);
  out += R"({"resultType":"input_required","inputRequests":)";
  append_questions(round.questions, out);
  append_string("requestState", state, out);
  append_meta(info, refused, Version::v2026_07_28, out);
  out += "}}";
  return out;
}

std::string initialize_answer(const Id& id, Version version, std::string_view info,
                              std::string_view instructions) {
  std::string out;
  begin_result(id, out);
  out += '{';
  append_string("protocolVersion", to_string(version), out);
  append_key("capabilities", out);
  out += capabilities(version);
  append_key("serverInfo", out);
  out += info;
  if (!instructions.empty()) append_string("instructions", instructions, out);
  out += "}}";
  return out;
}

std::string discover_answer(const Id& id, std::string_view info, std::string_view instructions) {
  std::string out;
  begin_result(id, out);
  out += '{';
  out += kComplete;
  append_key("supportedVersions", out);
  out += supported_modern();
  append_key("capabilities", out);
  out += capabilities(Version::v2026_07_28);
  if (!instructions.empty()) append_string("instructions", instructions, out);
  out += ',';
  out += kNoCaching;
  append_meta(info, {}, Version::v2026_07_28, out);
  out += "}}";
  return out;
}

std::string empty_answer(const Id& id) {
  std::string out;
  begin_result(id, out);
  out += "{}}";
  return out;
}

}  // namespace host::protocol
