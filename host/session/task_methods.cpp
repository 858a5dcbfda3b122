#include "session/task_methods.h"

#include <optional>

#include "protocol/tasks.h"
#include "task/tasks.h"

namespace host::session {
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

Reply TaskMethods::get(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) return *std::move(refused);
  const auto task = services_.tasks.find(id, request.who.principal);
  if (!task) return refusal(request, task.error());
  Reply reply;
  reply.text = protocol::task_answer(request.message.id, *task, infos_.of(request.version));
  return reply;
}

Reply TaskMethods::update(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) return *std::move(refused);
  const json::Value* const responses = request.param("inputResponses");
  if (!responses || !responses->IsObject()) {
    return invalid_params(request.message.id, "tasks/update needs \"inputResponses\", an object");
  }
  return acknowledge(request, services_.tasks.answer(id, request.who.principal, *responses));
}

Reply TaskMethods::cancel(const Request& request) const {
  std::string id;
  if (auto refused = read_task_id(request, id)) return *std::move(refused);
  return acknowledge(request, services_.tasks.cancel(id, request.who.principal));
}

Reply TaskMethods::acknowledge(const Request& request, const Result<void>& done) const {
  if (!done) return refusal(request, done.error());
  Reply reply;
  reply.text = protocol::task_acknowledged_answer(request.message.id, infos_.of(request.version));
  return reply;
}

}  // namespace host::session
