#include "protocol/foreign_tasks.h"

#include <algorithm>
#include <cmath>

#include "json/excerpt.h"
#include "json/object_text.h"
#include "protocol/json_rpc.h"
#include "tool/definition/declared_text.h"

namespace host::protocol {
namespace {

using Status = ForeignTask::Status;

constexpr std::string_view kRelated = "io.modelcontextprotocol/related-task";
constexpr std::size_t kMostStatusBytes = 1024;
constexpr std::size_t kMostTimeBytes = 64;
// Longer intervals are all the same to the host, and an integer has room for them.
constexpr double kMostIntervalMs = 1e9;

Error wrong_task(std::string_view what) {
  return Error{ErrorKind::PluginFault, std::string(what)};
}

std::optional<Status> status_from(std::string_view name) {
  if (name == "working") return Status::Working;
  if (name == "input_required") return Status::InputRequired;
  if (name == "completed") return Status::Completed;
  if (name == "failed") return Status::Failed;
  if (name == "cancelled") return Status::Cancelled;
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> interval_in(const json::Value& state) {
  for (const char* const key : {"pollInterval", "pollIntervalMs"}) {
    const json::Value* const found = json::find(state, key);
    if (!found || !found->IsNumber() || std::isnan(found->GetDouble())) continue;
    const double ms = std::clamp(found->GetDouble(), 0.0, kMostIntervalMs);
    return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
  }
  return std::nullopt;
}

}  // namespace

const json::Value* find_new_task(const json::Value& result) {
  if (!result.IsObject()) return nullptr;
  if (json::find_text(result, "resultType") == "task") return &result;
  const json::Value* const task = json::find(result, "task");
  const bool is_result = json::find(result, "content") || json::find(result, "structuredContent");
  return task && task->IsObject() && !is_result ? task : nullptr;
}

Result<ForeignTask> read_task(const json::Value& state) {
  if (!state.IsObject()) return wrong_task("it is no object");
  ForeignTask read;
  read.id = json::find_text(state, "taskId");
  if (read.id.empty()) return wrong_task("it has no id");
  if (read.id.size() > kMostTaskIdBytes)
    return wrong_task("its id has more than " + std::to_string(kMostTaskIdBytes) + " bytes");
  read.created = json::excerpt(json::find_text(state, "createdAt"), kMostTimeBytes);
  const std::string_view named = json::find_text(state, "status");
  const auto status = status_from(named);
  if (!status) return wrong_task("its status " + tool::quoted_name(named) + " is not known");
  read.status = *status;
  read.message = json::excerpt(
      tool::shown_line(json::excerpt(json::find_text(state, "statusMessage"), kMostStatusBytes)),
      kMostStatusBytes);
  read.poll_interval = interval_in(state);
  return read;
}

std::string_view related_task(const json::Value* params) {
  const json::Value* const meta = params ? json::find(*params, "_meta") : nullptr;
  const json::Value* const related = meta ? json::find(*meta, kRelated) : nullptr;
  return related ? json::find_text(*related, "taskId") : std::string_view();
}

TaskSupport read_task_support(const json::Value& tool) {
  const json::Value* const execution = json::find(tool, "execution");
  const std::string_view support =
      execution ? json::find_text(*execution, "taskSupport") : std::string_view();
  if (support == "required") return TaskSupport::Required;
  return support == "optional" ? TaskSupport::Optional : TaskSupport::Forbidden;
}

std::string new_task_member(std::chrono::milliseconds ttl) {
  std::string task = "{";
  if (ttl.count() > 0) json::add_member(task, "ttl", std::to_string(ttl.count()));
  return R"(,"task":)" + task + "}";
}

std::string task_id_member(std::string_view id) {
  std::string out;
  append_string("taskId", id, out);
  return out;
}

std::string task_update_members(std::string_view id, const tool::Answers& answers) {
  std::string all = "{";
  for (const auto& [key, answer] : answers) json::add_member(all, key, answer);
  std::string out = task_id_member(id);
  append_key("inputResponses", out);
  return out + all + "}";
}

}  // namespace host::protocol
