// All open HTTP connections by owner, and each owner's limits on connections and on bytes in
// requests.
//
// A connection belongs to the owner of its address (address_owner.h) until a request on it has a
// valid key, token or login. From then on it belongs to that principal. If an owner is at its
// limit, its own oldest idle connection is closed. A connection that handles a request is never
// closed, nor one of a different owner.
//
// If no connection can be closed, a few reserved connections are used: a new connection may send a
// head. It is served if the sender is a known principal, or if it requests something that everybody
// needs (the console, /healthz). Of the bytes for bodies, an eighth is reserved for known
// principals, and an eighth for them and for what everybody needs. I/O thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/crowd.h"
#include "transport/http/http.h"
#include "transport/http/http_server.h"

namespace host::transport {

class HttpConnection;

class ConnectionTable {
 public:
  using Pointer = std::shared_ptr<HttpConnection>;
  using List = std::list<Pointer>;

  struct Owner {
    List idle;  // oldest first
    List busy;
    std::uint64_t bytes = 0;         // bytes of their requests' bodies
    std::uint64_t answer_bytes = 0;  // bytes of answers that clients have not read

    std::size_t size() const { return idle.size() + busy.size(); }
  };
  using Owners = std::unordered_map<std::string, Owner>;

  // The sender of the current request. AsksEssential: unknown, but requests something that
  // everybody needs.
  enum class Sender { Unknown, AsksEssential, Known };

  // The work of a connection, because of which it cannot be closed.
  enum class Hold { Nothing, Handling, Request };

  // A connection's entry in the table. The connection stores it.
  struct Place {
    List::iterator at{};
    Owners::value_type* owner = nullptr;  // nullptr: not in a table
    std::uint64_t idle_since = 0;         // a count, not a time
    std::uint64_t bytes = 0;
    std::uint64_t answer_bytes = 0;
    std::string_view beyond;  // the limit that it exceeds; empty: none
    Sender sender = Sender::Unknown;
    bool idle = false;
    Hold hold = Hold::Request;
  };

  explicit ConnectionTable(const HttpOptions& options) : options_(options) {}

  // Adds a connection as the newest idle one, and may close an older one. Full: a later connection
  // may replace this one while it is idle.
  enum class Entered { No, Yes, Full, KeptBack };
  Entered enter(Pointer connection);
  void remove(HttpConnection& connection);

  // Call it when a request's head was read. Returns the key of the limit that refuses the request;
  // empty: none.
  std::string_view settle(HttpConnection& connection, const Admission& admission);
  // True for reserved connections, which are closed after their answer.
  static bool is_kept_back(const Place& place) { return !place.beyond.empty(); }

  // The body of the connection's request now takes `bytes` of memory. Returns the key of the limit
  // that refuses it; empty: none.
  std::string_view take_bytes(HttpConnection& connection, std::uint64_t bytes);
  std::uint64_t bytes() const { return bytes_; }  // of all bodies

  // The client has not read `bytes` of an answer yet. They cannot be refused any more, but they
  // count when the owner's next body needs space.
  void hold_answer(HttpConnection& connection, std::uint64_t bytes);

  // The connection is between requests or reading a head. It becomes the newest idle one, and its
  // body's bytes are released.
  void mark_idle(HttpConnection& connection);
  void mark_busy(HttpConnection& connection, Hold now);

  // Closes an idle connection because descriptors are scarce, those of unknown senders first.
  void close_oldest_idle();

  std::size_t size() const { return size_; }
  std::vector<Pointer> all() const;

 private:
  std::size_t size_of(const std::string& name) const;
  std::size_t size_settled() const { return size_ - size_of(kKeptBack); }
  Pointer oldest_idle(const std::string& name) const;         // nullptr: none is idle
  Pointer oldest_idle(bool of_known_principals) const;        // nullptr: none is idle
  bool make_room(const std::string& name, std::size_t most);  // false: it has no idle connection
  Entered enter_kept_back(Pointer connection, std::string_view beyond);
  void add(Pointer connection, const std::string& name);
  void move(HttpConnection& connection, const std::string& name);
  std::string_view limit_of_bytes(const Place& place, std::uint64_t more) const;
  void give_back(Place& place);
  void closed_for(std::string_view limit) const;

  static const std::string kKeptBack;  // owner name of reserved connections

  const HttpOptions& options_;
  Owners owners_;  // "@loopback", "=ada"; only owners with connections
  std::size_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_of_unknown_ = 0;  // the part of unknown senders
  std::uint64_t count_ = 0;
  Crowd crowd_;
};

}  // namespace host::transport
