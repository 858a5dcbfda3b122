#include "protocol/tasks.h"

#include <chrono>

#include "protocol/mcp.h"

namespace host::protocol {
namespace {

using tool::Task;

std::string_view word_of(Task::Status status) {
  switch (status) {
    case Task::Status::Working:
      return "working";
    case Task::Status::InputRequired:
      return "input_required";
    case Task::Status::Completed:
      return "completed";
    case Task::Status::Failed:
      return "failed";
    case Task::Status::Cancelled:
      break;
  }
  return "cancelled";
}

void append_task(const Task& task, std::string& out) {
  append_string("taskId", task.id, out);
  append_string("status", word_of(task.status), out);
  append_string("createdAt", to_rfc3339(task.created), out);
  append_string("lastUpdatedAt", to_rfc3339(task.updated), out);
  append_key("ttlMs", out);
  out += std::to_string(task.ttl.count());
  append_key("pollIntervalMs", out);
  out += std::to_string(task.poll_interval.count());
}

}  // namespace

bool follows_tasks(const json::Value* capabilities) {
  if (!capabilities) return false;
  const json::Value* const extensions = json::find(*capabilities, "extensions");
  const json::Value* const tasks =
      extensions ? json::find(*extensions, "io.modelcontextprotocol/tasks") : nullptr;
  return tasks && tasks->IsObject();
}

std::string task_created_answer(const Id& id, const Task& task, std::string_view info) {
  std::string out;
  begin_result(id, out);
  out += R"({"resultType":"task")";
  append_task(task, out);
  append_meta(info, {}, Version::v2026_07_28, out);
  out += "}}";
  return out;
}

std::string task_members(const Task& task) {
  std::string out;
  append_task(task, out);
  if (task.status == Task::Status::InputRequired) {
    append_key("inputRequests", out);
    append_questions(task.questions, out);
  } else if (task.status == Task::Status::Completed || task.status == Task::Status::Failed) {
    append_key(task.status == Task::Status::Failed ? "error" : "result", out);
    out += task.outcome;
  }
  return out;
}

std::string task_answer(const Id& id, const Task& task, std::string_view info) {
  std::string out;
  begin_result(id, out);
  out += '{';
  out += kComplete;
  out += ',';
  out += task_members(task);
  append_meta(info, {}, Version::v2026_07_28, out);
  out += "}}";
  return out;
}

std::string task_acknowledged_answer(const Id& id, std::string_view info) {
  std::string out;
  begin_result(id, out);
  out += '{';
  out += kComplete;
  append_meta(info, {}, Version::v2026_07_28, out);
  out += "}}";
  return out;
}

Outcome outcome_in(std::string_view answer, const Id& id) {
  std::string before;
  begin_result(id, before);
  if (answer.starts_with(before)) {
    answer.remove_prefix(before.size());
    answer.remove_suffix(1);
    return {false, std::string(answer)};
  }
  const auto tree = json::parse(answer);
  const json::Value* const error = tree ? json::find(tree->root(), "error") : nullptr;
  return {true, error ? json::write(*error) : R"({"code":-32603,"message":"internal error"})"};
}

}  // namespace host::protocol
