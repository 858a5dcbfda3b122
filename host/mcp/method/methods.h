// Protocol method -> function, for both eras and both transports: the table in methods.cpp is the
// one place that says which methods there are, in which versions, and whether one has to be waited
// for. I/O thread only. One for the whole host.
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

// What is known of a method.
struct Method {
  enum class Era { Both, Sessions, Stateless };
  enum class Way {
    AtOnce,
    Waits,
    Initialize,  // whoever owns the session serves it
    Listen,      // whoever owns the stream serves it
  };

  std::string_view name;
  Era era = Era::Both;
  Way way = Way::AtOnce;
  // The member of params that the header Mcp-Name repeats; empty: none.
  std::string_view named_by = {};
  // Its arguments may be repeated in headers, as the tool's schema says.
  bool mirrors_arguments = false;
  // Served before a peer of lines has said which era is its own, and settles nothing.
  bool any_time = false;
  std::function<Reply(const Request&)> at_once = nullptr;      // Way::AtOnce
  std::function<awaitable<Reply>(Request&)> waited = nullptr;  // Way::Waits
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

  // nullptr where this version has no such method, or the host does not serve it.
  const Method* find(std::string_view name, protocol::Version version) const;

  // Whether it is a request that opens a session.
  bool initializes(const protocol::Message& message) const;

  // The answer to a request whose method needs no waiting, or is not known, or has wrong `_meta`;
  // or nothing: answer() must be awaited.
  std::optional<Reply> answer_at_once(const Request& request) const;
  // The answer to any request but those of Way::Initialize and Way::Listen.
  awaitable<Reply> answer(Request& request) const;

  // initialize: the version that is agreed on.
  struct Initialized {
    protocol::Version version;
    tool::Abilities abilities;
    std::string text;
  };
  std::variant<Initialized, protocol::Fault> initialize(const protocol::Message& message,
                                                        const std::string& agent) const;

  // Reading the id of a request that notifications/cancelled names.
  static protocol::Id cancelled_request(const protocol::Message& notification);

  // What changed is told through it to listen streams and to peers of versions with sessions.
  Announcer& announcer() { return announcer_; }

 private:
  Reply ping(const Request& request) const;
  Reply discover(const Request& request) const;
  Reply set_log_level(const Request& request) const;
  std::string instructions(const std::string& agent) const;

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
