// Handles the extension io.modelcontextprotocol/tasks (SEP-2663) of protocol version 2026-07-28:
// checks whether a client supports the extension, and writes the responses.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"
#include "protocol/json_rpc.h"
#include "tool/definition/task.h"

namespace host::protocol {

// kTasksCapability contains the capabilities that a client lacks if it does not support tasks.
// Errors name these capabilities.
inline constexpr std::string_view kTasksCapability =
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

// Returns true if a client with these capabilities (or nullptr) supports tasks.
bool follows_tasks(const json::Value* capabilities);

// Writes the response to a call that continues as a task. `info` is server_info().
std::string task_created_answer(const Id& id, const tool::Task& task, std::string_view info);
// Writes the members of a task's JSON object: its state, the questions to the client, the outcome.
std::string task_members(const tool::Task& task);
// Writes the response to tasks/get, with all members of task_members().
std::string task_answer(const Id& id, const tool::Task& task, std::string_view info);
// Writes the response to tasks/update and tasks/cancel.
std::string task_acknowledged_answer(const Id& id, std::string_view info);

// An Outcome is the content of a response to a call: a result or a JSON-RPC error, as JSON text.
struct Outcome {
  bool is_error = false;
  std::string json;
};
// Returns the content of `answer`, which this host has written for the request `id`.
Outcome outcome_in(std::string_view answer, const Id& id);

}  // namespace host::protocol
