// Parses messages about tasks from an upstream server, and writes the requests that the host sends
// about tasks as an MCP client. A task is a call that the server executes after it has answered the
// request. Protocol version 2025-11-25 has tasks as a capability, and 2026-07-28 has them as the
// extension io.modelcontextprotocol/tasks. The messages are untrusted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/question.h"

namespace host::protocol {

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// kMostTaskIdBytes is the maximum size of the id of a server's task. The host refuses a task whose
// id is longer than kMostTaskIdBytes.
inline constexpr std::size_t kMostTaskIdBytes = 1024;

// TaskSupport says whether calls of a tool can be tasks (`execution.taskSupport` of the tool).
enum class TaskSupport : std::uint8_t { Forbidden, Optional, Required };

struct ForeignTask {
  enum class Status : std::uint8_t { Working, InputRequired, Completed, Failed, Cancelled };

  std::string id;
  // `created` is createdAt. A server that has lost its tasks can use an id again. Then createdAt
  // shows that it is another task.
  std::string created;
  Status status = Status::Working;
  std::string message;  // statusMessage, without invisible characters
  // `poll_interval` is the pause between two polls that the server requests. nullopt: the server
  // requests no pause.
  std::optional<std::chrono::milliseconds> poll_interval;
};

// Returns the state of a new task in a result of tools/call, in any protocol version that has
// tasks. Returns nullptr for a result that is not a new task.
const json::Value* find_new_task(const json::Value& result);
// Reads the state of a task: a new task, the response to tasks/get, or the params of
// notifications/tasks/status.
Result<ForeignTask> read_task(const json::Value& state);
// Returns the id of the task to which a server's request or notification belongs. Returns an empty
// id if the message belongs to no task. `params` can be null.
std::string_view related_task(const json::Value* params);

TaskSupport read_task_support(const json::Value& tool);

// The next functions return texts for the argument `members` of client_request(). Returns the
// member of tools/call that requests a task. If the call has no time limit, `ttl` is 0.
std::string new_task_member(std::chrono::milliseconds ttl);
std::string task_id_member(std::string_view id);
// Returns `members` for tasks/update. The keys of `answers` are the keys that the server gave to
// its questions.
std::string task_update_members(std::string_view id, const tool::Answers& answers);

}  // namespace host::protocol
