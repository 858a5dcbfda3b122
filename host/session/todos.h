// Manages the todo list of a session. The model uses the tool todo_write to replace the whole list.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::session {

enum class TodoStatus { Pending, InProgress, Completed };

struct Todo {
  std::string id;  // unique within the list
  std::string content;
  TodoStatus status = TodoStatus::Pending;
  std::string priority;  // "high", "medium" or "low"; empty: the todo has none

  bool operator==(const Todo&) const = default;
};

using Todos = std::vector<Todo>;

struct TodoLimits {
  std::size_t todos = 100;
  std::size_t bytes = 16u << 10u;                               // maximum size of a list's texts
  std::function<void(std::string_view limit)> on_refusal = {};  // gets the key "limits.todos"
};

// Returns the list that replaces `before`. `given` is an array of {content, status?, priority?,
// id?}. A todo without an id gets the id of the todo in `before` with the same content, otherwise a
// new id. The message of an InvalidArgument names the wrong entry and the reason.
Result<Todos> replaced(const Todos& before, const json::Value& given, const TodoLimits& limits);

// Writes the list as a JSON array of {"id", "content", "status", "priority"}. A todo without a
// priority has no member `priority`.
std::string text_of(const Todos& todos);
// Reads a todo list from a text that text_of() wrote. todos_in() ignores entries that have a
// different form.
Todos todos_in(std::string_view text);

std::string_view to_string(TodoStatus status);  // pending, in_progress or completed

}  // namespace host::session
