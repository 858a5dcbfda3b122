#include "router/dispatch/offer_result.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "json/json.h"
#include "tool/definition/host_meta.h"

namespace host::router {
namespace {

using tool::Function;

constexpr rapidjson::SizeType kMostValues = 100;  // MCP, completion/complete

const json::Value* array(const json::Value& root, std::string_view name) {
  const json::Value* const found = json::find(root, name);
  return found && found->IsArray() ? found : nullptr;
}

bool has_text(const json::Value& object, std::string_view name) {
  const json::Value* const found = json::find(object, name);
  return found && found->IsString();
}

bool is_content(const json::Value& item) {
  return item.IsObject() && has_text(item, "uri") &&
         has_text(item, "text") != has_text(item, "blob");
}

bool is_message(const json::Value& item) {
  if (!item.IsObject()) return false;
  const std::string_view role = json::find_text(item, "role");
  const json::Value* const content = json::find(item, "content");
  return (role == "user" || role == "assistant") && content && content->IsObject() &&
         has_text(*content, "type");
}

bool is_text(const json::Value& item) {
  return item.IsString();
}

// True if the member `name` is a list whose elements all fit.
bool is_list_of(const json::Value& root, std::string_view name, bool (*fits)(const json::Value&)) {
  const json::Value* const list = array(root, name);
  return list && std::all_of(list->Begin(), list->End(), fits);
}

std::string_view fault_of(const json::Value& root, Function function) {
  if (!root.IsObject()) return "it is no object";
  if (function == Function::ReadResource) {
    if (!is_list_of(root, "contents", is_content)) {
      return "\"contents\" must be a list of {uri, text or blob}";
    }
    return array(root, "contents")->Empty() ? "\"contents\" must not be empty" : "";
  }
  if (function == Function::GetPrompt) {
    return is_list_of(root, "messages", is_message)
               ? ""
               : "\"messages\" must be a list of {role: user or assistant, content}";
  }
  return is_list_of(root, "values", is_text) ? "" : "\"values\" must be a list of strings";
}

// Writes the members that the protocol defines as text. `_meta` is passed separately.
void keep(tool::CallResult& result, const json::Value& root,
          std::initializer_list<std::string_view> names) {
  result.structured = "{";
  for (const std::string_view name : names) {
    const json::Value* const member = json::find(root, name);
    if (!member || member->IsNull()) continue;
    result.structured += result.structured.size() > 1 ? ",\"" : "\"";
    result.structured += name;
    result.structured += "\":";
    json::write(*member, result.structured);
  }
  result.structured += '}';
  const json::Value* const meta = json::find(root, "_meta");
  if (!meta || !meta->IsObject() || meta->ObjectEmpty()) return;
  const std::string text = json::write(*meta);
  result.meta = text.substr(1, text.size() - 2);
}

void cut_values(json::Document& tree) {
  json::Value* const values = json::find(tree.root(), "values");
  if (values->Size() <= kMostValues) return;
  while (values->Size() > kMostValues) values->PopBack();
  json::set(tree.root(), "hasMore", json::Value(true), tree.allocator());
}

// The text of the first block, which is the message of a failed provider.
std::string words_of(const tool::CallResult& failure) {
  const auto blocks = json::parse("[" + failure.content + "]");
  if (!blocks || blocks->root().Empty()) return "it failed";
  return std::string(json::find_text(blocks->root()[0], "text"));
}

}  // namespace

Result<tool::CallResult> check_offer_result(tool::CallResult result, const tool::Call& call,
                                            std::uint64_t max_bytes) {
  const auto fault = [&](std::string_view why) {
    return Error{ErrorKind::PluginFault, "\"" + call.name + "\": " + std::string(why)};
  };
  if (result.round && call.function == Function::Complete) {
    return fault("its provider asks the client, which no completion may");
  }
  if (result.round || !result.lacking.empty()) return result;  // not a result yet
  if (result.is_error) return fault(words_of(result));
  if (result.structured.size() > max_bytes) {
    return fault("the answer has " + std::to_string(result.structured.size()) +
                 " bytes, more than the " + std::to_string(max_bytes) +
                 " allowed here (limits.result_bytes)");
  }
  json::Limits limits;
  limits.string_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(max_bytes, UINT32_MAX));
  auto tree = json::parse(result.structured, limits);
  if (!tree) return fault("the answer of its provider is faulty: " + tree.error().message);
  if (const std::string_view why = fault_of(tree->root(), call.function); !why.empty()) {
    return fault("the answer of its provider is faulty: " + std::string(why));
  }
  tool::drop_host_meta(tree->root());
  if (call.function == Function::Complete) cut_values(*tree);
  if (call.function == Function::ReadResource) {
    keep(result, tree->root(), {"contents"});
  } else if (call.function == Function::GetPrompt) {
    keep(result, tree->root(), {"description", "messages"});
  } else {
    keep(result, tree->root(), {"values", "total", "hasMore"});
  }
  return result;
}

tool::CallResult nothing_completed() {
  tool::CallResult result;
  result.structured = R"({"values":[]})";
  return result;
}

}  // namespace host::router
