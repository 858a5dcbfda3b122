// A call that outlives the request that made it: what its client may follow by the task's id.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tool/question.h"

namespace host::tool {

// Whether calls of a tool become tasks, for clients that follow tasks; others wait.
enum class TaskUse {
  Never,
  Offered,
  Needed,  // and no other client can call it
};

struct Task {
  enum class Status { Working, InputRequired, Completed, Failed, Cancelled };

  std::string id;         // unguessable
  std::string principal;  // whose it is: nobody else finds it
  std::string tool;
  Status status = Status::Working;
  WallTime created{};
  WallTime updated{};
  std::chrono::milliseconds ttl{};  // since created: until then it is kept
  std::chrono::milliseconds poll_interval{};
  // What the client has yet to answer. No key ever names a second question of the same task.
  std::vector<Question> questions;
  std::uint64_t asked = 0;  // questions so far
  // JSON object text: of a completed task its result, of a failed one the JSON-RPC error.
  std::string outcome;

  bool is_over() const { return status != Status::Working && status != Status::InputRequired; }
  bool is_expired(WallTime now) const { return now >= created + ttl; }
};

}  // namespace host::tool
