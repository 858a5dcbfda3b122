#include "mcp/peer/subscriptions.h"

#include <boost/asio/post.hpp>

#include "protocol/notifications.h"
#include "protocol/tasks.h"

namespace host::mcp {

std::vector<std::string> notifications_of(const News& news, const News& wanted,
                                          const protocol::Id& subscription) {
  std::vector<std::string> messages;
  const auto changed = [&](bool tell, std::string_view list) {
    if (tell) messages.push_back(protocol::list_changed_notification(list, subscription));
  };
  changed(news.lists.tools && wanted.lists.tools, "tools");
  changed(news.lists.resources && wanted.lists.resources, "resources");
  changed(news.lists.prompts && wanted.lists.prompts, "prompts");
  for (const std::string& uri : news.resources) {
    if (!wanted.resources.contains(uri)) continue;
    messages.push_back(protocol::resource_updated_notification(uri, subscription));
  }
  for (const auto& [id, text] : news.tasks) {
    if (wanted.tasks.contains(id))
      messages.push_back(protocol::task_notification(text, subscription));
  }
  return messages;
}

std::optional<std::string> text_to_tell(const tool::Task& task) {
  if (task.outcome.size() > kTaskTextBytes) return std::nullopt;
  std::string text = protocol::task_members(task);
  if (text.size() > kTaskTextBytes) return std::nullopt;
  return text;
}

void Subscriptions::Registration::reset() {
  const auto listeners = std::exchange(listeners_, nullptr);
  if (!listeners) return;
  // What the listener holds may hold this: it goes once the list is whole again.
  Listeners leaving;
  leaving.splice(leaving.begin(), *listeners, at_);
}

Subscriptions::Registration Subscriptions::add(Listener listener) {
  auto shared = std::make_shared<const Listener>(std::move(listener));
  return {listeners_, listeners_->insert(listeners_->end(), std::move(shared))};
}

void Subscriptions::tell(const News& news) const {
  const std::vector<std::weak_ptr<const Listener>> now(listeners_->begin(), listeners_->end());
  for (const auto& weak : now) {
    if (const auto listener = weak.lock()) (*listener)(news);
  }
}

void Announcer::changed(const tool::Changes& changes) {
  pending_.lists.tools |= changes.tools;
  pending_.lists.resources |= changes.resources;
  pending_.lists.prompts |= changes.prompts;
  tell_soon();
}

void Announcer::updated(const std::string& uri) {
  if (listens_.size() + sessions_.size() == 0) return;
  pending_.resources.insert(uri);
  tell_soon();
}

void Announcer::changed(const tool::Task& task) {
  if (listens_.size() == 0) return;
  auto text = text_to_tell(task);
  if (!text) return;
  pending_.tasks.insert_or_assign(task.id, *std::move(text));
  tell_soon();
}

void Announcer::tell_soon() {
  if (std::exchange(waiting_, true)) return;
  boost::asio::post(executor_, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    waiting_ = false;
    const News news = std::exchange(pending_, {});
    listens_.tell(news);
    sessions_.tell(news);
  });
}

}  // namespace host::mcp
