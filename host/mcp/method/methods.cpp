#include "mcp/method/methods.h"

#include <utility>

#include "protocol/log_level.h"
#include "protocol/mcp.h"

namespace host::mcp {
namespace {

using protocol::Fault;
using protocol::Version;
using Era = Method::Era;
using Way = Method::Way;

template <class Object, class Function>
std::function<Reply(const Request&)> at_once(Object& object, Function function) {
  return [&object, function](const Request& request) { return (object.*function)(request); };
}

template <class Object, class Function>
std::function<awaitable<Reply>(Request&)> waited(Object& object, Function function) {
  return [&object, function](Request& request) { return (object.*function)(request); };
}

}  // namespace

Methods::Methods(Services services)
    : services_(std::move(services)),
      infos_({services_.config.server.name, services_.config.server.title, services_.version}),
      pages_(services_.config.limits.page_size),
      runner_(services_, infos_),
      tools_(services_, infos_, pages_, runner_),
      offers_(services_, infos_, pages_, runner_, announcer_),
      skills_(services_, infos_),
      task_methods_(services_, infos_),
      announcer_(services_.executor) {
  services_.tasks.on_change([this](const tool::Task& task) { announcer_.changed(task); });
  services_.tasks.on_resume([this](const task::RecordPtr& record, tool::Continuation continuation,
                                   std::shared_ptr<Cancel> cancel,
                                   const task::Tasks::Answerer& by) {
    tools_.resume({record, std::move(continuation), std::move(cancel), by});
  });
  const Method methods[] = {
      {.name = "tools/list", .at_once = at_once(tools_, &ToolMethods::list)},
      {.name = "tools/call",
       .way = Way::Waits,
       .named_by = "name",
       .mirrors_arguments = true,
       .waited = waited(tools_, &ToolMethods::call)},
      {.name = "resources/list", .at_once = at_once(offers_, &OfferMethods::list_resources)},
      {.name = "resources/templates/list",
       .at_once = at_once(offers_, &OfferMethods::list_templates)},
      {.name = "resources/read",
       .way = Way::Waits,
       .named_by = "uri",
       .waited = waited(offers_, &OfferMethods::read_resource)},
      {.name = "resources/subscribe",
       .era = Era::Sessions,
       .at_once = at_once(offers_, &OfferMethods::subscribe)},
      {.name = "resources/unsubscribe",
       .era = Era::Sessions,
       .at_once = at_once(offers_, &OfferMethods::unsubscribe)},
      {.name = "prompts/list", .at_once = at_once(offers_, &OfferMethods::list_prompts)},
      {.name = "prompts/get",
       .way = Way::Waits,
       .named_by = "name",
       .waited = waited(offers_, &OfferMethods::get_prompt)},
      {.name = "completion/complete",
       .way = Way::Waits,
       .waited = waited(offers_, &OfferMethods::complete)},
      {.name = "skills/list", .at_once = at_once(skills_, &SkillMethods::list)},
      {.name = "skills/get", .at_once = at_once(skills_, &SkillMethods::get)},
      {.name = "resources/directory/read",
       .at_once = at_once(skills_, &SkillMethods::read_directory)},
      {.name = "tasks/get",
       .era = Era::Stateless,
       .way = Way::Waits,
       .named_by = "taskId",
       .waited = waited(task_methods_, &TaskMethods::get)},
      {.name = "tasks/update",
       .era = Era::Stateless,
       .way = Way::Waits,
       .named_by = "taskId",
       .waited = waited(task_methods_, &TaskMethods::update)},
      {.name = "tasks/cancel",
       .era = Era::Stateless,
       .way = Way::Waits,
       .named_by = "taskId",
       .waited = waited(task_methods_, &TaskMethods::cancel)},
      {.name = "logging/setLevel",
       .era = Era::Sessions,
       .at_once = at_once(*this, &Methods::set_log_level)},
      {.name = "ping",
       .era = Era::Sessions,
       .any_time = true,
       .at_once = at_once(*this, &Methods::ping)},
      {.name = "initialize", .era = Era::Sessions, .way = Way::Initialize},
      {.name = "server/discover",
       .era = Era::Stateless,
       .any_time = true,
       .at_once = at_once(*this, &Methods::discover)},
      {.name = "subscriptions/listen", .era = Era::Stateless, .way = Way::Listen},
  };
  for (const Method& method : methods) table_.emplace(method.name, method);
}

const Method* Methods::find(std::string_view name, Version version) const {
  const auto at = table_.find(name);
  if (at == table_.end()) return nullptr;
  const Era own = protocol::features(version).stateless ? Era::Stateless : Era::Sessions;
  const Method& method = at->second;
  return method.era == Era::Both || method.era == own ? &method : nullptr;
}

bool Methods::initializes(const protocol::Message& message) const {
  if (message.kind != protocol::Kind::Request) return false;
  const auto at = table_.find(message.method);
  return at != table_.end() && at->second.way == Way::Initialize;
}

std::optional<Reply> Methods::answer_at_once(const Request& request) const {
  const protocol::Id& id = request.message.id;
  const Method* const method = find(request.message.method, request.version);
  const bool served = method && (method->way == Way::AtOnce || method->way == Way::Waits);
  if (!served) {
    return refuse({protocol::kMethodNotFound,
                   "Method not found: " + std::string(request.message.method.substr(0, 64)),
                   id,
                   {}},
                  protocol::features(request.version).stateless ? 404 : 200);
  }
  if (auto fault = protocol::meta_fault(request.envelope)) {
    return invalid_params(id, *std::move(fault));
  }
  if (method->way == Way::Waits) return std::nullopt;
  return method->at_once(request);
}

awaitable<Reply> Methods::answer(Request& request) const {
  if (auto reply = answer_at_once(request)) co_return *std::move(reply);
  const Method& method = *find(request.message.method, request.version);
  Reply reply = co_await method.waited(request);
  co_return reply;
}

Reply Methods::ping(const Request& request) const {
  Reply reply;
  reply.text = protocol::empty_answer(request.message.id);
  return reply;
}

std::string Methods::instructions(const tool::Peer& who) const {
  return services_.instructions ? services_.instructions(who) : std::string();
}

Reply Methods::discover(const Request& request) const {
  Reply reply;
  reply.text = protocol::discover_answer(request.message.id, infos_.of(request.version),
                                         instructions(request.who));
  return reply;
}

Reply Methods::set_log_level(const Request& request) const {
  const protocol::Id& id = request.message.id;
  const json::Value* const level = request.param("level");
  const auto wanted = level ? protocol::log_level_from(json::text(*level)) : std::nullopt;
  if (!wanted) return invalid_params(id, "\"level\" must be one of debug to emergency");
  if (!request.settings) {
    return refuse({protocol::kInvalidRequest, "initialize first: a session has a level", id, {}});
  }
  request.settings->log_level = *wanted;
  Reply reply;
  reply.text = protocol::empty_answer(id);
  return reply;
}

std::variant<Methods::Initialized, Fault> Methods::initialize(const protocol::Message& message,
                                                              const tool::Peer& who) const {
  const auto invalid = [&](std::string why) {
    return Fault{protocol::kInvalidParams, std::move(why), message.id, {}};
  };
  if (!message.params) return invalid("initialize needs params");
  const json::Value* const asked = json::find(*message.params, "protocolVersion");
  if (!asked || !asked->IsString()) return invalid("initialize needs \"protocolVersion\"");
  const json::Value* const capabilities = json::find(*message.params, "capabilities");
  if (capabilities && !capabilities->IsObject())
    return invalid("\"capabilities\" must be an object");
  const json::Value* const client = json::find(*message.params, "clientInfo");
  if (client) {
    if (auto fault = protocol::client_info_fault(*client, "clientInfo")) {
      return invalid(*std::move(fault));
    }
  }

  Initialized agreed{
      protocol::legacy_version_from(json::text(*asked)).value_or(protocol::kLatestLegacy), {}, {}};
  agreed.abilities = protocol::abilities_of(capabilities, agreed.version);
  agreed.text = protocol::initialize_answer(message.id, agreed.version, infos_.of(agreed.version),
                                            instructions(who));
  return agreed;
}

protocol::Id Methods::cancelled_request(const protocol::Message& notification) {
  if (!notification.params) return {};
  return protocol::read_id(json::find(*notification.params, "requestId"));
}

}  // namespace host::mcp
