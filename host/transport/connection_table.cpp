#include "transport/connection_table.h"

#include <algorithm>
#include <utility>

#include "transport/http_connection.h"

namespace host::transport {

void ConnectionTable::add(Pointer connection) {
  Place& place = connection->place();
  place.address = &by_address_[connection->address()];
  place.address->push_back(connection.get());
  place.idle = true;
  place.listed = true;
  place.idle_since = ++count_;
  place.at = idle_.insert(idle_.end(), std::move(connection));
  crowd_.is(size());
}

void ConnectionTable::remove(HttpConnection& connection) {
  Place& place = connection.place();
  if (!std::exchange(place.listed, false)) return;
  std::erase(*place.address, &connection);
  if (place.address->empty()) by_address_.erase(connection.address());
  const Pointer last = *place.at;  // erase() may not end what this function still names
  (place.idle ? idle_ : busy_).erase(place.at);
  crowd_.is(size());
}

void ConnectionTable::mark_idle(HttpConnection& connection) {
  Place& place = connection.place();
  if (!place.listed) return;
  idle_.splice(idle_.end(), place.idle ? idle_ : busy_, place.at);
  place.idle = true;
  place.idle_since = ++count_;
}

void ConnectionTable::mark_busy(HttpConnection& connection) {
  Place& place = connection.place();
  if (!place.listed || !place.idle) return;
  busy_.splice(busy_.end(), idle_, place.at);
  place.idle = false;
}

std::size_t ConnectionTable::of_address(const std::string& address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : found->second.size();
}

ConnectionTable::Pointer ConnectionTable::oldest_idle() const {
  return idle_.empty() ? nullptr : idle_.front();
}

ConnectionTable::Pointer ConnectionTable::oldest_idle(const std::string& address) const {
  HttpConnection* oldest = nullptr;
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return nullptr;
  for (HttpConnection* one : found->second) {
    if (!one->place().idle) continue;
    if (oldest == nullptr || one->place().idle_since < oldest->place().idle_since) oldest = one;
  }
  return oldest == nullptr ? nullptr : *oldest->place().at;
}

std::vector<ConnectionTable::Pointer> ConnectionTable::all() const {
  std::vector<Pointer> every(idle_.begin(), idle_.end());
  every.insert(every.end(), busy_.begin(), busy_.end());
  return every;
}

}  // namespace host::transport
