// A Status is the state of one upstream, which the console, REST and `toolpost upstream` show.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/upstream.h"
#include "sandbox/apply.h"
#include "tool/provider/offers.h"
#include "upstream/connection/secrets.h"

namespace host::upstream {

enum class State : std::uint8_t {
  Idle,      // not started, or ended normally; the next call starts the upstream
  Starting,  // the host has not read the upstream's tools yet
  Ready,
  Waiting,  // the upstream failed; the next start comes after a pause
  Stopped,  // the host stops
};
std::string_view to_string(State state);

struct HeldChange {
  std::string tool;
  bool is_new = false;  // the upstream has not offered the tool before
  std::string digest;   // digest of the waiting definition
  WallTime since{};
  std::vector<std::string> lines;  // see pins/difference.h
  bool is_cut = false;             // `lines` shows only a part of the difference
};

// LoginStatus is the state of the login at an upstream that has `auth = "oauth"`.
struct LoginStatus {
  std::string needed;  // the reason why a user has to log in; empty: no login is needed
  std::string issuer;  // empty: nobody has ever logged in
  std::vector<std::string> scopes;
  WallTime expires{};  // expiry of the access token; epoch: unknown
};

// SandboxStatus is the state of the sandbox of an upstream that has [upstream.sandbox].
struct SandboxStatus {
  std::vector<std::string> grants;  // see in_words() in confinement.h
  sandbox::Applied applied;         // empty: the upstream's process does not run
};

struct Status {
  std::string name;
  State state = State::Idle;
  std::string source;     // the upstream's command and arguments, or its URL
  std::string transport;  // "pid 4711"; empty: not connected
  std::string protocol;   // protocol version in use; empty: not connected
  std::string server;     // the server's name and version: "everything 2.0.0"
  config::Pin pin = config::Pin::Tofu;
  std::vector<std::string> tools;      // the names that clients see
  std::vector<std::string> resources;  // URIs, without secrets
  std::vector<std::string> templates;  // URI templates, without secrets
  std::vector<std::string> prompts;    // the names that clients see
  std::vector<HeldChange> held;
  std::string held_digest;  // digest of all of `held`; see Pins::digest_held()
  std::vector<tool::Refusal> refusals;
  std::string cut;                          // the reason why the upstream's list is incomplete
                                            // empty: complete
  std::string last_error;                   // empty: no error since the last Ready
  std::chrono::milliseconds next_start{0};  // time until the next start (only in Waiting)
  std::uint64_t starts = 0;
  std::uint64_t running = 0;  // number of calls in progress
  std::uint64_t waiting = 0;
  std::vector<std::string> last_lines;   // last lines of the upstream's standard error
  std::optional<LoginStatus> login;      // nullopt: the upstream needs no login
  std::optional<SandboxStatus> sandbox;  // nullopt: the upstream has no sandbox
};

// Hides the secrets in all texts of the upstream, except in the names of tools and prompts: people
// accept, allow and deny by these names. The URIs are hidden by ShownUris.
Status hide(Status status, const Secrets& secrets);

// Adds definitions that wait only at other hosts with this store, sorted by tool. `digest` covers
// all of them.
void add_held(Status& status, std::vector<HeldChange> more, const std::string& digest);

std::string as_json(const Status& status);

}  // namespace host::upstream
