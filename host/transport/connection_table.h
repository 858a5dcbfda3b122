// All open HTTP connections by whom they belong to, and what each owner may have of connections
// and of bytes in requests.
//
// A connection belongs to the owner of its address (address_owner.h) until a request on it shows a
// key, a token or a login, and from then on to that principal. Where an owner has as many as it
// may, its own oldest idle one makes room; one that is in a request never does, nor one of another
// principal's. Where nothing makes room, a few connections are kept back: a new one is let in until
// its head is read, and is served if a known principal sent it, or if it asks for what everybody
// needs (the page, /healthz). A part of the bytes of bodies is kept back in the same way: an eighth
// for known principals alone, and an eighth for them and for what everybody needs. I/O thread only.
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
#include "transport/http.h"
#include "transport/http_server.h"

namespace host::transport {

class HttpConnection;

class ConnectionTable {
 public:
  using Pointer = std::shared_ptr<HttpConnection>;
  using List = std::list<Pointer>;

  struct Owner {
    List idle;  // the oldest first
    List busy;
    std::uint64_t bytes = 0;         // of their requests' bodies
    std::uint64_t answer_bytes = 0;  // that they do not read

    std::size_t size() const { return idle.size() + busy.size(); }
  };
  using Owners = std::unordered_map<std::string, Owner>;

  // Of the request on it. AsksEssential: nobody who is known, for what everybody needs.
  enum class Sender { Unknown, AsksEssential, Known };

  // What of a connection's time nobody may take from it.
  enum class Hold { Nothing, Handling, Request };

  // Where one connection stands; the connection keeps it for the table.
  struct Place {
    List::iterator at{};
    Owners::value_type* owner = nullptr;  // nullptr: it is in no table
    std::uint64_t idle_since = 0;         // a count, not a time
    std::uint64_t bytes = 0;
    std::uint64_t answer_bytes = 0;
    std::string_view beyond;  // the limit that it is let in beyond; empty: none
    Sender sender = Sender::Unknown;
    bool idle = false;
    Hold hold = Hold::Request;
  };

  explicit ConnectionTable(const HttpOptions& options) : options_(options) {}

  // Idle, the youngest. Another one may be closed for it. Full: the next one may take its place
  // while it is idle.
  enum class Entered { No, Yes, Full, KeptBack };
  Entered enter(Pointer connection);
  void remove(HttpConnection& connection);

  // The head of a request on it was read. The key of the limit that refuses it; empty: none does.
  std::string_view settle(HttpConnection& connection, const Admission& admission);
  // It is one of those that are kept back, and closed after its answer.
  static bool is_kept_back(const Place& place) { return !place.beyond.empty(); }

  // The body of its request takes so many bytes of memory now. The key of the limit that refuses
  // it; empty: none does.
  std::string_view take_bytes(HttpConnection& connection, std::uint64_t bytes);
  std::uint64_t bytes() const { return bytes_; }  // of all bodies

  // So many bytes of an answer wait for its peer to read. They cannot be refused any more, but
  // count where its owner's next body asks for room.
  void hold_answer(HttpConnection& connection, std::uint64_t bytes);

  // Between requests, or still reading a head. Again: the youngest. Its body's bytes are gone.
  void mark_idle(HttpConnection& connection);
  void mark_busy(HttpConnection& connection, Hold now);

  // An idle connection gives its descriptor back, for want of any. Of no known principal first.
  void close_oldest_idle();

  std::size_t size() const { return size_; }
  std::vector<Pointer> all() const;

 private:
  std::size_t size_of(const std::string& name) const;
  std::size_t size_settled() const { return size_ - size_of(kKeptBack); }
  Pointer oldest_idle(const std::string& name) const;         // nullptr: none is idle
  Pointer oldest_idle(bool of_known_principals) const;        // nullptr: none is idle
  bool make_room(const std::string& name, std::size_t most);  // false: nothing of its own is idle
  Entered enter_kept_back(Pointer connection, std::string_view beyond);
  void add(Pointer connection, const std::string& name);
  void move(HttpConnection& connection, const std::string& name);
  std::string_view limit_of_bytes(const Place& place, std::uint64_t more) const;
  void give_back(Place& place);
  void closed_for(std::string_view limit) const;

  static const std::string kKeptBack;  // the name of their owner

  const HttpOptions& options_;
  Owners owners_;  // "@loopback", "=ada"; those that have connections
  std::size_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_of_unknown_ = 0;  // of these: of senders that are not known
  std::uint64_t count_ = 0;
  Crowd crowd_;
};

}  // namespace host::transport
