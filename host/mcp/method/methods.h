// The functions that implement the methods of MCP, for all protocol versions, and for HTTP and
// stdio. The table in methods.cpp contains all methods, their protocol versions, and whether they
// must be awaited. The functions of this header are called on the I/O thread. The host has one
// object of class Methods.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "mcp/method/call_runner.h"
#include "mcp/method/offer_methods.h"
#include "mcp/method/pages.h"
#include "mcp/method/skill_methods.h"
#include "mcp/method/task_methods.h"
#include "mcp/method/tool_methods.h"
#include "mcp/peer/request.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/versions.h"
#include "task/tasks.h"

namespace host::mcp {

// One method of the protocol, as a row of the table in methods.cpp.
struct Method {
  enum class Era { Both, Sessions, Stateless };
  enum class Way {
    AtOnce,
    Waits,
    Initialize,  // the owner of the session serves the method
    Listen,      // the owner of the stream serves the method
  };

  std::string_view name;
  Era era = Era::Both;
  Way way = Way::AtOnce;
  // The name of the member of params whose value the HTTP header Mcp-Name must repeat. The name is
  // empty if this method has no header Mcp-Name.
  std::string_view named_by = {};
  // If true, HTTP headers can repeat arguments of the call, as the tool's schema says.
  bool mirrors_arguments = false;
  // any_time is true if a client over stdio can call the method without deciding whether it uses
  // sessions.
  bool any_time = false;
  std::function<Reply(const Request&)> at_once = nullptr;      // set for Way::AtOnce
  std::function<awaitable<Reply>(Request&)> waited = nullptr;  // set for Way::Waits
};

class Methods {
 public:
  explicit Methods(Services services);
  ~Methods() {
    services_.tasks.on_change(nullptr);
    services_.tasks.on_resume(nullptr);
  }
  Methods(const Methods&) = delete;
  Methods& operator=(const Methods&) = delete;

  const Services& services() const { return services_; }
  const config::Config& config() const { return services_.config; }

  // Returns nullptr if this protocol version has no such method, or if the host does not serve the
  // method.
  const Method* find(std::string_view name, protocol::Version version) const;

  // Returns true if the message is a request that opens a session.
  bool initializes(const protocol::Message& message) const;

  // Returns the answer if the request needs no waiting, if its method is unknown, or if its `_meta`
  // is not valid. Returns nullopt if the answer to the request must be awaited. If this function
  // returns nullopt, the caller must await answer().
  std::optional<Reply> answer_at_once(const Request& request) const;
  // Returns the answer to any request except `initialize` and `subscriptions/listen`.
  awaitable<Reply> answer(Request& request) const;

  // The result of initialize: the negotiated protocol version, and the text of the answer.
  struct Initialized {
    protocol::Version version;
    tool::Abilities abilities;
    std::string text;
  };
  std::variant<Initialized, protocol::Fault> initialize(const protocol::Message& message,
                                                        const tool::Peer& who) const;

  // Returns the id of the request that a notifications/cancelled names.
  static protocol::Id cancelled_request(const protocol::Message& notification);

  // The Announcer sends notifications of changes to listen streams and to clients in protocol
  // versions with sessions.
  Announcer& announcer() { return announcer_; }

 private:
  Reply ping(const Request& request) const;
  Reply discover(const Request& request) const;
  Reply set_log_level(const Request& request) const;
  std::string instructions(const tool::Peer& who) const;

  const Services services_;
  const ServerInfos infos_;
  const Pages pages_;
  CallRunner runner_;
  ToolMethods tools_;
  OfferMethods offers_;
  SkillMethods skills_;
  TaskMethods task_methods_;
  Announcer announcer_;
  std::unordered_map<std::string_view, Method> table_;
};

}  // namespace host::mcp
