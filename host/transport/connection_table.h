// All open HTTP connections, by address and by how long they have been idle: what the limits on
// connections are kept with.
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

namespace host::transport {

class HttpConnection;

class ConnectionTable {
 public:
  using Pointer = std::shared_ptr<HttpConnection>;
  using List = std::list<Pointer>;

  // Where one connection stands; the connection keeps it for the table.
  struct Place {
    List::iterator at{};
    std::vector<HttpConnection*>* address = nullptr;
    std::uint64_t idle_since = 0;  // a count, not a time
    bool idle = false;
    bool listed = false;
  };

  void add(Pointer connection);  // idle, the youngest
  void remove(HttpConnection& connection);
  // Between requests, or still reading one. Again: the youngest.
  void mark_idle(HttpConnection& connection);
  void mark_busy(HttpConnection& connection);

  std::size_t size() const { return idle_.size() + busy_.size(); }
  std::size_t of_address(const std::string& address) const;
  Pointer oldest_idle() const;  // nullptr: none is idle
  Pointer oldest_idle(const std::string& address) const;
  std::vector<Pointer> all() const;

 private:
  List idle_;  // the oldest first
  List busy_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::string, std::vector<HttpConnection*>> by_address_;
  Crowd crowd_;
};

}  // namespace host::transport
