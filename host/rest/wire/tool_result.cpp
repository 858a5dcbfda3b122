#include "rest/wire/tool_result.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "json/json.h"
#include "json/object_text.h"
#include "json/own_text.h"

namespace host::rest {
namespace {

using json::Value;

// The types of images that models read.
constexpr std::array<std::string_view, 4> kImages = {"image/jpeg", "image/png", "image/gif",
                                                     "image/webp"};

std::optional<std::string_view> text_of(const Value& object, std::string_view key) {
  const Value* const found = object.IsObject() ? json::find(object, key) : nullptr;
  if (!found || !found->IsString()) return std::nullopt;
  return json::text(*found);
}

std::string text_block(std::string_view text) {
  std::string out = R"({"type":"text")";
  json::add_text(out, "text", text);
  return out + "}";
}

std::string image_block(std::string_view type, std::string_view data) {
  std::string source = R"({"type":"base64")";
  json::add_text(source, "media_type", type);
  json::add_text(source, "data", data);
  std::string out = R"({"type":"image")";
  json::add_member(out, "source", source + "}");
  return out + "}";
}

// One block of an MCP result. What a model's block cannot hold becomes its JSON as text.
std::string block_of(const Value& content) {
  const auto type = text_of(content, "type");
  if (type == "text") return text_block(text_of(content, "text").value_or(""));
  const auto media = text_of(content, "mimeType");
  const auto data = text_of(content, "data");
  if (type == "image" && media && data &&
      std::find(kImages.begin(), kImages.end(), *media) != kImages.end()) {
    return image_block(*media, *data);
  }
  return text_block(json::write(content));
}

// For a call that ended without a result.
std::string words_of(const tool::Record& record) {
  if (const auto failure = json::parse_own(record.failure)) {
    if (const auto message = text_of(failure->root(), "message")) return std::string(*message);
  }
  return "the call ended without a result" + (record.code.empty() ? "" : ": " + record.code);
}

std::string content_of(const tool::Record& record, const Value* result) {
  std::string out;
  const Value* const content = result ? json::find(*result, "content") : nullptr;
  if (content && content->IsArray()) {
    for (const Value& one : content->GetArray()) out += (out.empty() ? "" : ",") + block_of(one);
  }
  if (out.empty() && result) {
    if (const Value* const structured = json::find(*result, "structuredContent"))
      out = text_block(json::write(*structured));
  }
  if (out.empty() && !result) out = text_block(words_of(record));
  return "[" + out + "]";
}

}  // namespace

std::string tool_result_json(const tool::Record& record) {
  const auto parsed = json::parse_own(record.result);
  const Value* const result = parsed && parsed->root().IsObject() ? &parsed->root() : nullptr;
  const Value* const failed = result ? json::find(*result, "isError") : nullptr;
  std::string out = R"({"type":"tool_result")";
  json::add_text(out, "tool_use_id", record.tool_use_id.empty() ? record.id : record.tool_use_id);
  json::add_member(out, "content", content_of(record, result));
  json::add_bool(out, "is_error",
                 record.state == tool::RecordState::Error ||
                     (failed && failed->IsBool() && failed->GetBool()));
  return out + "}";
}

}  // namespace host::rest
