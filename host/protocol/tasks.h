// The extension io.modelcontextprotocol/tasks (SEP-2663) over MCP 2026-07-28: who speaks it, and
// its answers as text.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/json_rpc.h"
#include "tool/task.h"

namespace host::protocol {

// As the capabilities that a client lacks which does not speak it.
inline constexpr std::string_view kTasksCapability =
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

// Whether the client of a request with these capabilities (or nullptr) follows tasks.
bool follows_tasks(const json::Value* capabilities);

// The answer to a call that goes on as a task. `info` is server_info().
std::string task_created_answer(const Id& id, const tool::Task& task, std::string_view info);
// What is known of it, as members of an object: its state, what the client is asked, the outcome.
std::string task_members(const tool::Task& task);
// The answer to tasks/get: all of that.
std::string task_answer(const Id& id, const tool::Task& task, std::string_view info);
// ... to tasks/update and tasks/cancel.
std::string task_acknowledged_answer(const Id& id, std::string_view info);

// What the answer to a call holds, a result or a JSON-RPC error, as JSON text.
struct Outcome {
  bool is_error = false;
  std::string json;
};
// `answer` is one of the host's own to the request `id`.
Outcome outcome_in(std::string_view answer, const Id& id);

}  // namespace host::protocol
