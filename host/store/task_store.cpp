#include "store/task_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/json.h"
#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

using tool::Question;
using tool::Task;

#define TP_TASK_COLUMNS \
  "id, principal, tool, status, created, updated, ttl, poll_interval, questions, asked, outcome"

// As they stand in the table: their places are their numbers.
constexpr std::array kStatuses{Task::Status::Working, Task::Status::InputRequired,
                               Task::Status::Completed, Task::Status::Failed,
                               Task::Status::Cancelled};

std::uint64_t number_of(Task::Status status) {
  std::uint64_t at = 0;
  while (kStatuses[at] != status) ++at;
  return at;
}

std::string json_of(const std::vector<Question>& questions) {
  std::string text = "[";
  for (const Question& question : questions) {
    text += text.size() > 1 ? ",[" : "[";
    json::write_string(question.key, text);
    text += ',';
    json::write_string(question.method, text);
    text += ',';
    json::write_string(question.params, text);
    text += ']';
  }
  return text + "]";
}

std::vector<Question> questions_in(std::string_view text) {
  std::vector<Question> questions;
  const auto tree = json::parse(text);
  if (!tree || !tree->root().IsArray()) return questions;
  for (const json::Value& one : tree->root().GetArray()) {
    if (!one.IsArray() || one.Size() != 3) continue;
    questions.push_back({std::string(json::text(one[0])), std::string(json::text(one[1])),
                         std::string(json::text(one[2]))});
  }
  return questions;
}

Task task_of(const Statement& row) {
  Task task;
  task.id = row.text(0);
  task.principal = row.text(1);
  task.tool = row.text(2);
  task.status = kStatuses[std::min<std::uint64_t>(row.number(3), kStatuses.size() - 1)];
  task.created = time_of(row.number(4));
  task.updated = time_of(row.number(5));
  task.ttl = std::chrono::milliseconds(row.number(6));
  task.poll_interval = std::chrono::milliseconds(row.number(7));
  task.questions = questions_in(row.text(8));
  task.asked = row.number(9);
  task.outcome = row.text(10);
  return task;
}

class SqliteTaskStore final : public TaskStore {
 public:
  explicit SqliteTaskStore(Sqlite& database) : database_(database) {}

  Result<void> put(const Task& task, std::string_view owner) override {
    const std::string questions = json_of(task.questions);
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO task (" TP_TASK_COLUMNS
                          ", owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"));
    put.bind(task.id).bind(task.principal).bind(task.tool).bind(number_of(task.status));
    put.bind(milliseconds_of(task.created)).bind(milliseconds_of(task.updated));
    put.bind(static_cast<std::uint64_t>(task.ttl.count()));
    put.bind(static_cast<std::uint64_t>(task.poll_interval.count()));
    return put.bind(questions).bind(task.asked).bind(task.outcome).bind(owner).run();
  }

  Result<std::vector<Task>> list(std::string_view owner) override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_TASK_COLUMNS
                                      " FROM task WHERE owner = ?1 ORDER BY created, id"));
    rows.bind(owner);
    std::vector<Task> tasks;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return tasks;
      tasks.push_back(task_of(rows));
    }
  }

  Result<void> forget_expired(WallTime now) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM task WHERE created + ttl <= ?1"));
    return forget.bind(milliseconds_of(now)).run();
  }

 private:
  Sqlite& database_;
};

#undef TP_TASK_COLUMNS

}  // namespace

std::unique_ptr<TaskStore> tasks_in(Sqlite& database) {
  return std::make_unique<SqliteTaskStore>(database);
}

}  // namespace host::store
