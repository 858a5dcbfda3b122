#include "mcp/method/listen.h"

#include "protocol/notifications.h"

namespace host::mcp {

bool is_offered(const tool::Offers& offers, std::string_view uri) {
  return uri.size() <= tool::kMaxUriBytes && (offers.resource(uri) || offers.template_for(uri));
}

std::variant<News, protocol::Fault> read_listen(const protocol::Message& message,
                                                const tool::Offers& offers, std::size_t most) {
  const auto invalid = [&](std::string why) {
    return protocol::Fault{protocol::kInvalidParams, std::move(why), message.id, {}};
  };
  const json::Value* const wanted =
      message.params ? json::find(*message.params, "notifications") : nullptr;
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
  const json::Value* const uris = json::find(*wanted, "resourceSubscriptions");
  if (!uris) return news;
  if (!uris->IsArray()) return invalid("\"resourceSubscriptions\" must be an array of URIs");
  if (uris->Size() > most) {
    return invalid("\"resourceSubscriptions\" names more than " + std::to_string(most) +
                   " resources (limits.resource_subscriptions)");
  }
  for (const json::Value& uri : uris->GetArray()) {
    if (!uri.IsString()) return invalid("\"resourceSubscriptions\" must be an array of URIs");
    if (is_offered(offers, json::text(uri))) news.resources.emplace(json::text(uri));
  }
  return news;
}

std::string acknowledgement(const protocol::Id& id, const News& honoured) {
  protocol::Honoured shown{
      honoured.lists.tools, honoured.lists.prompts, honoured.lists.resources, {}};
  shown.uris.assign(honoured.resources.begin(), honoured.resources.end());
  return protocol::acknowledged_notification(id, shown);
}

}  // namespace host::mcp
