// A Request is one request that the host sends to an upstream, and the upstream's response.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"
#include "protocol/server_answers.h"
#include "tool/call/trace.h"
#include "tool/definition/question.h"
#include "upstream/connection/secrets.h"
#include "upstream/connection/transport.h"

namespace host::upstream {

// An Answer is the response to a request.
struct Answer {
  enum class Kind { Result, Refused, Failed };

  Kind kind = Kind::Failed;
  json::Document tree;                    // owns `result`
  const json::Value* result = nullptr;    // if Result: the result, in `tree`
  protocol::ForeignError refusal;         // if Refused: the upstream's JSON-RPC error
  bool modern_refusal = false;            // if Refused: the error of a server of version 2026-07-28
  Error why{ErrorKind::Unavailable, {}};  // if Failed: why there was no answer
  Reached reached = Reached::Perhaps;     // if Failed: can the upstream have acted?
  // If the upstream refused the request, `required` contains the questions in the upstream's error
  // -32042. The upstream executes the refused request only after a client has answered the
  // questions in `required`.
  std::vector<tool::Question> required;
  std::string required_fault;  // why the host does not ask these questions; empty: no fault
  // If Refused: the error says that the upstream does not know the session, see
  // TransportListener::names_lost_session().
  bool names_lost_session = false;
  // If `reading` is set, the upstream's message is long, and `tree` must be processed on a
  // JobThread. While a copy of the pointer `reading` exists, the connection reads nothing more from
  // the upstream. The last copy of `reading` must be released on the I/O thread.
  std::shared_ptr<const void> reading;

  // `message` must be a response, and its values must point into `tree`.
  static Answer of(const protocol::Message& message, json::Document tree);
  static Answer failed(Reached reached, Error why) {
    Answer answer;
    answer.reached = reached;
    answer.why = std::move(why);
    return answer;
  }
};

struct Request {
  std::string method;
  std::string members;  // members of `params`, as protocol/client_requests.h writes them
  std::string name;     // see Outgoing::name
  std::vector<std::pair<std::string, std::string>> mirrored;
  tool::Trace trace;
  // `abilities` contains the capabilities of the client that made the call, for protocol version
  // 2026-07-28.
  tool::Abilities abilities;
  bool follows_tasks = false;  // true: the host declares the tasks extension (2026-07-28)
  // `outlives_session` is true for the calls of clients, see TransportListener::leaving().
  bool outlives_session = false;
  int log_level = -1;                    // -1: no log messages
  std::chrono::milliseconds timeout{0};  // 0: no timeout; the sender has its own timer
  SteadyTime deadline{};                 // after this time, a cancel means a timeout; {}: never
  std::uint64_t messages_before = 0;  // set by the connection: number of messages that it had got
  bool sent = false;  // set by the connection when it has passed the request to the transport
  bool names_lost_session = false;  // set by the connection, see Answer::names_lost_session

  std::function<void(Answer&&)> on_answer;  // called once, never before the request was sent
  std::function<void(const protocol::ForeignProgress&)> on_progress;  // null: not requested
  std::function<void(const protocol::ForeignLog&)> on_log;
  // `log_reader` identifies the client that on_log serves, and the tool if interceptors filter the
  // tool's messages.
  std::string log_reader;  // empty: nobody
  // The connection calls `on_question` when the upstream asks a question of the client for which
  // this request was made. The function `on_question` must call Connection::answer() or refuse().
  // If `on_question` is null, no client can be asked.
  std::function<void(const protocol::Id&, tool::Question)> on_question;
  // The connection calls `on_task` for a notification about the task of this request.
  std::function<void(const protocol::ForeignTask&)> on_task;
  std::string client;  // identifies the client of a call, also if on_question is null
  std::vector<protocol::Id> questions;  // set by the connection: the questions without an answer
};

// Calls on_answer of the request, unless on_answer is null. Before the call of on_answer, the
// function hides the secrets in the text of a failure, and in the message of a refusal. The
// callback can destroy the owner of `secrets`.
void give_answer(std::unique_ptr<Request> request, Answer&& answer, const Secrets& secrets);

}  // namespace host::upstream
