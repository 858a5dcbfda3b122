// Defines a client's request with all data that its method needs, and the reply to the request.
#pragma once

#include <memory>
#include <string>

#include "base/cancel.h"
#include "config/config.h"
#include "mcp/peer/client_requests.h"
#include "mcp/peer/outlet.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/envelope.h"
#include "protocol/json_rpc.h"
#include "protocol/log_level.h"
#include "protocol/versions.h"
#include "tool/call/peer.h"
#include "tool/call/route.h"
#include "tool/definition/question.h"

namespace host::mcp {

// What a client has set in its session: the log level, and its subscriptions to resources.
struct PeerSettings {
  int log_level = protocol::kInfo;  // the lowest level of log lines; set by logging/setLevel
  Uris followed;                    // subscriptions, set by resources/subscribe

  bool operator==(const PeerSettings&) const = default;
};

// A client's request with all data on which its answer depends. `message` and `envelope` point into
// `tree`.
struct Request {
  json::Document tree;
  protocol::Message message;
  protocol::Envelope envelope;
  protocol::Version version = protocol::kAssumed;
  tool::Peer who;
  std::string code;           // a one-time code that the client sent with the request
  std::string remote;         // the client's address; empty: not over HTTP
  std::string session;        // empty: no session
  std::string connection;     // see tool::Passport
  tool::Route route;          // route of the tool that the request calls; empty: not found yet
  tool::Abilities abilities;  // kinds of questions that the client supports
  Outlet* outlet = nullptr;   // nullptr: only the answer can be sent
  ClientRequests* client = nullptr;  // nullptr: the client cannot be asked
  PeerSettings* settings = nullptr;  // nullptr: there is no session that stores settings
  std::shared_ptr<Cancel> cancel;
  // The host requests the Cancel `gone` when the client's connection ends and the client cannot
  // fetch the answer later. A call with an idempotency key does not end when `gone` is requested.
  // If `gone` is null, the end of the connection does not end the call.
  std::shared_ptr<Cancel> gone;
  // The host requests the Cancel `unheard` when the client's connection ends, even if the client
  // could fetch the answer later. When `unheard` is requested, the call ends if it waits for a
  // person. The approval request of the ended call stays, so that the next identical call finds it.
  // If `unheard` is null, the host cannot notice the end of the connection.
  std::shared_ptr<Cancel> unheard;
  bool http = false;  // True: the request came over HTTP.
  bool bare = false;  // true: the request has no session and no version in `_meta`

  // Returns a member of the request's `params`, or nullptr if the member is absent.
  const json::Value* param(std::string_view name) const {
    return message.params ? json::find(*message.params, name) : nullptr;
  }
};

struct Reply {
  std::string text;
  int status = 200;        // the HTTP status; other transports ignore it
  bool busy = false;       // true: an HTTP response has the header Retry-After
  bool cancelled = false;  // the client cancelled the request and gets no answer
};

// Returns true if the agent's setting `errors` is "rpc-codes". With "rpc-codes", the host reports
// some failed tool calls as JSON-RPC errors instead of results.
bool tells_codes(const config::Config& config, const Request& request);

Reply refuse(const protocol::Fault& fault, int status = 200);
Reply invalid_params(const protocol::Id& id, std::string message);

}  // namespace host::mcp
