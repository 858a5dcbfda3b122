// One request of a peer on its way to a method, and the reply.
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
#include "tool/peer.h"
#include "tool/question.h"
#include "tool/route.h"

namespace host::mcp {

// What a peer of a version with sessions has set for itself.
struct PeerSettings {
  int log_level = protocol::kInfo;  // until logging/setLevel
  Uris followed;                    // by resources/subscribe

  bool operator==(const PeerSettings&) const = default;
};

// A request with all that its answer depends on. `message` and `envelope` lead into `tree`.
struct Request {
  json::Document tree;
  protocol::Message message;
  protocol::Envelope envelope;
  protocol::Version version = protocol::kAssumed;
  tool::Peer who;
  std::string code;                  // a one-time code that came beside it
  std::string remote;                // the address that it came from; empty: not over HTTP
  std::string session;               // empty: none
  std::string connection;            // see Passport
  tool::Route route;                 // of the tool that it calls; empty: not looked for yet
  tool::Abilities abilities;         // what the client can be asked
  Outlet* outlet = nullptr;          // nullptr: only the answer can be sent
  ClientRequests* client = nullptr;  // nullptr: the client cannot be asked
  PeerSettings* settings = nullptr;  // nullptr: nothing was agreed on that could be kept
  std::shared_ptr<Cancel> cancel;
  // Requested when its connection goes away, where nobody could fetch the answer later: its call
  // ends, unless it has an idempotency key. Null: that does not end it.
  std::shared_ptr<Cancel> gone;
  // Requested when its connection goes away. A call that waits for a person then ends, and its
  // question waits for the same call to come again. Null: nobody can tell.
  std::shared_ptr<Cancel> unheard;
  bool http = false;  // its status tells the client to come again later
  bool bare = false;  // nothing was agreed on and no version claimed

  // A member of params; nullptr: absent.
  const json::Value* param(std::string_view name) const {
    return message.params ? json::find(*message.params, name) : nullptr;
  }
};

struct Reply {
  std::string text;
  int status = 200;        // HTTP's; other transports ignore it
  bool busy = false;       // HTTP: Retry-After
  bool cancelled = false;  // by the peer, who wants no answer
};

// Whether its agent's client wants the codes of JSON-RPC for what the protocol would tell as a
// result.
bool tells_codes(const config::Config& config, const Request& request);

Reply refuse(const protocol::Fault& fault, int status = 200);
Reply invalid_params(const protocol::Id& id, std::string message);

}  // namespace host::mcp
