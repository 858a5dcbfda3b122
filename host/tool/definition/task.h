// A task is a call that outlives its request. The client reads the task's state and result by the
// task's id.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tool/definition/question.h"

namespace host::tool {

// TaskUse says whether calls of a tool become tasks for clients that support tasks. A client that
// does not support tasks waits for the result.
enum class TaskUse {
  Never,
  Offered,
  Needed,  // clients that do not support tasks cannot call the tool
};

struct Task {
  enum class Status { Working, InputRequired, Completed, Failed, Cancelled };

  std::string id;         // a random id, which nobody can guess
  std::string principal;  // the owner of the task; nobody else can find the task
  std::string tool;
  Status status = Status::Working;
  WallTime created{};
  WallTime updated{};
  std::chrono::milliseconds ttl{};  // the time from `created` to the task's removal
  std::chrono::milliseconds poll_interval{};
  // `questions` contains the questions that the client has not answered yet. No two questions of
  // one task have the same key.
  std::vector<Question> questions;
  std::uint64_t asked = 0;  // numbers the questions; greater than 0: the client was asked
  // `outcome` is a JSON object text: the result of a completed task, or the JSON-RPC error of a
  // failed task.
  std::string outcome;

  bool is_over() const { return status != Status::Working && status != Status::InputRequired; }
  bool is_expired(WallTime now) const { return now >= created + ttl; }
};

}  // namespace host::tool
