// The state of a call's session, for tools that declare that they need it (TP_TOOL_STATE_INJECTED).
// I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

#include "router/step/permission_step.h"
#include "router/view/router.h"
#include "session/sessions.h"
#include "store/desk.h"
#include "tool/call/call.h"
#include "tool/call/route.h"

namespace host::router {

// The entry of the call's context that has the state: {"version", "mode", "groups", "working_dirs",
// "todos", "kv", "kv_more"}. `kv` has what the tool's plugin keeps in its session part of tp.kv/1,
// with the versions that a later write can expect.
inline constexpr const char* kSessionState = "toolpost.session";

class StateStep {
 public:
  // `sessions`: null if there are none. `desk`: null if nothing is stored.
  StateStep(const Router& router, const PermissionStep& permission,
            const session::Sessions* sessions, std::shared_ptr<store::Desk> desk)
      : router_(router), permission_(permission), sessions_(sessions), desk_(std::move(desk)) {}

  // The result of a call that needs a session and has none; otherwise nullopt.
  std::optional<tool::CallResult> refusal(tool::Call& call, const tool::Route& route) const;

  // For a tool that declares that it needs the state. Adds the state as it is now. What the caller
  // sent under that name is replaced.
  boost::asio::awaitable<void> inject(tool::Call& call, const tool::Route& route) const;

 private:
  struct Kept {
    std::string json = "[]";
    bool more = false;  // than `json` has
  };

  session::SessionPtr session_of(const tool::Call& call) const;
  boost::asio::awaitable<Kept> kept_by(const tool::Route& route, const std::string& session) const;
  static Result<Kept> read_kept(store::KvStore& store, const store::KvSpace& space);

  const Router& router_;
  const PermissionStep& permission_;
  const session::Sessions* const sessions_;
  const std::shared_ptr<store::Desk> desk_;
};

}  // namespace host::router
