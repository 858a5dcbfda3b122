#include "mcp/http/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "mcp/http/session_reply.h"

namespace host::mcp {
namespace {

// The most sessions that end by one use of the table, because they were idle for too long.
constexpr std::size_t kEndedAtOnce = 200;

}  // namespace

void HttpSession::tell(std::string_view message) {
  const std::string event = events.add(kOwnStream, message);
  if (stream && !stream->send(message, event)) drop_stream();
}

SessionReply* HttpSession::reply_on(EventLog::Stream wanted) const {
  const auto at = std::find_if(replies_.begin(), replies_.end(),
                               [wanted](SessionReply* reply) { return reply->stream() == wanted; });
  return at == replies_.end() ? nullptr : *at;
}

void HttpSession::cancel(const protocol::Id& request) {
  const auto at = in_flight.find(request);
  if (at == in_flight.end()) return;
  const auto cancel = at->second;  // the call may end while it is cancelled
  cancel->request();
}

void HttpSession::end() {
  ended = true;
  news.reset();
  client.close();
  std::vector<std::shared_ptr<Cancel>> all;
  for (const auto& [request, cancel] : in_flight) all.push_back(cancel);
  for (const auto& cancel : all) cancel->request();
  close_stream();
}

HttpSessions::Created HttpSessions::create(tool::Peer who,
                                           const boost::asio::any_io_executor& executor) {
  end_idle();
  const auto own = owns_.find(who.principal);
  const std::size_t has = own == owns_.end() ? 0 : own->second.sessions.size();
  const bool too_many = has >= limits_.per_principal;
  if ((too_many || order_.size() >= limits_.all) && !end_oldest_idle_of(who.principal)) {
    return too_many ? Full::Principal : Full::Host;
  }
  const auto budget = owns_[who.principal].budget;
  return seat(std::make_shared<HttpSession>("s_" + random_id(16), std::move(who), clock_.wall(),
                                            executor, budget),
              clock_.steady());
}

bool HttpSessions::end_oldest_idle_of(const std::string& principal) {
  const auto own = owns_.find(principal);
  if (own == owns_.end()) return false;
  const auto& sessions = own->second.sessions;
  const auto oldest = std::find_if(sessions.begin(), sessions.end(),
                                   [](const HttpSession* session) { return !session->busy(); });
  if (oldest == sessions.end()) return false;
  end(seats_.at((*oldest)->id));
  return true;
}

void HttpSessions::restore(Restored from, const boost::asio::any_io_executor& executor,
                           std::chrono::milliseconds idle) {
  const auto budget = owns_[from.who.principal].budget;
  auto session = std::make_shared<HttpSession>(std::move(from.id), std::move(from.who),
                                               from.created, executor, budget);
  session->version = from.version;
  session->abilities = from.abilities;
  session->settings = std::move(from.settings);
  session->kept_settings = session->settings;
  session->kept = true;
  // The limits may be lower than those of the host before: the latest are kept.
  const auto& own = owns_[session->who.principal].sessions;
  if (own.size() >= limits_.per_principal) end(seats_.at(own.front()->id));
  if (order_.size() >= limits_.all) end(order_.begin());
  seat(std::move(session), clock_.steady() - idle);
}

std::shared_ptr<HttpSession> HttpSessions::seat(std::shared_ptr<HttpSession> session,
                                                SteadyTime used) {
  auto& own = owns_[session->who.principal].sessions;
  order_.push_back({session, used, own.insert(own.end(), session.get())});
  seats_.emplace(session->id, std::prev(order_.end()));
  if (!session->who.session.empty()) ++in_paths_[session->who.session];
  crowd_.is(order_.size());
  return session;
}

std::shared_ptr<HttpSession> HttpSessions::find(const tool::Peer& who, std::string_view id) {
  end_idle();
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->session->who != who) return nullptr;
  if (is_idle(*at->second)) {
    end(at->second);
    return nullptr;
  }
  use(at->second);
  return at->second->session;
}

void HttpSessions::touch(std::string_view id) {
  const auto at = seats_.find(id);
  if (at != seats_.end()) use(at->second);
}

void HttpSessions::remove(const HttpSession& session) {
  const auto at = seats_.find(session.id);
  if (at != seats_.end()) end(at->second);
}

void HttpSessions::remove_of(const Whose& whose) {
  remove_if([&whose](const HttpSession& session) { return whose(session.who); });
}

void HttpSessions::remove_if(const Which& which) {
  // The end of one may end others, by its listeners.
  std::vector<std::shared_ptr<HttpSession>> ended;
  for (const Seat& seat : order_) {
    if (which(*seat.session)) ended.push_back(seat.session);
  }
  for (const auto& session : ended) remove(*session);
}

// The end of an MCP session ends its own durable session, for which this function is called again.
// So the function walks over the sessions only if some of them have the durable session in their
// path: many sessions can end at once.
void HttpSessions::remove_in(std::string_view session) {
  const auto own = seats_.find(session);
  if (own != seats_.end() && own->second->session->session == session) end(own->second);
  if (!in_paths_.contains(session)) return;
  remove_if([session](const HttpSession& one) { return one.session == session; });
}

void HttpSessions::close_streams_if(const Which& which) {
  for (const Seat& seat : order_) {
    if (which(*seat.session)) seat.session->close_stream();
  }
}

void HttpSessions::for_each_of(std::string_view session,
                               const std::function<void(HttpSession&)>& act) const {
  for (const Seat& seat : order_) {
    if (seat.session->session == session) act(*seat.session);
  }
}

void HttpSessions::clear() {
  on_end_.clear();
  while (!order_.empty()) end(order_.begin());
}

void HttpSessions::used_since(
    SteadyTime then, const std::function<void(const HttpSession&, SteadyTime)>& tell) const {
  for (auto at = order_.rbegin(); at != order_.rend() && at->used >= then; ++at) {
    tell(*at->session, at->used);
  }
}

void HttpSessions::use(Order::iterator seat) {
  seat->used = clock_.steady();
  order_.splice(order_.end(), order_, seat);
  auto& own = owns_.at(seat->session->who.principal).sessions;
  own.splice(own.end(), own, seat->own);
}

void HttpSessions::end(Order::iterator seat) {
  const auto session = seat->session;
  const auto own = owns_.find(session->who.principal);
  own->second.sessions.erase(seat->own);
  if (own->second.sessions.empty()) owns_.erase(own);
  const auto path = in_paths_.find(session->who.session);
  if (path != in_paths_.end() && --path->second == 0) in_paths_.erase(path);
  seats_.erase(session->id);
  order_.erase(seat);
  session->end();
  for (const auto& listener : on_end_) listener(*session);
  crowd_.is(order_.size());
}

bool HttpSessions::is_idle(const Seat& seat) const {
  return seat.used < clock_.steady() - limits_.idle && !seat.session->busy();
}

void HttpSessions::end_idle() {
  const SteadyTime limit = clock_.steady() - limits_.idle;
  std::size_t ended = 0;
  while (ended < kEndedAtOnce && !order_.empty() && order_.front().used < limit) {
    const auto oldest = order_.begin();
    // An open stream or a running call is use, though nothing was posted meanwhile.
    if (oldest->session->busy()) {
      use(oldest);
    } else {
      end(oldest);
      ++ended;
    }
  }
}

}  // namespace host::mcp
