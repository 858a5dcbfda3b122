// What an upstream says about a task: a new task, a state, a question, a definition. Each is read
// or refused within its limits, and what is sent back is JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "json/json.h"
#include "protocol/foreign_tasks.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_state(const host::json::Value& state) {
  namespace protocol = host::protocol;
  const auto task = protocol::read_task(state);
  if (!task) return check(!task.error().message.empty());
  check(!task->id.empty() && task->id.size() <= protocol::kMostTaskIdBytes);
  check(task->message.size() <= 1100 && task->message.find('\n') == std::string::npos);
  check(!task->poll_interval || task->poll_interval->count() >= 0);
  const auto sent = host::json::parse("{" + protocol::task_id_member(task->id) + "}");
  check(sent && host::json::find_text(sent->root(), "taskId") == task->id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace protocol = host::protocol;
  const auto document = host::json::parse({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  check_state(document->root());
  if (const auto* const made = protocol::find_new_task(document->root())) check_state(*made);
  static_cast<void>(protocol::read_task_support(document->root()));
  check(protocol::related_task(&document->root()).size() <= size);
  return 0;
}
