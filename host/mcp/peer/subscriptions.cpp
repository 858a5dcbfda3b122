#include "mcp/peer/subscriptions.h"

#include <boost/asio/post.hpp>

#include "json/schema/time_budget.h"
#include "protocol/notifications.h"
#include "protocol/tasks.h"

namespace host::mcp {

namespace {

// So a look at many subscriptions takes at most a tenth of the time of the I/O thread.
constexpr int kRestPerWork = 9;
constexpr std::chrono::milliseconds kShortLook{1};

}  // namespace

void News::add(News later) {
  lists.add(later.lists);
  resources.merge(later.resources);
  for (auto& [id, text] : later.tasks) tasks.insert_or_assign(id, std::move(text));
}

News part_of(const News& news, const tool::Changes& lists, const Uris& uris) {
  News part;
  part.lists = {news.lists.tools && lists.tools, news.lists.resources && lists.resources,
                news.lists.prompts && lists.prompts};
  for (const std::string& uri : news.resources) {
    if (uris.contains(uri)) part.resources.insert(uri);
  }
  return part;
}

News part_of(const News& news, const News& wanted) {
  News part = part_of(news, wanted.lists, wanted.resources);
  for (const auto& [id, text] : news.tasks) {
    if (wanted.tasks.contains(id)) part.tasks.emplace(id, text);
  }
  return part;
}

std::vector<std::string> notifications_of(const News& news, const protocol::Id& subscription) {
  std::vector<std::string> messages;
  const auto changed = [&](bool tell, std::string_view list) {
    if (tell) messages.push_back(protocol::list_changed_notification(list, subscription));
  };
  changed(news.lists.tools, "tools");
  changed(news.lists.resources, "resources");
  changed(news.lists.prompts, "prompts");
  for (const std::string& uri : news.resources) {
    messages.push_back(protocol::resource_updated_notification(uri, subscription));
  }
  for (const auto& [id, text] : news.tasks) {
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
  if (table->changed && leaving.front()->wishes) table->changed();
}

Subscriptions::Registration Subscriptions::add(tool::Peer who, Listener listener, Wishes wishes) {
  auto shared =
      std::make_shared<const One>(One{std::move(who), std::move(listener), std::move(wishes)});
  Listeners& all = table_->listeners;
  const auto at = all.insert(all.end(), std::move(shared));
  if (table_->changed && (*at)->wishes) table_->changed();
  return {table_, at};
}

void Subscriptions::tell(const News& for_all, const NewsOf& of, const Sees& sees) const {
  const Listeners& all = table_->listeners;
  const std::vector<std::weak_ptr<const One>> now(all.begin(), all.end());
  for (const auto& weak : now) {
    const auto one = weak.lock();
    if (!one) continue;
    std::optional<News> seen;  // a copy is made only for a listener that sees news of a provider
    for (const auto& [provider, own] : of) {
      if (!sees(one->who, provider)) continue;
      if (!seen) seen = for_all;
      seen->add(own);
    }
    const News& news = seen ? *seen : for_all;
    if (news.any()) one->listener(news);
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
  const auto act = [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) look();
  };
  if (look_cost_ < kShortLook) return boost::asio::post(executor_, act);
  look_timer_.expires_after(kRestPerWork * look_cost_);
  look_timer_.async_wait([act](const boost::system::error_code& stopped) {
    if (!stopped) act();
  });
}

void Announcer::look() {
  looks_soon_ = false;
  const auto begin = json::schema::thread_cpu_time();
  Uris now;
  listens_.gather(now);
  sessions_.gather(now);
  if (now != followed_) {
    followed_ = std::move(now);
    on_follow_(followed_);
  }
  look_cost_ = json::schema::thread_cpu_time() - begin;
}

void Announcer::changed(const tool::Changes& changes, const tool::ChangesOf& of) {
  if (of.empty()) pending_.lists.add(changes);
  for (const auto& [provider, own] : of) pending_of_[provider].lists.add(own);
  tell_soon();
}

void Announcer::updated(const std::string& uri, const tool::Catalog::From& of) {
  if (listens_.size() + sessions_.size() == 0) return;
  (of ? pending_of_[*of] : pending_).resources.insert(uri);
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
    const News for_all = std::exchange(pending_, {});
    const NewsOf of = std::exchange(pending_of_, {});
    listens_.tell(for_all, of, sees_);
    sessions_.tell(for_all, of, sees_);
  });
}

}  // namespace host::mcp
