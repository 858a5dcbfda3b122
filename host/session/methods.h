// Protocol method -> function, for both eras and both transports; and the one place where the
// outcome of a call becomes an answer of the protocol. I/O thread only. One for the whole host.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "protocol/envelope.h"
#include "protocol/json_rpc.h"
#include "protocol/mcp.h"
#include "protocol/versions.h"
#include "session/client_requests.h"
#include "session/list_changes.h"
#include "session/outlet.h"
#include "session/request_state.h"
#include "session/services.h"
#include "session/signer.h"

namespace host::session {

class StatelessAsker;

// One request with all that its answer depends on. `message` and `envelope` lead into `tree`.
struct Request {
  json::Document tree;
  protocol::Message message;
  protocol::Envelope envelope;
  protocol::Version version = protocol::kAssumed;
  std::string principal = "local";
  std::string session;               // empty: none
  std::string peer;                  // whose turn it is among those who wait
  tool::Abilities abilities;         // what the client can be asked
  Outlet* outlet = nullptr;          // nullptr: only the answer can be sent
  ClientRequests* client = nullptr;  // nullptr: the client cannot be asked
  std::shared_ptr<Cancel> cancel;
};

struct Reply {
  std::string text;
  int status = 200;        // HTTP's; other transports ignore it
  bool busy = false;       // HTTP: Retry-After
  bool cancelled = false;  // by the peer, who wants no answer
};

class Methods {
 public:
  explicit Methods(Services services);

  const Services& services() const { return services_; }
  const config::Config& config() const { return services_.config; }

  // Whether the version has this method and this host offers it. initialize and
  // subscriptions/listen are not among them: those who own a session or a stream serve them.
  static bool offers(std::string_view method, protocol::Version version);

  // All but tools/call: needs no waiting. Unknown methods are answered as such.
  Reply answer_at_once(const Request& request);
  // tools/call.
  awaitable<Reply> call_tool(Request& request, bool http);

  // initialize: the version that is agreed on.
  struct Initialized {
    protocol::Version version;
    tool::Abilities abilities;
    std::string text;
  };
  std::variant<Initialized, protocol::Fault> initialize(const protocol::Message& message) const;

  // Reading and binding an id of a request that notifications/cancelled names.
  static protocol::Id cancelled_request(const protocol::Message& notification);

  // The catalog changed: tells listen streams and legacy sessions.
  void tools_changed();
  ListChanges& listens() { return listens_; }
  ListChanges& legacy_sessions() { return legacy_sessions_; }

 private:
  Reply list_tools(const Request& request);
  std::optional<protocol::Fault> fill(tool::Call& call, Request& request);
  Reply reply_to(const Request& request, const tool::Call& call, Result<tool::CallResult> result,
                 const StatelessAsker& asker, std::string_view binding, bool http);
  Reply reply_to_error(const Request& request, const tool::Call& call, const Error& error,
                       bool http);
  Reply reply_to_lacking(const Request& request, const tool::Call& call,
                         const std::string& lacking);
  bool timeout_is_rpc_error(protocol::Version version) const;
  std::string instructions() const;
  const std::string& info(protocol::Version version) const;

  Services services_;
  Signer cursors_;
  RequestStates states_;
  ListChanges listens_;
  ListChanges legacy_sessions_;
  std::array<std::string, 5> infos_;  // serverInfo by version
  std::string call_prefix_;
  std::uint64_t last_call_ = 0;
};

}  // namespace host::session
