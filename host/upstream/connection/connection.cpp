#include "upstream/connection/connection.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text/visible.h"
#include "json/excerpt.h"
#include "protocol/foreign_questions.h"
#include "protocol/mcp.h"
#include "protocol/notifications.h"
#include "upstream/connection/arrival.h"

namespace host::upstream {
namespace {

using boost::system::error_code;

constexpr std::size_t kShownGarbage = 120;
// Bytes of a message that is read on the I/O thread, within a millisecond.
constexpr std::size_t kMostReadHere = 64u << 10u;

// Why the client of a call gets no question.
std::string unaskable(const tool::Question& question, const tool::Abilities& abilities) {
  const std::string lacking = protocol::lacking_for(question, abilities);
  return "the client of this call cannot be asked" +
         (lacking.empty() ? "" : ": it lacks " + lacking);
}

}  // namespace

Connection::Connection(boost::asio::any_io_executor io, std::unique_ptr<Transport> transport,
                       ConnectionSettings settings, Events events)
    : io_(std::move(io)),
      transport_(std::move(transport)),
      settings_(std::move(settings)),
      events_(std::move(events)),
      requests_(io_, settings_.last_number),
      changes_(io_, {[this](Request request) { return send(std::move(request)); },
                     [this](RequestNumber number, std::string_view why) { cancel(number, why); },
                     [this] { missed(); },
                     [this](std::size_t count, const std::string& why) {
                       log::warning("upstream", "refuses to notify about changes",
                                    {{"upstream", settings_.name},
                                     {"of", count == 0 ? "its lists" : "followed resources"},
                                     {"count", std::to_string(count)},
                                     {"reason", settings_.secrets->hide(marked(why))}});
                     }}),
      probe_({[this](Request request) { send(std::move(request)); },
              [this](Error why) { give_up(std::move(why)); }},
             settings_.start_timeout),
      pace_(*transport_, settings_.messages_per_second),
      start_timer_(io_),
      probe_timer_(io_) {}

Connection::~Connection() {
  *alive_ = false;
}

void Connection::open(Era era) {
  state_ = State::Opening;
  start_timer_.expires_after(settings_.start_timeout);
  start_timer_.async_wait([this, alive = alive_](error_code error) {
    if (error || !*alive || state_ != State::Opening) return;
    give_up({ErrorKind::DeadlineExceeded,
             "it did not answer " + std::string(initializing_ ? "initialize" : "server/discover") +
                 " within " +
                 std::to_string(
                     std::chrono::duration_cast<std::chrono::seconds>(settings_.start_timeout)
                         .count()) +
                 " s"});
  });
  transport_->open(*this);
  era == Era::Legacy ? initialize() : discover();
}

void Connection::close(std::string why) {
  if (state_ == State::Ending || state_ == State::Ended) return;
  give_up({ErrorKind::Unavailable, std::move(why)});
}

// ---- the handshake

void Connection::discover() {
  Request request;
  request.method = "server/discover";
  request.on_answer = [this](Answer answer) { take_discovery(std::move(answer)); };
  send(std::move(request));
  if (!transport_->silence_means_legacy()) return;
  probe_timer_.expires_after(settings_.probe_timeout);
  probe_timer_.async_wait([this, alive = alive_](error_code error) {
    if (!error && *alive && state_ == State::Opening) initialize();
  });
}

// Over HTTP only an answer says that an upstream is of an older protocol, and no outage does.
void Connection::take_discovery(Answer answer) {
  if (state_ != State::Opening) return;
  probe_timer_.cancel();
  if (answer.kind == Answer::Kind::Result) {
    auto self = protocol::read_discovered(*answer.result);
    if (self) return become_ready(*std::move(self));
    if (self.error().kind != ErrorKind::InvalidArgument) return give_up(self.error());
  } else if (answer.kind == Answer::Kind::Failed) {
    if (answer.why.kind != ErrorKind::InvalidArgument) return give_up(answer.why);
  } else if (answer.modern_refusal) {
    return give_up({ErrorKind::Unavailable,
                    "it refuses the protocol version 2026-07-28: " + answer.refusal.message});
  }
  initialize();
}

void Connection::initialize() {
  if (std::exchange(initializing_, true)) return;
  probe_timer_.cancel();
  Request request;
  request.method = "initialize";
  request.on_answer = [this](Answer answer) { take_initialization(std::move(answer)); };
  send(std::move(request));
}

void Connection::take_initialization(Answer answer) {
  if (state_ != State::Opening) return;
  if (answer.kind == Answer::Kind::Failed) return give_up(answer.why);
  if (answer.kind == Answer::Kind::Refused) {
    return give_up({ErrorKind::Unavailable, "it refused initialize: " + answer.refusal.message +
                                                " (" + std::to_string(answer.refusal.code) + ")"});
  }
  auto self = protocol::read_initialized(*answer.result);
  if (!self) return give_up(self.error());
  Outgoing initialized;
  initialized.text = protocol::initialized_notification();
  initialized.method = "notifications/initialized";
  initialized.version = self->version;
  transport_->send(std::move(initialized));
  become_ready(*std::move(self));
}

void Connection::become_ready(protocol::ServerSelf self) {
  start_timer_.cancel();
  self_ = std::move(self);
  era_ = protocol::features(self_.version).stateless ? Era::Modern : Era::Legacy;
  state_ = State::Ready;
  was_ready_ = true;
  transport_->negotiated(self_.version);
  changes_.begin(self_);
  probe_.begin(era_ == Era::Modern, transport_->is_process());
  if (events_.on_ready) events_.on_ready();
}

void Connection::give_up(Error why) {
  reason_ = std::move(why);
  state_ = State::Ending;
  probe_timer_.cancel();
  changes_.end();
  probe_.end();
  transport_->close();
  start_timer_.expires_after(settings_.close_timeout);
  start_timer_.async_wait([this, alive = alive_](error_code error) {
    if (error || !*alive || state_ != State::Ending) return;
    ended({ErrorKind::Unavailable, "it did not end in time"});
  });
}

// ---- what is sent

protocol::Sender Connection::sender(const tool::Abilities& abilities, protocol::Version version,
                                    bool tasks) const {
  return {settings_.info, protocol::client_capabilities(abilities, version, tasks)};
}

RequestNumber Connection::send(Request&& request) {
  const RequestNumber number =
      requests_.add(std::move(request), [this, alive = alive_](RequestNumber late) {
        if (*alive) request_timed_out(late);
      });
  Request* const added = requests_.find(number);
  added->messages_before = probe_.messages();
  added->sent = state_ == State::Opening || state_ == State::Ready;
  if (added->sent) transmit(number, *added);
  return number;
}

void Connection::transmit(RequestNumber number, const Request& request) {
  Outgoing out;
  out.id = std::to_string(number);
  out.method = request.method;
  out.name = request.name;
  out.is_alone = requests_.size() == 1;
  if (request.method == "initialize") {
    out.text = protocol::initialize_request(out.id, protocol::kLatestLegacy,
                                            sender(settings_.legacy, protocol::kLatestLegacy));
  } else {
    protocol::RequestMeta meta;
    meta.version = state_ == State::Ready ? self_.version : protocol::Version::v2026_07_28;
    if (settings_.trace_context) meta.trace = request.trace;
    meta.log_level = request.log_level;
    if (request.on_progress) meta.progress_token = out.id;
    out.version = meta.version;
    out.mirrored = request.mirrored;
    out.text =
        protocol::client_request(out.id, request.method, request.members, meta,
                                 sender(request.abilities, meta.version, request.follows_tasks));
  }
  transport_->send(std::move(out));
}

void Connection::cancel(RequestNumber number, std::string_view reason) {
  const auto request = requests_.give_up(number);
  if (!request || (state_ != State::Ready && state_ != State::Leaving)) return;
  const bool is_late = request->deadline != SteadyTime{} && steady_now() >= request->deadline;
  const protocol::Id id = std::to_string(number);
  transport_->cancel(id, protocol::cancelled_notification(id, reason));
  if (is_late) probe_.timed_out(*request);
}

void Connection::request_timed_out(RequestNumber number) {
  auto request = requests_.give_up(number);
  if (!request) return;
  const protocol::Id id = std::to_string(number);
  if (state_ == State::Ready)
    transport_->cancel(id, protocol::cancelled_notification(id, "timeout"));
  probe_.timed_out(*request);
  const std::string method = request->method;
  fail(std::move(request), Reached::Perhaps,
       {ErrorKind::DeadlineExceeded, "it did not answer " + method + " in time"});
}

void Connection::reply(std::string text, const protocol::Id& id, protocol::Id asker) {
  Outgoing out;
  out.text = std::move(text);
  out.id = id;
  out.asker = std::move(asker);
  if (state_ == State::Ready) out.version = self_.version;
  transport_->send(std::move(out));
}

// ---- what comes

void Connection::message(std::string_view text, const protocol::Id& request) {
  if (!hears()) return;
  probe_.heard();
  if (settings_.jobs && text.size() > kMostReadHere) return read_aside(std::string(text), request);
  message_began_ = steady_now();
  auto arrival = arrival_of(text, settings_.messages_per_second);
  if (!arrival) return take_unreadable(text, answered_by(text), arrival.error().message);
  take_arrival(*std::move(arrival), text.substr(0, kShownGarbage), request);
}

void Connection::read_aside(std::string text, const protocol::Id& request) {
  struct Reading {
    std::string text;
    Result<Arrival> arrival;
    protocol::Id answers;  // as far as can be seen in a text that cannot be read
  };
  auto reading = std::make_shared<Reading>(Reading{std::move(text), Error{}, {}});
  settings_.jobs->run(
      [reading, most = settings_.messages_per_second] {
        reading->arrival = arrival_of(reading->text, most);
        if (!reading->arrival) reading->answers = answered_by(reading->text);
        reading->text.resize(std::min(reading->text.size(), kShownGarbage));
        return false;
      },
      [this, alive = alive_, reading, request, hold = pace_.hold()] {
        if (!*alive || !hears()) return;
        if (reading->arrival) reading->arrival->reading = hold;
        take_aside(std::move(reading->arrival), reading->text, reading->answers, request);
      });
}

// The transport has not counted this work.
void Connection::take_aside(Result<Arrival> arrival, std::string_view start,
                            const protocol::Id& answers, const protocol::Id& request) {
  const auto budget = settings_.budget;
  const SteadyTime began = steady_now();
  message_began_ = began;
  if (arrival) {
    take_arrival(*std::move(arrival), start, request);
  } else {
    take_unreadable(start, answers, arrival.error().message);
  }
  const SteadyTime now = steady_now();
  if (budget) budget->spend(0, now - began, now);
}

void Connection::after_messages(std::function<void()> act) {
  if (!pace_.is_held()) return act();
  settings_.jobs->run([] { return false; },
                      [alive = alive_, act = std::move(act)] {
                        if (*alive) act();
                      });
}

// Whose answer it would be may not wait.
void Connection::take_unreadable(std::string_view text, const protocol::Id& answers,
                                 const std::string& why) {
  auto request = answers.empty() ? nullptr : requests_.take(answers);
  take_garbage(text);
  fail(std::move(request), Reached::Perhaps,
       {ErrorKind::PluginFault, "its answer cannot be read: " + why});
}

void Connection::take_arrival(Arrival arrival, std::string_view start,
                              const protocol::Id& request) {
  if (!arrival.is_batch) {
    return take_one(std::move(arrival.messages.front()), start, request,
                    std::move(arrival.reading));
  }
  const auto alive = alive_;
  for (json::Document& one : arrival.messages) {
    if (one.root().IsObject()) {
      take_one(std::move(one), start, request, arrival.reading);
    } else {
      pace_.count();
      count_dropped("garbage");
    }
    if (!*alive) return;
  }
  if (arrival.is_cut) count_dropped("batch");
  if (arrival.messages.empty()) pace_.count();
}

// No message of JSON-RPC. Whose answer it would be may not wait.
void Connection::take_misshapen(const json::Document& tree, const protocol::Fault& fault,
                                std::string_view start) {
  const bool is_answer = !fault.id.empty() && !json::find(tree.root(), "method");
  auto request = is_answer ? requests_.take(fault.id) : nullptr;
  take_garbage(start);
  fail(std::move(request), Reached::Perhaps,
       {ErrorKind::PluginFault, "its answer is no valid response of JSON-RPC: " + fault.message});
}

void Connection::take_one(json::Document tree, std::string_view start, const protocol::Id& request,
                          std::shared_ptr<const void> reading) {
  if (!hears()) return;
  const auto read = protocol::read_message(tree.root(), settings_.id_bytes);
  const auto* const message = std::get_if<protocol::Message>(&read);
  if (!message) return take_misshapen(tree, std::get<protocol::Fault>(read), start);
  switch (message->kind) {
    case protocol::Kind::Response:
      return take_response(*message, std::move(tree), std::move(reading));
    case protocol::Kind::Request:
      return take_request(*message, request);
    case protocol::Kind::Notification:
      return take_notification(*message, request);
  }
}

void Connection::count_dropped(std::string_view reason) {
  if (events_.on_dropped) events_.on_dropped(reason);
}

void Connection::take_garbage(std::string_view text) {
  pace_.count();
  count_dropped("garbage");
  if (!first_garbage_.empty()) return;
  const bool is_cut = text.size() >= kShownGarbage;
  const std::string shown = settings_.secrets->hide(text.substr(0, kShownGarbage), is_cut);
  first_garbage_ = json::excerpt(marked(shown), kShownGarbage);
  log::warning("upstream", "sent something that is no message of JSON-RPC: it was dropped",
               {{"upstream", settings_.name}, {"text", first_garbage_}});
}

void Connection::take_response(const protocol::Message& message, json::Document tree,
                               std::shared_ptr<const void> reading) {
  auto request = requests_.take(message.id);
  if (request) {
    answered_a_call_ = answered_a_call_ || request->outlives_session;
    // This work is the host's own wish. The answer may destroy this object.
    const auto budget = settings_.budget;
    const SteadyTime began = std::exchange(message_began_, SteadyTime{});
    {
      Answer answer = Answer::of(message, std::move(tree));
      answer.reading = std::move(reading);
      answer.names_lost_session = request->names_lost_session;
      for (tool::Question& question : answer.required) elicitations_.watch(question);
      probe_.saw(*request, answer);
      give_answer(std::move(request), std::move(answer), *settings_.secrets);
    }
    if (budget && began != SteadyTime{}) budget->excuse(steady_now() - began);
    return;
  }
  count_dropped("unexpected");
  pace_.count();
}

void Connection::take_request(const protocol::Message& message, const protocol::Id& request) {
  pace_.count();
  if (message.method == "ping") return reply(protocol::empty_answer(message.id), message.id);
  if (is_leaving() && protocol::is_question(message.method)) return fail_asking(request);
  const bool may_ask = state_ == State::Ready && era_ == Era::Legacy;
  if (may_ask && protocol::is_question(message.method)) return take_question(message, request);
  const std::string method = json::excerpt(marked(message.method), 64);
  count_dropped("refused");
  const std::string why = "this client does not serve \"" + method + "\"";
  reply(protocol::error_text(message.id, protocol::kMethodNotFound, why), message.id);
}

// The question of a call is for the client that made the call. Over stdio a server does not say
// which call it means.
void Connection::take_question(const protocol::Message& message, const protocol::Id& request) {
  std::string why = "no call of a client that can be asked is in flight";
  Request* const of = asker_of(message, request, why);
  if (of) of->questions.push_back(message.id);
  if (!of || (!of->on_question && of->client.empty()))
    return refuse(message.id, protocol::kInvalidRequest, why);
  auto question = protocol::read_question(message.method, message.params);
  if (!question) return refuse(message.id, protocol::kInvalidParams, question.error().message);
  if (!of->on_question)
    return refuse(message.id, protocol::kInvalidRequest, unaskable(*question, of->abilities));
  elicitations_.watch(*question);
  of->on_question(message.id, *std::move(question));
}

// A question that belongs to a task says so, on every transport.
Request* Connection::asker_of(const protocol::Message& message, const protocol::Id& request,
                              std::string& why) {
  const std::string_view task = protocol::related_task(message.params);
  if (!task.empty()) return requests_.find_task(task);
  return request.empty() ? requests_.only_asking(why) : requests_.find(request);
}

void Connection::answer(const protocol::Id& question, std::string_view result) {
  if (state_ != State::Ready) return;
  const protocol::Id asker = requests_.settle_question(question);
  reply(protocol::client_answer(question, result), question, asker);
}

void Connection::refuse(const protocol::Id& question, int code, const std::string& why) {
  count_dropped("refused");
  const protocol::Id asker = requests_.settle_question(question);
  reply(protocol::error_text(question, code, why), question, asker);
}

void Connection::failed(const protocol::Id& request, Reached reached, const Error& why) {
  after_messages([this, request, reached, why] { take_failure(request, reached, why); });
}

// A change of any list or resource may have been among them.
void Connection::missed() {
  if (state_ != State::Ready) return;
  if (events_.on_list_changed) {
    for (const ListKind kind : {ListKind::Tools, ListKind::Resources, ListKind::Prompts})
      events_.on_list_changed(kind);
  }
  if (!events_.on_resource_updated) return;
  const std::set<std::string> followed = changes_.followed();
  for (const std::string& uri : followed) events_.on_resource_updated(uri);
}

void Connection::ended(const Error& why) {
  after_messages([this, why] { take_end(why); });
}

void Connection::take_failure(const protocol::Id& request, Reached reached, const Error& why) {
  auto failed = requests_.take(request);
  if (failed) probe_.saw(*failed, Answer::failed(reached, why));
  fail(std::move(failed), reached, why);
}

void Connection::take_end(const Error& why) {
  const bool was_ready = was_ready_;
  state_ = State::Ended;
  start_timer_.cancel();
  probe_timer_.cancel();
  changes_.end();
  probe_.end();
  const Error reason = settings_.secrets->hide(reason_.value_or(why));
  const auto alive = alive_;
  auto on_ended = std::move(events_.on_ended);
  events_ = {};
  fail_all(reason);
  if (*alive && on_ended) on_ended(reason, was_ready);
}

void Connection::fail(std::unique_ptr<Request> request, Reached reached, const Error& why) {
  give_answer(std::move(request), Answer::failed(reached, why), *settings_.secrets);
}

void Connection::fail_all(const Error& why) {
  const auto secrets = settings_.secrets;  // an answer can destroy this object
  for (auto& [number, request] : requests_.take_all()) {
    const Reached reached = request->sent ? Reached::Perhaps : Reached::No;
    give_answer(std::move(request), Answer::failed(reached, why), *secrets);
  }
}

}  // namespace host::upstream
