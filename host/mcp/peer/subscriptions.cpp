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
  const auto table = std::exchange(table_, nullptr);
  if (!table) return;
  // What the listener holds may hold this: it goes once the list is whole again.
  Listeners leaving;
  leaving.splice(leaving.begin(), table->listeners, at_);
  if (table->changed) table->changed();
}

Subscriptions::Registration Subscriptions::add(Listener listener, Wishes wishes) {
  auto shared = std::make_shared<const One>(One{std::move(listener), std::move(wishes)});
  Listeners& all = table_->listeners;
  const auto at = all.insert(all.end(), std::move(shared));
  if (table_->changed) table_->changed();
  return {table_, at};
}

void Subscriptions::tell(const News& news) const {
  const Listeners& all = table_->listeners;
  const std::vector<std::weak_ptr<const One>> now(all.begin(), all.end());
  for (const auto& weak : now) {
    if (const auto one = weak.lock()) one->listener(news);
  }
}

void Subscriptions::gather(Uris& followed) const {
  for (const auto& one : table_->listeners) {
    if (one->wishes) one->wishes(followed);
  }
}

Announcer::~Announcer() {
  listens_.on_change(nullptr);
  sessions_.on_change(nullptr);
}

void Announcer::on_follow(std::function<void(const Uris&)> act) {
  on_follow_ = std::move(act);
  listens_.on_change([this] { follows_changed(); });
  sessions_.on_change([this] { follows_changed(); });
  follows_changed();
}

void Announcer::follows_changed() {
  if (!on_follow_ || std::exchange(looks_soon_, true)) return;
  boost::asio::post(executor_, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    looks_soon_ = false;
    Uris now;
    listens_.gather(now);
    sessions_.gather(now);
    if (now == followed_) return;
    followed_ = std::move(now);
    on_follow_(followed_);
  });
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
