#include "protocol/offers.h"

#include "json/json.h"
#include "protocol/content.h"
#include "protocol/mcp.h"

namespace host::protocol {
namespace {

void append_text(std::string_view key, std::string_view value, std::string& out) {
  if (!value.empty()) append_string(key, value, out);
}

void append_json(std::string_view key, std::string_view json, std::string& out) {
  if (json.empty()) return;
  append_key(key, out);
  out += json;
}

void append_resource_as(std::string_view uri_key, const tool::Resource& resource, Version version,
                        std::string& out) {
  const Features& known = features(version);
  out += '{';
  append_string(uri_key, resource.uri, out);
  append_string("name", resource.name.empty() ? resource.uri : resource.name, out);
  if (known.titles) append_text("title", resource.title, out);
  append_text("description", resource.description, out);
  append_text("mimeType", resource.mime_type, out);
  if (resource.size) {
    append_key("size", out);
    out += std::to_string(*resource.size);
  }
  if (known.icons) append_json("icons", resource.icons, out);
  append_json("annotations", resource.annotations, out);
  append_json("_meta", resource.meta, out);
  out += '}';
}

void append_argument(const tool::PromptArgument& argument, Version version, std::string& out) {
  out += '{';
  append_string("name", argument.name, out);
  if (features(version).titles) append_text("title", argument.title, out);
  append_text("description", argument.description, out);
  if (argument.required) {
    append_key("required", out);
    out += "true";
  }
  out += '}';
}

// The members of a JSON object's text, without its braces.
std::string_view members(std::string_view object) {
  return object.substr(1, object.size() - 2);
}

enum class Cached { No, Says };

std::string answer(const Id& id, std::string_view result, Cached cached, std::string_view meta,
                   Version version, std::string_view info) {
  std::string out;
  out.reserve(result.size() + meta.size() + info.size() + id.size() + 192);
  begin_result(id, out);
  out += '{';
  if (features(version).stateless) {
    out += kComplete;
    out += ',';
  }
  out += result;
  if (features(version).stateless && cached == Cached::Says) {
    out += ',';
    out += kNoCaching;
  }
  append_meta(info, meta, version, out);
  out += "}}";
  return out;
}

// Messages with the kinds of content that `version` knows.
std::string messages_for(const std::string& structured, Version version) {
  auto tree = json::parse(structured);
  if (!tree) return structured;
  std::string out = "{";
  append_text("description", json::find_text(tree->root(), "description"), out);
  append_key("messages", out);
  out += '[';
  for (const json::Value& message : json::find(tree->root(), "messages")->GetArray()) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_string("role", json::find_text(message, "role"), out);
    append_key("content", out);
    out += content_for(json::write(*json::find(message, "content")), version) + "}";
  }
  return out + "]}";
}

}  // namespace

void append_resource(const tool::Resource& resource, Version version, std::string& out) {
  append_resource_as("uri", resource, version, out);
}

void append_template(const tool::Resource& resource, Version version, std::string& out) {
  append_resource_as("uriTemplate", resource, version, out);
}

void append_prompt(const tool::Prompt& prompt, Version version, std::string& out) {
  const Features& known = features(version);
  out += '{';
  append_string("name", prompt.name, out);
  if (known.titles) append_text("title", prompt.title, out);
  append_text("description", prompt.description, out);
  if (!prompt.arguments.empty()) {
    append_key("arguments", out);
    out += '[';
    for (const tool::PromptArgument& each : prompt.arguments) {
      if (&each != &prompt.arguments.front()) out += ',';
      append_argument(each, version, out);
    }
    out += ']';
  }
  if (known.icons) append_json("icons", prompt.icons, out);
  append_json("_meta", prompt.meta, out);
  out += '}';
}

std::string read_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info) {
  return answer(id, members(result.structured), Cached::Says, result.meta, version, info);
}

std::string prompt_answer(const Id& id, const tool::CallResult& result, Version version,
                          std::string_view info) {
  const Features& known = features(version);
  if (known.audio && known.resource_links) {
    return answer(id, members(result.structured), Cached::No, result.meta, version, info);
  }
  const std::string fitting = messages_for(result.structured, version);
  return answer(id, members(fitting), Cached::No, result.meta, version, info);
}

std::string completion_answer(const Id& id, const tool::CallResult& result, Version version,
                              std::string_view info) {
  return answer(id, R"("completion":)" + result.structured, Cached::No, result.meta, version, info);
}

}  // namespace host::protocol
