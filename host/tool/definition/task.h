// A call that outlives its request. Its client follows it by the task's id.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tool/definition/question.h"

namespace host::tool {

// Whether calls of a tool become tasks for clients that support tasks. Other clients wait.
enum class TaskUse {
  Never,
  Offered,
  Needed,  // other clients cannot call the tool
};

struct Task {
  enum class Status { Working, InputRequired, Completed, Failed, Cancelled };

  std::string id;         // unguessable
  std::string principal;  // the owner; nobody else can find the task
  std::string tool;
  Status status = Status::Working;
  WallTime created{};
  WallTime updated{};
  std::chrono::milliseconds ttl{};  // since created; then the task is removed
  std::chrono::milliseconds poll_interval{};
  // Questions that the client has not answered yet. A key is never used for a second question of
  // the same task.
  std::vector<Question> questions;
  std::uint64_t asked = 0;  // questions so far
  // JSON object text: the result of a completed task, the JSON-RPC error of a failed one.
  std::string outcome;

  bool is_over() const { return status != Status::Working && status != Status::InputRequired; }
  bool is_expired(WallTime now) const { return now >= created + ttl; }
};

}  // namespace host::tool
