// Adds the session's state to a call whose tool declares that it needs the state
// (TP_TOOL_STATE_INJECTED). The functions of this header are called on the I/O thread.
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

// The name of the context entry that contains the state: {"version", "mode", "groups",
// "working_dirs", "todos", "kv", "kv_more"}. `kv` contains the entries that the tool's plugin has
// stored for this session with tp.kv/1. Each entry of `kv` has its version, so that the plugin can
// write the entry back without overwriting a newer value.
inline constexpr const char* kSessionState = "toolpost.session";

class StateStep {
 public:
  // If `sessions` is null, calls belong to no session. `desk` is null if the host has no
  // store.
  StateStep(const Router& router, const PermissionStep& permission,
            const session::Sessions* sessions, std::shared_ptr<store::Desk> desk)
      : router_(router), permission_(permission), sessions_(sessions), desk_(std::move(desk)) {}

  // Returns an error result if the tool needs the state of a session and the call has no session,
  // and nullopt if the call can run.
  std::optional<tool::CallResult> refusal(tool::Call& call, const tool::Route& route) const;

  // If the tool declares that it needs the state, the function adds the current state to the call's
  // context. If the caller sent a context entry with the same name, the session's state replaces
  // this entry.
  boost::asio::awaitable<void> inject(tool::Call& call, const tool::Route& route) const;

 private:
  struct Kept {
    std::string json = "[]";
    bool more = false;  // true: the store contains more entries than `json`
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
