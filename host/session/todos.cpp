#include "session/todos.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/text/visible.h"
#include "json/object_text.h"
#include "json/own_text.h"

namespace host::session {
namespace {

constexpr std::size_t kMostIdBytes = 64;
constexpr std::array<std::string_view, 3> kStatuses = {"pending", "in_progress", "completed"};
constexpr std::array<std::string_view, 3> kPriorities = {"high", "medium", "low"};

Error wrong(std::string why) {
  return {ErrorKind::InvalidArgument, std::move(why) + ". Nothing was changed."};
}

std::string place(std::size_t index) {
  return "todos[" + std::to_string(index) + "]";
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text.substr(0, 80)) + "\"";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::optional<TodoStatus> status_from(std::string_view word) {
  if (word.empty()) return TodoStatus::Pending;
  const auto* const at = std::find(kStatuses.begin(), kStatuses.end(), word);
  if (at == kStatuses.end()) return std::nullopt;
  return static_cast<TodoStatus>(at - kStatuses.begin());
}

// Empty: there is no such priority.
std::string priority_from(std::string_view text) {
  std::string word(trimmed(text));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool known = std::find(kPriorities.begin(), kPriorities.end(), word) != kPriorities.end();
  return known ? word : std::string();
}

Result<Todo> read_entry(const json::Value& entry, std::size_t index) {
  if (!entry.IsObject()) return wrong(place(index) + " is not an object");
  Todo todo;
  const std::string_view status = trimmed(json::find_text(entry, "status"));
  const auto known = status_from(status);
  if (!known) {
    return wrong(place(index) + ".status is " + in_quotes(status) +
                 ", which is not pending, in_progress or completed");
  }
  todo.status = *known;
  todo.content = json::find_text(entry, "content");
  if (is_blank(todo.content)) return wrong(place(index) + ".content is empty");
  todo.priority = priority_from(json::find_text(entry, "priority"));
  todo.id = trimmed(json::find_text(entry, "id"));
  if (todo.id.size() > kMostIdBytes) {
    return wrong(place(index) + ".id has " + std::to_string(todo.id.size()) +
                 " bytes, more than the " + std::to_string(kMostIdBytes) + " allowed");
  }
  return todo;
}

std::uint64_t number_in(std::string_view id) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = fault == std::errc() && end == id.data() + id.size();
  return whole && number < UINT32_MAX ? number : 0;
}

// The ids that entries without one get: of the todo with the same content, or the next number.
void name_entries(Todos& todos, const Todos& before, std::set<std::string> taken) {
  std::uint64_t last = 0;
  for (const Todo& one : before) last = std::max(last, number_in(one.id));
  for (const Todo& one : todos) last = std::max(last, number_in(one.id));
  for (Todo& todo : todos) {
    if (!todo.id.empty()) continue;
    const auto same = std::find_if(before.begin(), before.end(), [&](const Todo& old) {
      return old.content == todo.content && !taken.contains(old.id);
    });
    todo.id = same == before.end() ? std::to_string(++last) : same->id;
    taken.insert(todo.id);
  }
}

std::size_t bytes_of(const Todo& todo) {
  return todo.id.size() + todo.content.size() + todo.priority.size();
}

}  // namespace

Result<Todos> replaced(const Todos& before, const json::Value& given, const TodoLimits& limits) {
  const auto refuse = [&](std::string_view limit, std::string why) {
    if (limits.on_refusal) limits.on_refusal(limit);
    return wrong(std::move(why) + " (" + std::string(limit) + ")");
  };
  if (!given.IsArray()) return wrong("todos is not an array");
  if (given.Size() > limits.todos) {
    return refuse("limits.todos", "todos has " + std::to_string(given.Size()) +
                                      " entries, more than the " + std::to_string(limits.todos) +
                                      " allowed");
  }
  Todos todos;
  std::set<std::string> ids;
  std::size_t in_progress = 0;
  for (const json::Value& entry : given.GetArray()) {
    const std::size_t index = todos.size();
    HOST_TRY_ASSIGN(Todo todo, read_entry(entry, index));
    if (!todo.id.empty() && !ids.insert(todo.id).second) {
      return wrong(place(index) + ".id " + in_quotes(todo.id) +
                   " is the id of an earlier entry too");
    }
    if (todo.status == TodoStatus::InProgress) ++in_progress;
    todos.push_back(std::move(todo));
  }
  if (in_progress > 1) {
    return wrong(std::to_string(in_progress) +
                 " entries are in_progress: at most one may be at a time");
  }
  name_entries(todos, before, std::move(ids));
  std::size_t bytes = 0;
  for (const Todo& todo : todos) bytes += bytes_of(todo);
  if (bytes > limits.bytes) {
    return refuse("limits.todo_bytes", "the todos have " + std::to_string(bytes) +
                                           " bytes of text, more than the " +
                                           std::to_string(limits.bytes) + " allowed");
  }
  return todos;
}

std::string text_of(const Todos& todos) {
  std::string out = "[";
  for (const Todo& todo : todos) {
    if (out.size() > 1) out += ',';
    std::string entry = "{";
    json::add_text(entry, "id", todo.id);
    json::add_text(entry, "content", todo.content);
    json::add_text(entry, "status", to_string(todo.status));
    if (!todo.priority.empty()) json::add_text(entry, "priority", todo.priority);
    out += entry + "}";
  }
  return out + "]";
}

Todos todos_in(std::string_view text) {
  Todos todos;
  const auto tree = json::parse_own(text);
  if (!tree || !tree->root().IsArray()) return todos;
  for (const json::Value& entry : tree->root().GetArray()) {
    if (auto todo = read_entry(entry, todos.size())) todos.push_back(*std::move(todo));
  }
  return todos;
}

std::string_view to_string(TodoStatus status) {
  return kStatuses[static_cast<std::size_t>(status)];
}

}  // namespace host::session
