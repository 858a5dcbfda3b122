#include "rest/feed/session_feed.h"

#include <functional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/process/spawn.h"
#include "json/object_text.h"
#include "protocol/log_level.h"
#include "rest/feed/session_log.h"

namespace host::rest {
namespace {

constexpr std::uint32_t kOfOneRead = 100;           // changes
constexpr std::size_t kBytesOfOneRead = 256 << 10;  // of their records
// Much less than what closes a stream (HttpServerOptions::stream_bytes).
constexpr std::size_t kMostWaiting = 128 << 10;
constexpr std::chrono::milliseconds kRetry{500};  // until a client comes back

// A larger event is sent alone, so that little waits for each client.
bool has_room(const transport::EventStream& stream, std::size_t bytes) {
  return stream.waiting() == 0 || stream.waiting() + bytes <= kMostWaiting;
}

std::string number_text(double number) {
  return json::write(json::Value(number));
}

std::string live_event(std::string_view type, const tool::Call& call) {
  std::string out = "{";
  json::add_text(out, "type", type);
  json::add_text(out, "request", call.passport->call);
  json::add_text(out, "name", call.name);
  return out;
}

}  // namespace

Events::Opened SessionFeed::open(transport::HttpExchange& exchange, identity::Principal principal,
                                 std::function<bool()> admitted, std::string session,
                                 std::uint64_t last) {
  const auto follower = std::make_shared<Follower>();
  follower->session = std::move(session);
  follower->last = last;
  const Events::Opened opened = parts_.events->open_own(exchange, std::move(principal), follower,
                                                        std::move(admitted), follower->stream);
  if (opened != Events::Opened::Yes) return opened;
  std::erase_if(followers_, [](const auto& one) { return one.second.expired(); });
  followers_.emplace(follower->session, follower);
  // From the first moment on, the client knows where to go on.
  follower->stream->prime(std::to_string(last), kRetry);
  read_on(follower);
  return opened;
}

void SessionFeed::changed(const tool::Transition& transition) {
  const auto [first, last] = followers_.equal_range(transition.session);
  const task::RecordPtr record = parts_.records.find(transition.record);
  const std::size_t at_least = record && record->is_over() ? record->result.size() : 0;
  std::string event;  // made once for all followers, and only if one has room for it
  for (auto at = first; at != last; ++at) {
    const FollowerPtr follower = at->second.lock();
    if (!follower || (transition.seq > 0 && transition.seq <= follower->last)) continue;
    // Without a store, changes have no numbers.
    const bool is_next = transition.seq == 0 || transition.seq == follower->last + 1;
    if (is_next && !follower->reading && has_room(*follower->stream, at_least)) {
      if (event.empty()) event = event_json({transition, record});
      if (has_room(*follower->stream, event.size())) {
        follower->last = transition.seq;
        follower->stream->send(event,
                               transition.seq > 0 ? std::to_string(transition.seq) : std::string());
        continue;
      }
    }
    follower->behind = true;
    read_on(follower);
  }
}

void SessionFeed::ended(const std::string& session) {
  const auto [first, last] = followers_.equal_range(session);
  for (auto at = first; at != last; ++at) {
    const FollowerPtr follower = at->second.lock();
    if (!follower) continue;
    follower->stream->send(R"({"type":"session_ended"})");
    parts_.events->close(follower->stream);
  }
  followers_.erase(first, last);
}

void SessionFeed::read_on(const FollowerPtr& follower) {
  if (!parts_.desk || std::exchange(follower->reading, true)) return;
  spawn(parts_.io, {"rest", "sends the changes of a session"}, read(shared_from_this(), follower),
        [self = shared_from_this(), follower](const Result<void>& done) {
          follower->reading = false;
          if (!done) self->parts_.events->close(follower->stream);  // its client tries again
        });
}

// Ends when the store has nothing newer, or when the connection has to send first.
boost::asio::awaitable<void> SessionFeed::read(std::shared_ptr<SessionFeed> self,
                                               FollowerPtr follower) {
  for (bool has_to_send = false; follower->behind && follower->stream->open() && !has_to_send;) {
    follower->behind = false;
    store::Desk::Act<LogPage> act = [session = follower->session,
                                     after = follower->last](store::Store& store) {
      return read_log(store, LogPart::Everything, session, after, kOfOneRead, kBytesOfOneRead);
    };
    const auto page = co_await self->parts_.desk->ask<LogPage>(std::move(act));
    if (!page) {
      log::warning("rest", "the changes of a session cannot be read",
                   {{"error", page.error().message}});
      self->parts_.events->close(follower->stream);  // its client tries again
      break;
    }
    for (const LogEntry& entry : page->entries) {
      const std::string event = event_json(entry);
      has_to_send = !has_room(*follower->stream, event.size());
      if (has_to_send) break;
      follower->last = entry.transition.seq;
      if (!follower->stream->send(event, std::to_string(follower->last))) break;
    }
    if (page->more || follower->last < page->next) follower->behind = true;
  }
  follower->reading = false;
  if (follower->behind && follower->stream->open()) self->continue_when_taken(follower);
}

void SessionFeed::continue_when_taken(const FollowerPtr& follower) {
  follower->stream->when_taken(
      [weak = weak_from_this(), following = std::weak_ptr<Follower>(follower)] {
        const auto self = weak.lock();
        const FollowerPtr known = following.lock();
        if (self && known) self->read_on(known);
      });
}

bool SessionFeed::follows(std::string_view session) const {
  return followers_.find(session) != followers_.end();
}

void SessionFeed::send_live(std::string_view session, const std::string& event) {
  auto [at, last] = followers_.equal_range(session);
  while (at != last) {
    const FollowerPtr follower = at->second.lock();
    if (!follower) {
      at = followers_.erase(at);
      continue;
    }
    ++at;
    if (has_room(*follower->stream, event.size())) follower->stream->send(event);
  }
}

void SessionFeed::progress(const tool::Call& call, double done, double total,
                           std::string_view message) {
  std::string out = live_event("progress", call);
  json::add_member(out, "progress", number_text(done));
  if (total > 0) json::add_member(out, "total", number_text(total));
  if (!message.empty()) json::add_text(out, "message", message);
  send_live(call.passport->who.session, out + "}");
}

void SessionFeed::log(const tool::Call& call, int level, std::string_view logger,
                      std::string_view message, std::size_t left_out) {
  std::string out = live_event("log", call);
  json::add_text(out, "level", protocol::log_level_name(level));
  if (!logger.empty()) json::add_text(out, "logger", logger);
  json::add_text(out, "message", message);
  if (left_out > 0) json::add_member(out, "left_out", std::to_string(left_out));
  send_live(call.passport->who.session, out + "}");
}

}  // namespace host::rest
