#include "tool/call/interception.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "json/object_text.h"
#include "tool/call/sent_context.h"
#include "tool/definition/content_shape.h"
#include "tool/definition/host_meta.h"

namespace host::tool {
namespace {

Error bad_answer(std::string what) {
  return {ErrorKind::PluginFault, "gave a bad answer: " + std::move(what)};
}

Result<void> has_only(const json::Value& object, std::string_view pointer,
                      std::initializer_list<std::string_view> names) {
  if (!object.IsObject()) {
    return bad_answer((pointer.empty() ? "it" : std::string(pointer)) + " must be an object");
  }
  for (const auto& member : object.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return bad_answer(std::string(pointer) + "/" + json::escape_pointer_token(name) +
                      " is not known");
  }
  return {};
}

std::string members_of(const std::string& object) {
  return object.substr(1, object.size() - 2);
}

// An empty result of a tool may be left as it is.
Result<CallResult> read_result(const json::Value& given, Function function) {
  HOST_TRY(has_only(given, "/result", {"content", "structuredContent", "isError", "_meta"}));
  CallResult result;
  const json::Value* const content = json::find(given, "content");
  if (!content || !content->IsArray()) return bad_answer("/result/content must be an array");
  if (const std::string fault = fault_of_count(*content); !fault.empty())
    return bad_answer("/result/content " + fault);
  for (const json::Value& block : content->GetArray()) {
    const std::string fault = fault_of_content(block);
    if (!fault.empty()) return bad_answer("in /result/content, the block " + fault);
    result.add_block(write_without_host_meta(block));
  }
  if (const json::Value* const structured = json::find(given, "structuredContent"))
    result.structured = json::write(*structured);
  if (const json::Value* const meta = json::find(given, "_meta")) {
    if (!meta->IsObject()) return bad_answer("/result/_meta must be an object");
    const bool leaves = function == Function::LeaveCall;  // see drop_new_host_meta()
    result.meta = members_of(leaves ? json::write(*meta) : write_foreign_meta(*meta));
  }
  if (const json::Value* const failed = json::find(given, "isError")) {
    if (!failed->IsBool()) return bad_answer("/result/isError must be true or false");
    result.is_error = failed->GetBool();
  }
  if (function != Function::LeaveCall && result.content.empty() && result.structured.empty())
    return bad_answer("/result has no content");
  if (result.content.empty() && !result.structured.empty()) result.add_text(result.structured);
  return result;
}

// The same rules as for the context that a client sends hold.
Result<void> read_context(const json::Value& given, Interception& into) {
  auto read = read_sent_context(given, "/context");
  if (!read) return bad_answer(std::move(read).error().message);
  if (!*read) return {};
  into.values = (*read)->values;
  into.entries = (*read)->entries;
  return {};
}

Result<std::string> read_text(const json::Value& given, std::string_view pointer,
                              std::size_t most) {
  if (!given.IsString()) return bad_answer(std::string(pointer) + " must be a text");
  const std::string_view text = json::text(given);
  if (text.size() <= most) return std::string(text);
  return bad_answer(std::string(pointer) + " has " + std::to_string(text.size()) +
                    " bytes, more than " + std::to_string(most));
}

Result<json::Document> read_arguments(const json::Value& given, std::uint64_t most) {
  if (!given.IsObject()) return bad_answer("/arguments must be an object");
  const std::size_t bytes = json::write(given).size();
  if (bytes > most) {
    return bad_answer("/arguments has " + std::to_string(bytes) + " bytes, more than " +
                      std::to_string(most) + " (limits.body_bytes)");
  }
  json::Document copy;
  copy.root() = json::copy(given, copy.allocator());
  return copy;
}

Result<void> check_members(Function function, const json::Value& answer) {
  switch (function) {
    case Function::BeforeCall:
      return has_only(answer, "", {"arguments", "result", "refuse", "context"});
    case Function::EnterCall:
      if (answer.IsObject() && json::find(answer, "arguments"))
        return bad_answer("enter cannot change the arguments of a call: change them in before");
      return has_only(answer, "", {"result", "refuse", "context", "state"});
    default:
      return has_only(answer, "", {"result"});
  }
}

Result<void> read_members(Function function, const json::Value& answer, Interception& into,
                          std::uint64_t most) {
  if (const json::Value* const given = json::find(answer, "arguments")) {
    HOST_TRY_ASSIGN(into.arguments, read_arguments(*given, most));
  }
  if (const json::Value* const given = json::find(answer, "result")) {
    HOST_TRY_ASSIGN(into.result, read_result(*given, function));
  }
  if (const json::Value* const given = json::find(answer, "refuse")) {
    HOST_TRY_ASSIGN(into.refusal, read_text(*given, "/refuse", kMostRefusalBytes));
    if (into.refusal.empty()) return bad_answer("/refuse must not be empty");
  }
  if (const json::Value* const given = json::find(answer, "context")) {
    HOST_TRY(read_context(*given, into));
  }
  if (const json::Value* const given = json::find(answer, "state")) {
    HOST_TRY_ASSIGN(into.state, read_text(*given, "/state", kMostStateBytes));
  }
  return {};
}

}  // namespace

Result<Interception> read_interception(Function function, std::string_view answer,
                                       std::uint64_t most_argument_bytes) {
  Interception read;
  if (answer.empty()) return read;
  const auto tree = json::parse(answer);
  if (!tree) return bad_answer(tree.error().message);
  HOST_TRY(check_members(function, tree->root()));
  HOST_TRY(read_members(function, tree->root(), read, most_argument_bytes));
  const int ends =
      (read.arguments ? 1 : 0) + (read.result ? 1 : 0) + (read.refusal.empty() ? 0 : 1);
  if (ends > 1) return bad_answer("it has more than one of arguments, result and refuse");
  return read;
}

Result<std::optional<CallText>> read_message(std::string_view answer, CallText original) {
  if (answer.empty()) return std::optional(std::move(original));
  const auto tree = json::parse(answer);
  if (!tree) return bad_answer(tree.error().message);
  if (tree->root().IsNull()) return std::optional<CallText>();
  HOST_TRY(has_only(tree->root(), "", {"text", "fields"}));
  CallText read;
  const json::Value* const text = json::find(tree->root(), "text");
  if (!text || !text->IsString()) return bad_answer("/text must be a text");
  read.text = json::text(*text);
  if (const json::Value* const fields = json::find(tree->root(), "fields")) {
    if (!fields->IsObject()) return bad_answer("/fields must be an object");
    read.fields = json::write(*fields);
  }
  const std::size_t bytes = read.text.size() + read.fields.size();
  const std::size_t most =
      2 * (original.text.size() + original.fields.size()) + kMostAddedToMessage;
  if (bytes > most) {
    return bad_answer("the message has " + std::to_string(bytes) + " bytes, more than the " +
                      std::to_string(most) + " allowed for this message");
  }
  return std::optional(std::move(read));
}

void drop_new_host_meta(const CallResult& before, CallResult& answer) {
  auto tree = json::parse("{" + answer.meta + "}");
  const auto known = json::parse("{" + before.meta + "}");
  if (!tree || !known) return;
  json::Value& meta = tree->root();
  for (auto at = meta.MemberBegin(); at != meta.MemberEnd();) {
    const std::string_view name = json::text(at->name);
    const bool is_new = is_host_meta(name) && !json::find(known->root(), name);
    at = is_new ? meta.EraseMember(at) : at + 1;
  }
  answer.meta = members_of(json::write(meta));
}

std::string as_input(const CallResult& result) {
  std::string out = "{";
  json::add_member(out, "content", "[" + result.content + "]");
  if (!result.structured.empty()) json::add_member(out, "structuredContent", result.structured);
  if (result.is_error) json::add_bool(out, "isError", true);
  if (!result.meta.empty()) json::add_member(out, "_meta", "{" + result.meta + "}");
  return out + "}";
}

std::string as_input(const CallText& message) {
  std::string out = "{";
  json::add_text(out, "text", message.text);
  if (!message.fields.empty()) json::add_member(out, "fields", message.fields);
  return out + "}";
}

}  // namespace host::tool
