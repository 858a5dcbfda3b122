// Stores which clients have subscribed to changes, and notifies these clients. The functions of
// this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json_rpc.h"
#include "tool/call/peer.h"
#include "tool/definition/task.h"
#include "tool/provider/catalog.h"

namespace host::mcp {

using Uris = std::set<std::string, std::less<>>;
// TaskTexts contains the result of tasks/get for each task id, as members of a JSON object without
// braces. In the subscription of a listener, the texts of the tasks are empty.
using TaskTexts = std::map<std::string, std::string, std::less<>>;

// The maximum size of a task's text in a notification. The host sends no notification with a larger
// text, because the host closes a stream with too many unsent bytes. Clients must read tasks with
// larger texts with tasks/get.
inline constexpr std::size_t kTaskTextBytes = 64u << 10u;
// Returns the text of a task for notifications, or nullopt if the text is too large.
std::optional<std::string> text_to_tell(const tool::Task& task);

// A News names lists that changed, resources whose contents changed, and tasks with a new state. A
// News is a set of changes that happened, or the set that a listener subscribed to.
struct News {
  tool::Changes lists;
  Uris resources;
  TaskTexts tasks;

  bool any() const { return lists.any() || !resources.empty() || !tasks.empty(); }
  // Adds the changes in `later` to this News. A text in `later` replaces the text of the same task.
  void add(News later);
};

using NewsOf = std::map<tool::ProviderIdentity::Id, News>;
// Returns whether a client can see the provider.
using Sees = std::function<bool(const tool::Peer& who, const tool::ProviderIdentity::Id& of)>;

// Returns the changes to which a listener has subscribed.
News part_of(const News& news, const News& wanted);
News part_of(const News& news, const tool::Changes& lists, const Uris& uris);

// Returns the notifications for a listener. `subscription` is the id of the listener's listen
// request. `subscription` is empty if the listener has sent no listen request.
std::vector<std::string> notifications_of(const News& news, const protocol::Id& subscription);

// The maximum total size of all URIs of one session, or of one subscriptions/listen request. The
// host compares each URI with all templates, and copies the URIs at each change, on the I/O thread.
inline constexpr std::size_t kMostUriBytes = 64u << 10u;

class Subscriptions {
  using Listener = std::function<void(const News&)>;
  // Adds the URIs of the resources to which the listener is currently subscribed.
  using Wishes = std::function<void(Uris&)>;
  struct One {
    tool::Peer who;
    Listener listener;
    Wishes wishes;  // null: the listener has not subscribed to resources
  };
  using Listeners = std::list<std::shared_ptr<const One>>;
  struct Table {
    Listeners listeners;
    // The function is called when a listener with subscriptions was added or removed. Can be null.
    std::function<void()> changed;
  };

 public:
  // The destructor of a Registration removes its listener. A Registration can outlive the
  // Subscriptions.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), at_(other.at_) {}
    Registration& operator=(Registration&& other) noexcept {
      reset();
      table_ = std::exchange(other.table_, nullptr);
      at_ = other.at_;
      return *this;
    }
    ~Registration() { reset(); }
    void reset();
    bool is_set() const { return table_ != nullptr; }

   private:
    friend class Subscriptions;
    Registration(std::shared_ptr<Table> table, Listeners::iterator at)
        : table_(std::move(table)), at_(at) {}
    std::shared_ptr<Table> table_;
    Listeners::iterator at_;
  };

  Registration add(tool::Peer who, Listener listener, Wishes wishes = nullptr);
  // Adds the URIs of all resources to which a listener has subscribed.
  void gather(Uris& followed) const;
  void on_change(std::function<void()> act) { table_->changed = std::move(act); }
  // Sends each listener the changes for all clients, and the changes of the providers that the
  // listener's client sees. A running listener can remove itself or other listeners.
  void tell(const News& for_all, const NewsOf& of, const Sees& sees) const;
  std::size_t size() const { return table_->listeners.size(); }

 private:
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

// Collects changes until the next iteration of the event loop, so that many simultaneous changes
// cause only one notification of each kind.
class Announcer {
 public:
  explicit Announcer(boost::asio::any_io_executor executor)
      : executor_(std::move(executor)), look_timer_(executor_) {}
  ~Announcer();
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  // Changes of a provider are sent only to the clients that see the provider. If `of` is empty or
  // nullopt, the changes are sent to all clients.
  void changed(const tool::Changes& changes, const tool::ChangesOf& of = {});
  void updated(const std::string& uri, const tool::Catalog::From& of = std::nullopt);
  void changed(const tool::Task& task);
  // Sets the function that decides which providers a client sees. If sees_by() was not called, all
  // clients see all providers.
  void sees_by(Sees sees) { sees_ = std::move(sees); }

  // Sets a function that is called soon after the set of subscribed resources has changed. The
  // function gets the URIs of all resources to which clients have subscribed.
  void on_follow(std::function<void(const Uris&)> act);
  // Call this function when a client has changed its subscriptions to resources.
  void follows_changed();

  // listens() returns the listeners of subscriptions/listen streams, and sessions() returns the
  // clients in protocol versions with sessions.
  Subscriptions& listens() { return listens_; }
  Subscriptions& sessions() { return sessions_; }

 private:
  void tell_soon();
  void look();

  boost::asio::any_io_executor executor_;
  News pending_;
  NewsOf pending_of_;
  Sees sees_ = [](const tool::Peer&, const tool::ProviderIdentity::Id&) { return true; };
  bool waiting_ = false;
  Subscriptions listens_;
  Subscriptions sessions_;
  std::function<void(const Uris&)> on_follow_;  // null: on_follow() was not called
  Uris followed_;
  bool looks_soon_ = false;
  std::chrono::nanoseconds look_cost_{0};  // processor time that the last look() took
  boost::asio::steady_timer look_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Expires with this object.
                                                                // Late callbacks check that.
};

}  // namespace host::mcp
