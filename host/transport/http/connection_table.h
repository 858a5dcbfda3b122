// The ConnectionTable contains all open HTTP connections, grouped by owner (an address's owner or a
// principal). The table enforces each owner's limits on connections and on bytes of requests.
//
// A connection counts towards the quota of its address's owner (address_owner.h) until a request on
// it has a valid key, token or login. From the first request with a valid key, token or login on,
// the connection counts towards the quota of the request's principal. If an owner is at its limit,
// the table closes the oldest idle connection of the same owner. If the table has reached the limit
// on all connections together, the table closes the oldest idle connection of the new connection's
// owner. If the new connection's owner has no idle connection, the table closes the oldest idle
// connection without a valid key, token or login. To make room for a new connection, the table
// never closes a connection that handles a request, nor a connection of another principal.
//
// If no connection can be closed, a new connection is accepted as one of a few reserved
// connections. For a reserved connection, the host reads the head of the first request. The host
// serves the request if its sender is a known principal, or if its path is one that everybody needs
// (the console, /healthz). Of the memory for bodies, one eighth is reserved for known principals.
// Another eighth of the memory for bodies is reserved for known principals and for paths that
// everybody needs. The functions of ConnectionTable are called on the I/O thread.
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
    std::uint64_t bytes = 0;         // size of the bodies of these connections' requests
    std::uint64_t answer_bytes = 0;  // size of the answers that clients have not read

    std::size_t size() const { return idle.size() + busy.size(); }
  };
  using Owners = std::unordered_map<std::string, Owner>;  // with connections or bytes

  // Sender says what the host knows about the sender of the current request. AsksEssential means
  // that the sender is unknown, but requests a path that everybody needs (the console, /healthz).
  enum class Sender { Unknown, AsksEssential, Known };

  // The enumeration Hold says which work of a connection prevents the table from closing the
  // connection.
  enum class Hold { Nothing, Handling, Request };

  // A Place is a connection's entry in the table, and a member of the connection.
  struct Place {
    List::iterator at{};
    Owners::value_type* owner = nullptr;  // nullptr: not in a table
    std::uint64_t idle_since = 0;         // a counter value, not a time
    std::uint64_t bytes = 0;
    std::uint64_t answer_bytes = 0;
    std::string_view beyond;  // key of the limit that the connection exceeds; empty: none
    bool closed = false;      // true: only the size of its request's body still counts
    Sender sender = Sender::Unknown;
    bool idle = false;
    Hold hold = Hold::Request;
  };

  explicit ConnectionTable(const HttpOptions& options) : options_(options) {}

  // Adds a connection as the newest idle connection. enter() can close an older connection to make
  // room. Entered::Full means that the new connection has reached a limit. A new connection that
  // stays idle can be closed to make room for a later connection. Entered::KeptBack means that the
  // new connection is one of the reserved connections.
  enum class Entered { No, Yes, Full, KeptBack };
  Entered enter(Pointer connection);
  // Removes a connection that is closed. If `in_use` is true, a handler still reads the request,
  // so the bytes of its body count until forget().
  void remove(HttpConnection& connection, bool in_use = false);
  void forget(HttpConnection& connection);  // when a removed connection's handler returned

  // Call settle() when the head of a request was read. If a limit refuses the request, returns the
  // limit's key in config.toml; otherwise an empty text.
  std::string_view settle(HttpConnection& connection, const Admission& admission);
  // Returns true for reserved connections, which are closed after their response.
  static bool is_kept_back(const Place& place) { return !place.beyond.empty(); }

  // Records that the body of the connection's current request now takes `bytes` bytes of memory. If
  // a limit refuses the request, returns the limit's key in config.toml, otherwise an empty text.
  std::string_view take_bytes(HttpConnection& connection, std::uint64_t bytes);
  std::uint64_t bytes() const { return bytes_; }  // of all bodies

  // Records that the client has not yet read `bytes` bytes of a response. The table counts the
  // unread bytes when the owner's next request needs memory. Towards the limit on all owners
  // together, each owner's unread bytes count up to bodies_bytes_per_principal at most.
  void hold_answer(HttpConnection& connection, std::uint64_t bytes);

  // If responses that clients have not read fill a limit, the function returns the key of that
  // limit; otherwise an empty text. Call full_of_answers() for a request without a body whose
  // response would need memory.
  std::string_view full_of_answers(const HttpConnection& connection) const;

  // Call mark_idle() when a connection is between requests or reads a head. The function
  // mark_idle() makes the connection the newest idle connection, and the table no longer counts the
  // memory of its body.
  void mark_idle(HttpConnection& connection);
  void mark_busy(HttpConnection& connection, Hold now);

  // Closes an idle connection because the process has few descriptors left. close_oldest_idle()
  // first closes connections of unknown senders.
  void close_oldest_idle();

  std::size_t size() const { return size_; }
  std::vector<Pointer> all() const;

 private:
  std::size_t size_of(const std::string& name) const;
  std::size_t size_settled() const { return size_ - size_of(kKeptBack); }
  Pointer oldest_idle(const std::string& name) const;   // nullptr: none is idle
  Pointer oldest_idle(bool of_known_principals) const;  // nullptr: none is idle
  // Returns false if the owner `name` has no idle connection.
  bool make_room(const std::string& name, std::size_t most);
  void give_back_body(Place& place);
  void count_answer(Place& place, std::uint64_t bytes);
  std::uint64_t answers_of_all() const;
  std::uint64_t part_of_unknown() const;  // the part of bodies_bytes that unknown senders can use
  Entered enter_kept_back(Pointer connection, std::string_view beyond);
  void add(Pointer connection, const std::string& name);
  void move(HttpConnection& connection, const std::string& name);
  std::string_view limit_of_bytes(const Place& place, std::uint64_t more) const;
  void give_back(Place& place);
  void closed_for(std::string_view limit) const;

  static const std::string kKeptBack;  // owner name of reserved connections

  const HttpOptions& options_;
  Owners owners_;  // keys like "@loopback", "=ada"
  std::size_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_of_unknown_ = 0;  // size of the bodies that unknown senders have sent
  // `answers_of_known_` is the number of bytes of responses that clients have not read. No owner
  // adds more bytes to `answers_of_known_` than the owner's own limit.
  std::uint64_t answers_of_known_ = 0;
  std::uint64_t answers_of_unknown_ = 0;
  std::uint64_t count_ = 0;
  Crowd crowd_;
};

}  // namespace host::transport
