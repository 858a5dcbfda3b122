#include "task/task_view.h"

#include "json/json.h"
#include "json/own_text.h"
#include "protocol/mcp.h"
#include "task/outcome.h"

namespace host::task {
namespace {

using tool::Record;
using tool::RecordState;
using tool::Task;

// A call that ended with an error result is a completed task. Its result says isError.
Task::Status status_of(const Record& record) {
  switch (record.state) {
    case RecordState::Pending:
      return record.questions.empty() ? Task::Status::Working : Task::Status::InputRequired;
    case RecordState::Processing:
      return Task::Status::Working;
    case RecordState::Complete:
      return Task::Status::Completed;
    case RecordState::Error:
      break;
  }
  if (record.code == tool::kCancelled) return Task::Status::Cancelled;
  const bool no_answer = record.code == tool::kAbandoned || record.code == tool::kNotPickedUp ||
                         record.code == tool::kInterrupted || record.code == kExpired;
  return record.result.empty() || no_answer ? Task::Status::Failed : Task::Status::Completed;
}

// The text that the result's first block has.
std::string words_of(const Record& record) {
  const auto tree = json::parse_own(record.result);
  const json::Value* const text = tree ? json::at(tree->root(), "/content/0/text") : nullptr;
  return text ? std::string(json::text(*text)) : "the call failed: " + record.code;
}

std::string failure_of(const Record& record) {
  if (!record.failure.empty()) return record.failure;
  std::string failure = R"({"code":-32603,"message":)";
  json::write_string(words_of(record), failure);
  return failure + "}";
}

// The outcomes of the pipeline have the member that MCP demands of each result. If the host ends a
// task itself, text_of() has written the result, without this member.
std::string shown_result(const Record& record) {
  constexpr std::string_view kBegin = "{\"content\":";
  if (record.code.empty() || !record.result.starts_with(kBegin)) return record.result;
  return "{" + std::string(protocol::kComplete) + "," + record.result.substr(1);
}

}  // namespace

Task task_of(const Record& record, std::chrono::milliseconds keep,
             std::chrono::milliseconds poll_interval) {
  Task task;
  task.id = record.id;
  task.principal = record.principal;
  task.tool = record.tool;
  task.status = status_of(record);
  task.created = record.created;
  task.updated = record.updated;
  const WallTime end = record.expires == WallTime{} ? record.updated + keep : record.expires;
  // Of whole milliseconds, as both times are stored.
  using std::chrono::milliseconds;
  task.ttl =
      std::chrono::floor<milliseconds>(end) - std::chrono::floor<milliseconds>(record.created);
  task.poll_interval = record.poll_interval.count() > 0 ? record.poll_interval : poll_interval;
  task.questions = record.questions;
  task.asked = record.asked;
  if (task.status == Task::Status::Completed) task.outcome = shown_result(record);
  if (task.status == Task::Status::Failed) task.outcome = failure_of(record);
  return task;
}

}  // namespace host::task
