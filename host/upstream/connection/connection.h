// A Connection is the host as a JSON-RPC client of one upstream, over one transport, in every
// protocol version.
//
// The states of a Connection are: made, opened by open(), ready, perhaps leaving, and ended. The
// host uses a Connection only once, like its transport.
//
// A connection is called leaving when the upstream has forgotten the session, but responses to open
// requests can still arrive. The host sends no more requests over a leaving connection.
//
// The handshake finds the upstream's protocol version: the host sends server/discover first, and
// sends initialize if the upstream does not know server/discover. The functions of Connection are
// called on the I/O thread. A callback never runs before the function that received it has
// returned. A callback can destroy the connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/job_thread.h"
#include "protocol/client_requests.h"
#include "upstream/connection/budget.h"
#include "upstream/connection/changes.h"
#include "upstream/connection/elicitations.h"
#include "upstream/connection/probe.h"
#include "upstream/connection/reading_pace.h"
#include "upstream/connection/requests.h"
#include "upstream/connection/secrets.h"

namespace host::upstream {

// The enumeration Era says what the host knows about an upstream's protocol before the handshake.
// `Legacy` means a protocol version with sessions (until 2025-11-25). `Modern` means protocol
// version 2026-07-28.
enum class Era : std::uint8_t { Unknown, Legacy, Modern };

struct ConnectionSettings {
  std::string name;        // the upstream's name, for logs
  std::string info;        // the host's Implementation, a JSON object
  tool::Abilities legacy;  // the abilities that the host declares in initialize
  std::chrono::milliseconds start_timeout{std::chrono::seconds(30)};
  // `probe_timeout` is the time for which the host waits for a response to server/discover from an
  // upstream over stdio. If no response to server/discover arrives in time, the host sends
  // initialize.
  std::chrono::milliseconds probe_timeout{std::chrono::seconds(3)};
  // `close_timeout` is the time for which close() waits for the upstream to end in an orderly way.
  // If the upstream takes longer than close_timeout, the host closes the connection itself.
  std::chrono::milliseconds close_timeout{std::chrono::seconds(10)};
  double messages_per_second = 1000;  // limit for the upstream's messages, except answers
  bool trace_context = true;          // requests carry the trace context of their calls
  std::size_t id_bytes = protocol::kIdBytes;
  // `last_number` is the number of the last request on earlier connections to this upstream.
  // Request numbers are never used twice, because a message can refer to a request of an earlier
  // connection.
  RequestNumber last_number = 0;
  // `jobs` is the thread that parses long messages. If `jobs` is null, the I/O thread parses long
  // messages.
  std::shared_ptr<JobThread> jobs;
  std::shared_ptr<Budget> budget;  // the same budget as the transport's; null: no limits
  // `secrets` contains the values that the connection hides in all texts of the upstream that it
  // passes on, except in results and questions.
  std::shared_ptr<const Secrets> secrets = std::make_shared<const Secrets>();
};

struct Arrival;

enum class ListKind : std::uint8_t { Tools, Resources, Prompts };

class Connection final : private TransportListener {
 public:
  // The connection calls all functions of Events on the I/O thread. Any function of Events can be
  // null.
  struct Events {
    std::function<void()> on_ready;  // called once, when the connection is ready
    // The connection calls on_ended last. `ready` is true if the connection was ready before its
    // end.
    std::function<void(const Error& why, bool ready)> on_ended;
    // The connection calls on_leaving once, when it begins to leave. After on_leaving, the
    // connection calls on_answer only for requests with outlives_session.
    std::function<void(const Error& why)> on_leaving;
    std::function<void(ListKind)> on_list_changed;
    // The connection calls on_resource_updated only for resources to which the host is subscribed,
    // see follow().
    std::function<void(const std::string& uri)> on_resource_updated;
    // The connection calls on_log only for log messages that belong to no request.
    std::function<void(const protocol::ForeignLog&)> on_log;
    // The connection calls on_dropped for each dropped message. `reason` is "garbage" (text that is
    // not JSON, or JSON that is not a JSON-RPC message), "unexpected" (an answer to no request in
    // flight: an unknown, late or second answer), "refused" (a request that the host does not
    // serve), or "batch" (the rest of an array of too many messages).
    std::function<void(std::string_view reason)> on_dropped;
  };

  Connection(boost::asio::any_io_executor io, std::unique_ptr<Transport> transport,
             ConnectionSettings settings, Events events);
  ~Connection() override;

  void open(Era era);
  // Ends the connection in an orderly way; on_ended follows. Requests in flight fail with `why`.
  void close(std::string why = "the host ended the connection");

  // Ends the connection now; on_ended is called before end_now() returns. Requests in flight
  // fail with `why`.
  void end_now(const Error& why) { take_end(why); }

  bool ready() const { return state_ == State::Ready; }
  bool is_leaving() const { return state_ == State::Leaving; }
  // Returns the values to hide in errors about results of this connection.
  const std::shared_ptr<const Secrets>& secrets() const { return settings_.secrets; }
  // Returns what the upstream reports about itself. Call self() only when the connection is ready.
  const protocol::ServerSelf& self() const { return self_; }
  Era era() const { return era_; }

  RequestNumber send(Request&& request);
  // Cancels a request: on_answer of the request is not called any more, and the upstream is
  // notified.
  void cancel(RequestNumber number, std::string_view reason);

  // See Requests::follow(). The connection ignores messages about a task that is not followed with
  // follow_task().
  void follow_task(const std::string& task, RequestNumber began, Request listener) {
    requests_.follow(task, began, std::move(listener));
  }
  void unfollow_task(const std::string& task) { requests_.unfollow(task); }
  void give_up_task(const std::string& task) { requests_.give_up_task(task); }
  // See Requests::forsake().
  void forsake(RequestNumber number) { requests_.forsake(number); }

  // See Transport::tools_were_read().
  std::vector<tool::Refusal> tools_were_read() { return transport_->tools_were_read(); }

  // answer() answers a question of the upstream (Request::on_question), and refuse() refuses it.
  // For each question of the upstream, call exactly one of the two functions answer() and refuse(),
  // once.
  void answer(const protocol::Id& question, std::string_view result);
  void refuse(const protocol::Id& question, int code, const std::string& why);

  // Subscribes to the resources `uris`, see Changes::follow().
  void follow(const std::set<std::string>& uris) { changes_.follow(uris); }

  // Returns false if the upstream's lists can change without the host noticing the change.
  bool notices_changes() const {
    return !transport_->may_be_replaced() || changes_.listens_to_lists();
  }

  // Returns true if the upstream has answered a call of a client (Request::outlives_session).
  bool answered_a_call() const { return answered_a_call_; }
  std::size_t in_flight() const { return requests_.size(); }
  // Returns the number of the last request that was sent.
  RequestNumber last_number() const { return requests_.last(); }
  // Returns the first text from the upstream that was not a JSON-RPC message. The text helps users
  // to find a fault of the upstream. The returned text is empty if the upstream sent only valid
  // messages.
  const std::string& first_garbage() const { return first_garbage_; }
  const Transport& transport() const { return *transport_; }
  // Returns a pointer that expires when the Connection is destroyed.
  std::weak_ptr<const bool> life() const { return alive_; }

 private:
  enum class State : std::uint8_t { Made, Opening, Ready, Leaving, Ending, Ended };

  void message(std::string_view text, const protocol::Id& request) override;
  void names_lost_session(const protocol::Id& request) override;
  void failed(const protocol::Id& request, Reached reached, const Error& why) override;
  void missed() override;
  void leaving(const Error& why) override;
  void ended(const Error& why) override;

  // handshake
  void discover();
  void initialize();
  void take_discovery(Answer answer);
  void take_initialization(Answer answer);
  void become_ready(protocol::ServerSelf self);
  void give_up(Error why);

  // messages
  bool hears() const {
    return state_ == State::Opening || state_ == State::Ready || state_ == State::Leaving;
  }
  void read_aside(std::string text, const protocol::Id& request);
  void take_aside(Result<Arrival> arrival, std::string_view start, const protocol::Id& answers,
                  const protocol::Id& request);
  void take_arrival(Arrival arrival, std::string_view start, const protocol::Id& request);
  void take_unreadable(std::string_view text, const protocol::Id& answers, const std::string& why);
  void take_misshapen(const json::Document& tree, const protocol::Fault& fault,
                      std::string_view start);
  void take_one(json::Document tree, std::string_view start, const protocol::Id& request,
                std::shared_ptr<const void> reading);
  // after_messages() calls `act` now, or after the current messages if messages are being read.
  void after_messages(std::function<void()> act);
  void take_garbage(std::string_view text);
  void take_failure(const protocol::Id& request, Reached reached, const Error& why);
  void take_leaving(const Error& why);
  void take_end(const Error& why);
  void take_response(const protocol::Message& message, json::Document tree,
                     std::shared_ptr<const void> reading);
  void take_request(const protocol::Message& message, const protocol::Id& request);
  void take_question(const protocol::Message& message, const protocol::Id& request);
  void fail_asking(const protocol::Id& request);
  void take_notification(const protocol::Message& message, const protocol::Id& request);
  void take_log(const json::Value& params, const protocol::Id& request);

  void transmit(RequestNumber number, const Request& request);
  void reply(std::string text, const protocol::Id& id, protocol::Id asker = {});
  void request_timed_out(RequestNumber number);
  void fail(std::unique_ptr<Request> request, Reached reached, const Error& why);
  void fail_all(const Error& why);
  protocol::Sender sender(const tool::Abilities& abilities, protocol::Version version,
                          bool tasks = false) const;
  Request* asker_of(const protocol::Message& message, const protocol::Id& request,
                    std::string& why);
  void count_dropped(std::string_view reason);

  const boost::asio::any_io_executor io_;
  const std::unique_ptr<Transport> transport_;
  const ConnectionSettings settings_;
  Events events_;
  State state_ = State::Made;
  Era era_ = Era::Unknown;
  bool initializing_ = false;
  bool was_ready_ = false;
  bool answered_a_call_ = false;
  protocol::ServerSelf self_;
  Requests requests_;
  Changes changes_;
  Elicitations elicitations_;
  Probe probe_;
  ReadingPace pace_;
  std::string first_garbage_;
  SteadyTime message_began_{};
  std::optional<Error> reason_;  // the host's reason for the end; replaces the transport's
  // The timer runs until the connection is ready (start_timeout), and again from close() until the
  // connection has ended (close_timeout).
  boost::asio::steady_timer start_timer_;
  boost::asio::steady_timer probe_timer_;
  // `*alive_` is false after the Connection was destroyed. A callback can destroy the Connection.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::upstream
