#include "mcp/method/listen.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "protocol/notifications.h"
#include "protocol/tasks.h"
#include "task/tasks.h"

namespace host::mcp {
namespace {

using Names = std::vector<std::string_view>;

// `limit` is the key that allows so many; `of` says what they are.
struct Bound {
  std::size_t most;
  std::string_view limit;
  std::string_view of;
};

// An array of strings that may be absent; else what is wrong.
std::variant<Names, std::string> read_names(const json::Value& wanted, std::string_view key,
                                            const Bound& bound) {
  const json::Value* const given = json::find(wanted, key);
  if (!given) return Names{};
  const std::string named = "\"" + std::string(key) + "\"";
  const std::string wrong = named + " must be an array of strings";
  if (!given->IsArray()) return wrong;
  if (given->Size() > bound.most) {
    return named + " names more than " + std::to_string(bound.most) + " " + std::string(bound.of) +
           " (" + std::string(bound.limit) + ")";
  }
  Names names;
  for (const json::Value& name : given->GetArray()) {
    if (!name.IsString()) return wrong;
    names.push_back(json::text(name));
  }
  return names;
}

}  // namespace

bool is_offered(const tool::Offers& offers, std::string_view uri) {
  return uri.size() <= tool::kMaxUriBytes && (offers.resource(uri) || offers.template_for(uri));
}

std::variant<News, protocol::Fault> read_listen(const Request& request, const Services& services) {
  const protocol::Id& id = request.message.id;
  const config::Limits& limits = services.config.limits;
  const auto invalid = [&](std::string why) {
    return protocol::Fault{protocol::kInvalidParams, std::move(why), id, {}};
  };
  const json::Value* const wanted = request.param("notifications");
  if (!wanted || !wanted->IsObject()) {
    return invalid("subscriptions/listen needs \"notifications\", an object");
  }
  News news;
  for (const auto& [name, flag] : {std::pair{"toolsListChanged", &news.lists.tools},
                                   {"promptsListChanged", &news.lists.prompts},
                                   {"resourcesListChanged", &news.lists.resources}}) {
    const json::Value* const given = json::find(*wanted, name);
    if (given && !given->IsBool())
      return invalid("\"" + std::string(name) + "\" must be a boolean");
    *flag = given && given->GetBool();
  }
  auto uris =
      read_names(*wanted, "resourceSubscriptions",
                 {limits.resource_subscriptions, "limits.resource_subscriptions", "resources"});
  if (auto* const fault = std::get_if<std::string>(&uris)) return invalid(std::move(*fault));
  std::size_t bytes = 0;
  for (const std::string_view uri : std::get<Names>(uris)) bytes += uri.size();
  if (bytes > kMostUriBytes) {
    return invalid("the URIs of \"resourceSubscriptions\" have more than " +
                   std::to_string(kMostUriBytes) + " bytes together");
  }
  const auto offers = services.offers.list(request.who);
  for (const std::string_view uri : std::get<Names>(uris)) {
    if (is_offered(*offers, uri)) news.resources.emplace(uri);
  }

  auto tasks = read_names(*wanted, "taskIds",
                          {limits.tasks_per_principal, "limits.tasks_per_principal", "tasks"});
  if (auto* const fault = std::get_if<std::string>(&tasks)) return invalid(std::move(*fault));
  if (!std::get<Names>(tasks).empty() && !protocol::follows_tasks(request.envelope.capabilities)) {
    return protocol::Fault{
        protocol::kMissingCapability,
        "\"taskIds\" needs a client that follows tasks (io.modelcontextprotocol/tasks)", id,
        R"({"requiredCapabilities":)" + std::string(protocol::kTasksCapability) + "}"};
  }
  for (const std::string_view task : std::get<Names>(tasks)) {
    const auto found = services.tasks.find(std::string(task), request.who.principal);
    if (found) news.tasks.emplace(task, std::string());
  }
  return news;
}

std::vector<std::string> first_messages(const Request& request, const Services& services,
                                        News& honoured) {
  const protocol::Id& id = request.message.id;
  protocol::Honoured shown{
      honoured.lists.tools, honoured.lists.prompts, honoured.lists.resources, {}, {}};
  shown.uris.assign(honoured.resources.begin(), honoured.resources.end());
  std::vector<std::string> messages(1);
  std::size_t room = kFirstTaskBytes;
  std::erase_if(honoured.tasks, [&](const auto& one) {
    const auto found = services.tasks.find(one.first, request.who.principal);
    const auto text = found ? text_to_tell(*found) : std::nullopt;
    if (text && text->size() > room) return true;
    shown.tasks.push_back(one.first);
    if (!text) return false;
    room -= text->size();
    messages.push_back(protocol::task_notification(*text, id));
    return false;
  });
  messages.front() = protocol::acknowledged_notification(id, shown);
  return messages;
}

}  // namespace host::mcp
