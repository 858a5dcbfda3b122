// One call on the host's road, from the peer's request to the audit line. Lives on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "json/json.h"
#include "tool/call_context.h"
#include "tool/caller.h"
#include "tool/invocation.h"
#include "tool/peer.h"
#include "tool/result.h"

namespace host::tool {

template <class T>
using awaitable = boost::asio::awaitable<T>;

// Watches a call for its peer. Called on the I/O thread, never after the call's end.
class Observer {
 public:
  virtual ~Observer() = default;
  // What is not wanted is not carried from the thread that tells it.
  virtual bool wants_progress() const { return true; }
  virtual bool wants_log() const { return true; }
  virtual void progress(double done, double total, std::string_view message) = 0;
  virtual void log(int level, std::string_view logger, std::string_view message,
                   std::string_view json_fields) = 0;
};

struct Call;

// A page that the person at the client is asked to open. What they do there is not the client's to
// tell: its answer says no more than whether they will open it.
class Visit {
 public:
  virtual ~Visit() = default;
  virtual const Question& question() const = 0;  // elicitation/create, mode url
  // Until it is settled there, which is true; false: nobody waits for that any more.
  virtual awaitable<bool> wait() = 0;
  // What the client answered, a JSON object text; perhaps while wait() waits.
  virtual awaitable<void> answered(const std::string& answer) = 0;
};

// Puts questions to the calling client. Implemented by mcp/.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual Abilities abilities() const = 0;
  // What earlier calls of a client that calls again were told; it is handed over once.
  virtual Continuation take_resumed() = 0;
  // An answer to every question; or nothing, where they come with a later call (2026-07-28): then
  // this call ends with the round as its result.
  virtual boost::asio::awaitable<Result<std::optional<Answers>>> ask(const Call& call,
                                                                     const Round& round) = 0;
  // Sends the person to a page and waits for what comes of it. False: the client calls again, and
  // this call ends with the question as its result.
  virtual boost::asio::awaitable<Result<bool>> send_to(const Call& call, Visit& visit) = 0;
};

// Who calls. Plugin: one that runs for a peer, whose tools it sees, and internal ones beside.
enum class Origin { Peer, Host, Admin, Plugin };

// Where a call is on its road.
enum class Phase : std::uint8_t { Checked, WaitsForApproval, Queued, Running, AsksClient };

struct Call {
  std::string id;  // names it in logs and audit
  Function function = Function::Call;
  std::string name;  // the tool, URI or prompt as asked for
  json::Document arguments;
  std::string arguments_text;  // the arguments as the tool gets them; empty: not prepared yet
  Origin origin = Origin::Peer;
  std::string principal = "local";
  std::shared_ptr<const Credential> credential;  // see Peer
  std::string session;                           // empty: none
  std::string peer;         // whose turn it is when many wait: a session or a connection
  std::string remote;       // the address that it came from; empty: not over HTTP
  std::string traceparent;  // W3C Trace Context; empty: none, and then no tracestate either
  std::string tracestate;
  std::string baggage;          // W3C Baggage
  std::string idempotency_key;  // under which it runs once; empty: each time
  std::string code;             // a one-time code that came beside the arguments; told to nobody
  std::shared_ptr<const CallContext> given;  // along with the call; null: nothing
  SteadyTime started{};
  Phase phase = Phase::Checked;
  SteadyTime deadline{};  // set by the executor
  std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();
  // Requested when nobody listens for the answer any more. A call that waits for a person then
  // ends, and its question waits for the same call to come again. Null: somebody listens to the
  // end.
  std::shared_ptr<Cancel> unheard;
  Observer* observer = nullptr;          // nullptr: nobody watches
  Asker* asker = nullptr;                // nullptr: nobody to ask
  std::shared_ptr<const Caller> caller;  // the call that makes this one; null: none does
  Continuation continuation;             // where it goes on, once it has asked

  // Of this very call, by the permission step: it only reads, as its tool's check says or as the
  // host judges its command.
  bool judged_to_read = false;
  // A person said yes to it, for the build that its route leads to: no other build may run it.
  bool approved = false;
  // The tool itself gave the result: it did not fail, and nobody else spoke for it.
  bool answered = false;

  // The call has passed its gates and is about to run: an Error ends it. Null: nobody cares.
  std::function<Result<void>()> on_cleared;

  // For the audit line, filled along the road.
  std::string provider;
  std::string decision;  // allow, ask, deny; empty: it never came to that
  std::string rule;      // which rule or step decided
  std::string outcome;   // a step's own word for how it ended; empty: as the result says
};

inline bool is_unheard(const Call& call) {
  return call.unheard && call.unheard->requested();
}

// An outcome: the arguments do not fit the tool's schema.
inline constexpr const char* kBadArguments = "bad_arguments";

// As which agent it is made; empty: as none.
inline const std::string& agent_of(const Call& call) {
  static const std::string kNone;
  return call.given ? call.given->agent : kNone;
}

// What a call of this peer is given; null: nothing.
inline std::shared_ptr<const CallContext> given_by(const Peer& peer) {
  if (peer.agent.empty()) return nullptr;
  auto given = std::make_shared<CallContext>();
  given->agent = peer.agent;
  return given;
}

}  // namespace host::tool
