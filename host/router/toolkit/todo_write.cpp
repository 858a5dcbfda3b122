#include "router/toolkit/todo_write.h"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "json/own_text.h"
#include "router/toolkit/own_answer.h"
#include "session/edit.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using session::Todo;
using session::Todos;
using session::TodoStatus;

constexpr const char* kAboutTodos =
    "Keeps the todo list of this session. The list that you send replaces the whole list, so send "
    "every todo each time; a todo that is missing is removed. Use it for work with several steps. "
    "At most one todo may be in_progress: set it before you begin the step, and set it to "
    "completed as soon as the step is done. An empty array clears the list.";

// The words of `status` and `priority` stand in their descriptions: a blank status means pending,
// and an unknown priority is ignored.
constexpr const char* kTodosSchema =
    R"({"type":"object","properties":{"todos":{"type":"array","description":"The whole list",)"
    R"("items":{"type":"object","properties":{)"
    R"("content":{"type":"string","description":"What is to be done"},)"
    R"("status":{"type":"string","description":"pending, in_progress or completed. Left out: )"
    R"(pending"},)"
    R"("priority":{"type":"string","description":"high, medium or low"},)"
    R"("id":{"type":"string","description":"Of a todo whose content you change. Left out: the )"
    R"(todo with the same content, or a new one"}},)"
    R"("required":["content"]}}},"required":["todos"],"additionalProperties":false})";

char mark_of(TodoStatus status) {
  switch (status) {
    case TodoStatus::Completed:
      return 'x';
    case TodoStatus::InProgress:
      return '~';
    case TodoStatus::Pending:
      break;
  }
  return ' ';
}

tool::CallResult todos_report(const Todos& todos) {
  const auto open = std::count_if(todos.begin(), todos.end(), [](const Todo& todo) {
    return todo.status != TodoStatus::Completed;
  });
  std::string text = std::to_string(open) + " open todo(s):";
  for (const Todo& todo : todos) {
    text += std::string("\n- [") + mark_of(todo.status) + "] " + todo.content;
    if (!todo.priority.empty()) text += " (priority: " + todo.priority + ")";
  }
  auto result =
      tool::CallResult::text(todos.empty() ? "The todo list was cleared." : std::move(text));
  result.structured = "{\"todos\":" + session::text_of(todos) + "}";
  return result;
}

awaitable<void> write_todos(std::shared_ptr<session::Sessions> sessions,
                            std::shared_ptr<const session::TodoLimits> limits,
                            std::shared_ptr<tool::Invocation> invocation) {
  const auto tree = json::parse_own(invocation->arguments);
  const json::Value* const given = tree ? json::find(tree->root(), "todos") : nullptr;
  if (!given) {
    invocation->finish(Error{ErrorKind::InvalidArgument, "todos is missing"});
    co_return;
  }
  session::Edit edit = [given, limits](const session::Session& before,
                                       session::Settings& settings) -> Result<bool> {
    const Todos none;
    const Todos& old = before.settings.todos ? *before.settings.todos : none;
    HOST_TRY_ASSIGN(Todos todos, session::replaced(old, *given, *limits));
    if (todos == old) return false;
    settings.todos = todos.empty() ? nullptr : std::make_shared<const Todos>(std::move(todos));
    return true;
  };
  const auto edited =
      co_await session::edit(sessions, invocation->passport->who.session, std::move(edit));
  if (!edited) {
    invocation->finish(edited.error());
  } else {
    const auto& now = edited->now->settings.todos;
    invocation->finish(todos_report(now ? *now : Todos()));
  }
}

}  // namespace

void add_todo_write(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                    std::shared_ptr<session::Sessions> sessions, session::TodoLimits limits) {
  tool::Declaration declaration =
      tool::own_declaration("todo_write", "Keep the todo list", kAboutTodos, kTodosSchema);
  declaration.not_in_explore = true;
  const auto shared = std::make_shared<const session::TodoLimits>(std::move(limits));
  tools.add(std::move(declaration), [=](const auto& invocation, const json::Value&) {
    run_own(io, invocation, "writes the todos of a session",
            write_todos(sessions, shared, invocation));
  });
}

}  // namespace host::router
