#include "mcp/method/task_methods.h"

#include <optional>

#include "protocol/tasks.h"
#include "task/tasks.h"

namespace host::mcp {
namespace {

// Why a request cannot name a task; else `id` is the one it names.
std::optional<Reply> read_task_id(const Request& request, std::string& id) {
  if (!protocol::follows_tasks(request.envelope.capabilities)) {
    return needs_tasks(request, std::string(request.message.method));
  }
  const json::Value* const named = request.param("taskId");
  if (!named || !named->IsString()) {
    return invalid_params(request.message.id,
                          std::string(request.message.method) + " needs \"taskId\", a string");
  }
  id = json::text(*named);
  return std::nullopt;
}

// The request names what is not there, or says nonsense; else the host could not keep it.
Reply refusal(const Request& request, const Error& error) {
  const bool asked_wrong =
      error.kind == ErrorKind::NotFound || error.kind == ErrorKind::InvalidArgument;
  if (asked_wrong) return invalid_params(request.message.id, error.message);
  return refuse({protocol::kInternalError, "the task could not be kept", request.message.id, {}});
}

}  // namespace

Reply needs_tasks(const Request& request, const std::string& what) {
  return refuse({protocol::kMissingCapability,
                 what + " needs a client that follows tasks (io.modelcontextprotocol/tasks)",
                 request.message.id,
                 R"({"requiredCapabilities":)" + std::string(protocol::kTasksCapability) + "}"},
                400);
}

awaitable<Reply> TaskMethods::get(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) co_return *std::move(refused);
  const auto task = services_.tasks.find(id, request.who.principal);
  if (!task) co_return refusal(request, task.error());
  if (const auto kept = co_await services_.tasks.kept(id); !kept) {
    co_return refusal(request, kept.error());
  }
  Reply reply;
  reply.text = protocol::task_answer(request.message.id, *task, infos_.of(request.version));
  co_return reply;
}

awaitable<Reply> TaskMethods::update(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) co_return *std::move(refused);
  const json::Value* const responses = request.param("inputResponses");
  if (!responses || !responses->IsObject()) {
    co_return invalid_params(request.message.id,
                             "tasks/update needs \"inputResponses\", an object");
  }
  const task::Tasks::Answerer by{request.who, request.abilities};
  auto taken = services_.tasks.answer(id, by, *responses);
  auto reply = co_await acknowledge(request, std::move(id), std::move(taken));
  co_return reply;
}

awaitable<Reply> TaskMethods::cancel(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) co_return *std::move(refused);
  auto done = services_.tasks.cancel(id, request.who.principal);
  auto reply = co_await acknowledge(request, std::move(id), std::move(done));
  co_return reply;
}

awaitable<Reply> TaskMethods::acknowledge(const Request& request, std::string id,
                                          Result<void> done) const {
  if (done) done = co_await services_.tasks.kept(std::move(id));
  if (!done) co_return refusal(request, done.error());
  Reply reply;
  reply.text = protocol::task_acknowledged_answer(request.message.id, infos_.of(request.version));
  co_return reply;
}

}  // namespace host::mcp
