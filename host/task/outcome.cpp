#include "task/outcome.h"

#include <utility>

namespace host::task {

std::string text_of(const tool::CallResult& result) {
  std::string text = "{\"content\":[" + result.content + "]";
  if (!result.structured.empty()) text += ",\"structuredContent\":" + result.structured;
  text += result.is_error ? ",\"isError\":true" : ",\"isError\":false";
  if (!result.meta.empty()) text += ",\"_meta\":{" + result.meta + "}";
  return text + "}";
}

tool::Record ended(const tool::Record& record, std::string_view code, std::string result,
                   WallTime expires) {
  tool::Record next = record;
  next.state = code.empty() ? tool::RecordState::Complete : tool::RecordState::Error;
  next.reason.clear();
  next.code = code;
  next.questions.clear();
  next.result = std::move(result);
  // Of a task, the end was set when it was made.
  if (next.made_by != tool::MadeBy::TaskClient) next.expires = expires;
  return next;
}

tool::Record ended_with_words(const tool::Record& record, std::string_view code,
                              std::string_view words, WallTime expires) {
  return ended(record, code, text_of(tool::CallResult::error(words)), expires);
}

}  // namespace host::task
