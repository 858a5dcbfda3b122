// What a plugin tells of itself while it serves, on its way to the I/O thread. However often it
// tells, one News is on its way at a time, and what comes meanwhile folds into the next: a plugin
// that floods reaches nobody but itself.
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
  static constexpr std::uint32_t kMostTools = 1024;  // as many as a library may describe
  static constexpr std::size_t kMostUriBytes = 4096;

  bool restarted = false;  // a new instance serves: what the one before told is void
  bool resources = false;  // its list is another, or that of the templates
  bool prompts = false;
  std::map<std::uint32_t, bool> tools;         // by number: offered from now on, or not
  std::set<std::string, std::less<>> updated;  // URIs; those over the bound are dropped

  bool empty() const {
    return !restarted && !resources && !prompts && tools.empty() && updated.empty();
  }
  void add_updated(std::string_view uri);
  void merge(News later);
};

// Where the plugin's own threads pin it up. Any thread.
class NewsBoard {
 public:
  // `send` is called with no lock held, and not again before heard().
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

  // What was sent has been acted upon.
  void heard();

 private:
  const Send send_;
  std::mutex mutex_;  // guards the two below
  News news_;
  bool on_way_ = false;
};

// Where the host finds it. Keeps what comes before anybody listens. I/O thread only.
class NewsInbox {
 public:
  using Listener = std::function<void(News)>;

  void put(News news);
  void listen(Listener listener);  // hears at once what is there
  News take() { return std::exchange(news_, {}); }

 private:
  News news_;
  Listener listener_;
};

}  // namespace host::plugin
