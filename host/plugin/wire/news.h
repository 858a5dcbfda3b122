// The announcements of a plugin: changed tools, resources and prompts. The plugin's side sends one
// News message, and then waits until the host has handled it. The next News contains all
// announcements that the plugin made in the meantime, so many announcements do not slow down the
// host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace host::plugin {

struct News {
  static constexpr std::size_t kMostUpdated = 1024;
  static constexpr std::uint32_t kMostTools = 1024;  // maximum number of tools in a library
  static constexpr std::size_t kMostUriBytes = 4096;

  bool restarted = false;  // a new instance serves, so earlier announcements no longer apply
  bool resources = false;  // the list of resources or templates has changed
  bool prompts = false;
  std::map<std::uint32_t, bool> tools;         // key: tool number; true: now offered
  std::set<std::string, std::less<>> updated;  // URIs of updated resources, at most kMostUpdated

  bool empty() const {
    return !restarted && !resources && !prompts && tools.empty() && updated.empty();
  }
  void add_updated(std::string_view uri);
  void merge(News later);
};

// The NewsBoard collects announcements on the plugin's side. Any thread can call the functions of
// NewsBoard.
class NewsBoard {
 public:
  // The board does not lock while it calls `send`. After one call of `send`, the NewsBoard waits
  // for heard() before the next call.
  using Send = std::function<void(News)>;
  explicit NewsBoard(Send send) : send_(std::move(send)) {}

  template <class Change>
  void tell(Change change) {
    News ready;
    {
      const std::lock_guard lock(mutex_);
      change(news_);
      if (on_way_) return;
      on_way_ = true;
      ready = std::exchange(news_, {});
    }
    send_(std::move(ready));
  }

  // Call heard() when the host has handled the last News, so that the NewsBoard sends the next
  // News.
  void heard();

 private:
  const Send send_;
  std::mutex mutex_;  // guards the next two members
  News news_;
  bool on_way_ = false;
};

// The NewsInbox is the host's side of the announcements. If a News message arrives before a
// listener is set, the NewsInbox stores the message. The functions of NewsInbox are called on the
// I/O thread.
class NewsInbox {
 public:
  using Listener = std::function<void(News)>;

  void put(News news);
  void listen(Listener listener);  // calls `listener` immediately with waiting news
  News take() { return std::exchange(news_, {}); }

 private:
  News news_;
  Listener listener_;
};

}  // namespace host::plugin
