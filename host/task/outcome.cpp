#include "task/outcome.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/json.h"
#include "json/own_text.h"
#include "tool/call/outcome.h"

namespace host::task {
namespace {

std::string code_of(const tool::Record& record, const tool::Call& call,
                    const Result<tool::CallResult>& result) {
  if (call.outcome == "ended_by_stop") return std::string(tool::kInterrupted);
  if (!result->is_error) return {};
  // The caller that executed it has failed, and no step of the pipeline has its own word.
  if (!record.response.code.empty() && call.outcome.empty()) return record.response.code;
  return std::string(outcome_of(call, result));
}

}  // namespace

bool is_tools_own(std::string_view code) {
  constexpr std::array<std::string_view, 5> kOwn = {"", tool::kToolError, tool::kFailed,
                                                    "result_withheld", "result_too_large"};
  return std::find(kOwn.begin(), kOwn.end(), code) != kOwn.end();
}

bool has_its_key(const tool::Record& record) {
  constexpr std::array<std::string_view, 7> kRan = {
      "",         tool::kToolError,  tool::kInterrupted, tool::kUpstreamFailed,
      "replayed", "result_withheld", "result_too_large"};
  return !record.is_over() || std::find(kRan.begin(), kRan.end(), record.code) != kRan.end();
}

std::string text_of(const tool::CallResult& result) {
  std::string text = "{\"content\":[" + result.content + "]";
  if (!result.structured.empty()) text += ",\"structuredContent\":" + result.structured;
  text += result.is_error ? ",\"isError\":true" : ",\"isError\":false";
  if (!result.meta.empty()) text += ",\"_meta\":{" + result.meta + "}";
  return text + "}";
}

tool::CallResult result_in(const std::string& text) {
  tool::CallResult result;
  const auto tree = json::parse_own(text);
  if (!tree || !tree->root().IsObject())
    return tool::CallResult::error("the call has ended without a result");
  const json::Value* const content = json::find(tree->root(), "content");
  if (content && content->IsArray()) {
    for (const json::Value& block : content->GetArray()) result.add_block(json::write(block));
  }
  if (const json::Value* const structured = json::find(tree->root(), "structuredContent"))
    result.structured = json::write(*structured);
  const json::Value* const failed = json::find(tree->root(), "isError");
  result.is_error = failed && failed->IsBool() && failed->GetBool();
  if (const json::Value* const meta = json::find(tree->root(), "_meta"); meta && meta->IsObject()) {
    const std::string members = json::write(*meta);
    result.meta = members.substr(1, members.size() - 2);  // without the braces
  }
  return result;
}

tool::Record ended(const tool::Record& record, std::string_view code, std::string result,
                   WallTime expires) {
  tool::Record next = record;
  next.state = code.empty() ? tool::RecordState::Complete : tool::RecordState::Error;
  next.reason.clear();
  next.code = code;
  next.questions.clear();
  next.response = {};
  next.result = std::move(result);
  // Of a task, the end was set when it was made.
  if (next.made_by != tool::MadeBy::TaskClient) next.expires = expires;
  return next;
}

tool::Record ended_with_words(const tool::Record& record, std::string_view code,
                              std::string_view words, WallTime expires) {
  return ended(record, code, text_of(tool::CallResult::error(words)), expires);
}

tool::Record ended_by_pipeline(const tool::Record& record, const tool::Call& call,
                               const Result<tool::CallResult>& result, Room& room,
                               WallTime expires) {
  if (!result)
    return ended_with_words(record, to_string(result.error().kind), result.error().message,
                            expires);
  if (result->round || (!result->lacking.empty() && result->content.empty())) {
    return ended_with_words(
        record, tool::kToolError,
        "The tool has a question for its client, and a detached call has no client to ask.",
        expires);
  }
  std::string text = text_of(*result);
  const std::size_t answered = record.response.result.size();  // counted already
  const std::size_t more = text.size() - std::min(text.size(), answered);
  const auto made = room.make(record.principal, more, Room::Adds::Bytes);
  if (made) {
    tool::Record next = ended(record, code_of(record, call, result), std::move(text), expires);
    // An upstream that has not begun the call: other calls can use the key again.
    if (next.code == tool::kUpstreamFailed && !call.may_have_acted) next.idempotency_key.clear();
    return next;
  }
  return ended_with_words(
      record, "result_too_large",
      "The call has ended, but its result cannot be kept: " + made.error().message, expires);
}

}  // namespace host::task
