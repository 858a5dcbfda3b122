#include "transport/http/connection_table.h"

#include <algorithm>
#include <utility>

#include "transport/address_owner.h"
#include "transport/http/http_connection.h"

namespace host::transport {
namespace {

constexpr char kAddress = '@';
constexpr char kPrincipal = '=';

std::string address_name(const HttpConnection& connection) {
  return kAddress + owner_of_address(connection.address());
}

bool is_of(std::string_view owner, std::string_view principal) {
  return owner.starts_with(kPrincipal) && owner.substr(1) == principal;
}

using Sender = ConnectionTable::Sender;

Sender sender_of(const Admission& admission) {
  if (!admission.principal.empty()) return Sender::Known;
  return admission.essential ? Sender::AsksEssential : Sender::Unknown;
}

constexpr std::string_view kAll = "limits.connections";
constexpr std::string_view kPerAddress = "limits.connections_per_address";
constexpr std::string_view kPerPrincipal = "limits.connections_per_principal";
constexpr std::string_view kBytes = "limits.bodies_bytes";
constexpr std::string_view kBytesPerPrincipal = "limits.bodies_bytes_per_principal";

}  // namespace

const std::string ConnectionTable::kKeptBack;

ConnectionTable::Entered ConnectionTable::enter(Pointer connection) {
  const std::string name = address_name(*connection);
  if (!make_room(name, options_.connections_per_address)) {
    return enter_kept_back(std::move(connection), kPerAddress);
  }
  if (size_settled() >= options_.connections) {
    Pointer leaves = oldest_idle(name);
    if (!leaves) leaves = oldest_idle(false);
    if (!leaves) return enter_kept_back(std::move(connection), kAll);
    closed_for(kAll);
    leaves->close();
  }
  add(std::move(connection), name);
  const bool full =
      size_of(name) >= options_.connections_per_address || size_settled() >= options_.connections;
  return full ? Entered::Full : Entered::Yes;
}

ConnectionTable::Entered ConnectionTable::enter_kept_back(Pointer connection,
                                                          std::string_view beyond) {
  if (!make_room(kKeptBack, options_.connections_kept_back)) {
    closed_for(beyond);
    return Entered::No;
  }
  connection->place().beyond = beyond;
  connection->place().hold = Hold::Nothing;
  add(std::move(connection), kKeptBack);
  return Entered::KeptBack;
}

std::string_view ConnectionTable::settle(HttpConnection& connection, const Admission& admission) {
  Place& place = connection.place();
  if (place.owner == nullptr) return {};
  place.sender = sender_of(admission);
  if (is_kept_back(place)) {
    if (admission.principal.empty()) {
      if (!admission.essential) return place.beyond;
      place.hold = Hold::Handling;
      return {};
    }
    if (size_settled() >= options_.connections) {  // served, but it remains one of the few
      place.hold = Hold::Request;
      return {};
    }
  }
  if (admission.principal.empty()) {
    if (place.owner->first.front() == kAddress) return {};
    const std::string name = address_name(connection);
    if (!make_room(name, options_.connections_per_address)) return kPerAddress;
    move(connection, name);
  } else if (!is_of(place.owner->first, admission.principal)) {
    const std::string name = kPrincipal + admission.principal;
    if (!make_room(name, options_.connections_per_principal)) return kPerPrincipal;
    move(connection, name);
  }
  return {};
}

std::string_view ConnectionTable::take_bytes(HttpConnection& connection, std::uint64_t bytes) {
  Place& place = connection.place();
  if (place.owner == nullptr || bytes <= place.bytes) return {};
  const std::uint64_t more = bytes - place.bytes;
  const std::string_view limit = limit_of_bytes(place, more);
  if (!limit.empty()) return limit;
  place.bytes = bytes;
  place.owner->second.bytes += more;
  bytes_ += more;
  if (place.sender != Sender::Known) bytes_of_unknown_ += more;
  return {};
}

// What everybody needs takes few bytes of each connection (the handler sees to it) and must not
// wait for others of its address.
std::string_view ConnectionTable::limit_of_bytes(const Place& place, std::uint64_t more) const {
  const Owner& owner = place.owner->second;
  const bool essential = place.sender == Sender::AsksEssential;
  if (!essential && owner.bytes + owner.answer_bytes + more > options_.bodies_bytes_per_principal) {
    return kBytesPerPrincipal;
  }
  if (place.sender != Sender::Known) {
    const std::uint64_t kept = options_.bodies_bytes / (essential ? 8 : 4);
    const std::uint64_t unread = essential ? 0 : answers_of_unknown_;
    if (bytes_of_unknown_ + unread + more > options_.bodies_bytes - kept) return kBytes;
  }
  const std::uint64_t answers = essential ? 0 : answers_of_all();
  return bytes_ + answers + more > options_.bodies_bytes ? kBytes : std::string_view();
}

void ConnectionTable::give_back(Place& place) {
  give_back_body(place);
  count_answer(place, 0);
}

void ConnectionTable::give_back_body(Place& place) {
  const std::uint64_t bytes = std::exchange(place.bytes, 0);
  place.owner->second.bytes -= bytes;
  bytes_ -= bytes;
  if (place.sender != Sender::Known) bytes_of_unknown_ -= bytes;
}

void ConnectionTable::hold_answer(HttpConnection& connection, std::uint64_t bytes) {
  Place& place = connection.place();
  if (place.owner != nullptr && !place.closed) count_answer(place, bytes);
}

// An owner's answers can be more than its limit, because calls that already run still answer. The
// sums of all owners count no more than the limit, so that one owner cannot refuse all others.
void ConnectionTable::count_answer(Place& place, std::uint64_t bytes) {
  auto& [name, owner] = *place.owner;
  const std::uint64_t most = options_.bodies_bytes_per_principal;
  const std::uint64_t before = std::min(owner.answer_bytes, most);
  owner.answer_bytes += bytes - std::exchange(place.answer_bytes, bytes);
  std::uint64_t& sum = name.starts_with(kPrincipal) ? answers_of_known_ : answers_of_unknown_;
  sum += std::min(owner.answer_bytes, most) - before;
}

// Unread answers to unknown senders count only in the part that unknown senders can use.
std::uint64_t ConnectionTable::answers_of_all() const {
  const std::uint64_t part = part_of_unknown();
  return answers_of_known_ +
         std::min(answers_of_unknown_, part - std::min(part, bytes_of_unknown_));
}

std::uint64_t ConnectionTable::part_of_unknown() const {
  return options_.bodies_bytes - options_.bodies_bytes / 4;
}

std::string_view ConnectionTable::full_of_answers(const HttpConnection& connection) const {
  const Place& place = connection.place();
  if (place.owner == nullptr || place.sender == Sender::AsksEssential) return {};
  const std::uint64_t own = place.owner->second.answer_bytes;
  if (own >= options_.bodies_bytes_per_principal) return kBytesPerPrincipal;
  const bool is_known = place.sender == Sender::Known;
  if (!is_known && answers_of_unknown_ >= part_of_unknown()) return kBytes;
  return answers_of_all() >= options_.bodies_bytes ? kBytes : std::string_view();
}

bool ConnectionTable::make_room(const std::string& name, std::size_t most) {
  if (size_of(name) < most) return true;
  const Pointer leaves = oldest_idle(name);
  if (!leaves) return false;
  closed_for(name.empty()               ? "limits.connections_kept_back"
             : name.front() == kAddress ? kPerAddress
                                        : kPerPrincipal);
  leaves->close();
  return true;
}

void ConnectionTable::add(Pointer connection, const std::string& name) {
  Place& place = connection->place();
  place.owner = &*owners_.try_emplace(name).first;
  place.idle = true;
  place.idle_since = ++count_;
  List& idle = place.owner->second.idle;
  place.at = idle.insert(idle.end(), std::move(connection));
  crowd_.is(++size_);
}

void ConnectionTable::remove(HttpConnection& connection, bool in_use) {
  Place& place = connection.place();
  if (place.owner == nullptr) return;
  const std::uint64_t used = in_use ? place.bytes : 0;
  if (used == 0) give_back_body(place);
  hold_answer(connection, 0);
  Owner& owner = place.owner->second;
  const Pointer last = *place.at;  // erase() may not end what this function still names
  (place.idle ? owner.idle : owner.busy).erase(place.at);
  crowd_.is(--size_);
  place.closed = true;
  if (used == 0) forget(connection);
}

void ConnectionTable::forget(HttpConnection& connection) {
  Place& place = connection.place();
  if (place.owner == nullptr) return;
  give_back_body(place);
  const auto* const owner = std::exchange(place.owner, nullptr);
  if (owner->second.size() == 0 && owner->second.bytes == 0)
    owners_.erase(owners_.find(owner->first));
}

void ConnectionTable::move(HttpConnection& connection, const std::string& name) {
  const Pointer moved = *connection.place().at;
  remove(connection);
  moved->place().beyond = {};
  moved->place().hold = Hold::Request;
  moved->place().closed = false;
  add(moved, name);
}

void ConnectionTable::mark_idle(HttpConnection& connection) {
  Place& place = connection.place();
  if (place.owner == nullptr) return;
  give_back(place);
  Owner& owner = place.owner->second;
  owner.idle.splice(owner.idle.end(), place.idle ? owner.idle : owner.busy, place.at);
  place.idle = true;
  place.idle_since = ++count_;
}

void ConnectionTable::mark_busy(HttpConnection& connection, Hold now) {
  Place& place = connection.place();
  if (place.owner == nullptr || !place.idle || place.hold < now) return;
  Owner& owner = place.owner->second;
  owner.busy.splice(owner.busy.end(), owner.idle, place.at);
  place.idle = false;
}

void ConnectionTable::close_oldest_idle() {
  Pointer leaves = oldest_idle(false);
  if (!leaves) leaves = oldest_idle(true);
  if (leaves) leaves->close();
}

std::size_t ConnectionTable::size_of(const std::string& name) const {
  const auto found = owners_.find(name);
  return found == owners_.end() ? 0 : found->second.size();
}

ConnectionTable::Pointer ConnectionTable::oldest_idle(const std::string& name) const {
  const auto found = owners_.find(name);
  return found == owners_.end() || found->second.idle.empty() ? nullptr
                                                              : found->second.idle.front();
}

ConnectionTable::Pointer ConnectionTable::oldest_idle(bool of_known_principals) const {
  Pointer oldest;
  for (const auto& [name, owner] : owners_) {
    if (name.starts_with(kPrincipal) != of_known_principals || owner.idle.empty()) continue;
    const Pointer& first = owner.idle.front();
    if (!oldest || first->place().idle_since < oldest->place().idle_since) oldest = first;
  }
  return oldest;
}

void ConnectionTable::closed_for(std::string_view limit) const {
  if (options_.on_refusal) options_.on_refusal(limit);
}

std::vector<ConnectionTable::Pointer> ConnectionTable::all() const {
  std::vector<Pointer> every;
  every.reserve(size_);
  for (const auto& [name, owner] : owners_) {
    every.insert(every.end(), owner.idle.begin(), owner.idle.end());
    every.insert(every.end(), owner.busy.begin(), owner.busy.end());
  }
  return every;
}

}  // namespace host::transport
