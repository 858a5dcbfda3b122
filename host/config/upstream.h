// [[upstream]] and [upstreams]: MCP servers behind this host.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace host::config {

using Seconds = std::chrono::milliseconds;  // seconds in the file, fractions allowed

// When a tool's definition is served. Tofu: those of the first connection are accepted, later
// changes wait for the operator. Review: all wait. Off: all are served.
enum class Pin { Tofu, Review, Off };

// How an upstream with a `url` is reached. Auto: Streamable HTTP, and HTTP with SSE if the upstream
// refuses it.
enum class UpstreamTransport { Auto, Http, Sse };

// How the host proves to an upstream with a `url` who it is. None: by `headers` alone. OAuth: by
// the access token of a login.
enum class UpstreamAuth { None, OAuth };

struct Upstream {
  std::string name;
  std::string command;            // looked up in PATH, or an absolute path; empty: it has a url
  std::vector<std::string> args;  // no shell reads them
  std::string env;                // JSON: {"NAME": "text" or {"env": "NAME"} or {"file": "/path"}}
  std::filesystem::path cwd;      // empty: the host's
  std::string url;                // https, or http on this machine; empty: it has a command
  // JSON: {"Name": "text" or a secret as in env, which may have a "prefix" before its value}
  std::string headers;
  UpstreamTransport transport = UpstreamTransport::Auto;
  UpstreamAuth auth = UpstreamAuth::None;
  std::string client_id;            // at its authorization server; empty: the host registers itself
  std::string client_secret;        // JSON: {"env": "NAME"} or {"file": "/path"}; empty: none
  std::string client_metadata_url;  // a document about this host, as its client id; empty: none
  std::vector<std::string> scopes;  // of a login; empty: those that the upstream names
  std::vector<std::string> tools = {"*"};      // its own names, with *
  std::vector<std::string> tools_denied;       // the same; wins over `tools`
  std::vector<std::string> resources = {"*"};  // URIs and URI templates, with *
  std::vector<std::string> resources_denied;   // the same; wins over `resources`
  std::vector<std::string> prompts = {"*"};    // its own names, with *
  std::vector<std::string> prompts_denied;     // the same; wins over `prompts`
  // What it may ask the client behind a call: "elicitation", "sampling", "roots".
  std::vector<std::string> questions = {"elicitation", "sampling", "roots"};
  std::string presets;  // JSON: {"tool": {"argument": value}}
  std::string group;
  std::optional<bool> auto_approve;
  bool trust_read_only = true;
  bool concurrency_safe = false;
  std::optional<Seconds> timeout;
  std::optional<Pin> pin;           // unset: as [upstreams] says
  bool lazy = true;                 // started by its first call
  Seconds idle_stop{0};             // ended after this time without a call, if lazy; 0: never
  std::uint32_t max_inflight = 16;  // calls of the whole upstream at once
  bool trace_context = true;        // its requests have the trace context of their calls
  std::optional<std::vector<std::string>> agents;  // who sees it; unset: see router/view/profiles.h

  bool operator==(const Upstream&) const = default;
};

struct Upstreams {
  Pin pin = Pin::Tofu;
  Seconds start_timeout{std::chrono::seconds(30)};  // from the start until it is ready
  Seconds probe_timeout{std::chrono::seconds(3)};   // until an older protocol is tried over stdio
  Seconds stop_timeout{std::chrono::seconds(2)};    // from SIGTERM to SIGKILL
  // The pause before the next start. It doubles with each failure in a row.
  Seconds restart_pause{500};
  Seconds restart_pause_most{std::chrono::seconds(60)};
  // On 127.0.0.1: where browsers go after a login at an upstream. 0: any free port.
  std::uint32_t login_port = 0;

  bool operator==(const Upstreams&) const = default;
};

const char* to_string(Pin pin);

// Its environment as "NAME=value", with the values of secrets. NotFound: a variable or file that it
// names does not exist. No message has a value.
Result<std::vector<std::string>> environment_of(const Upstream& upstream);

// Its headers, with the values of secrets; otherwise the same.
Result<std::vector<std::pair<std::string, std::string>>> headers_of(const Upstream& upstream);

// True if nobody may read the value of this variable or header: it is read from the environment or
// a file, or its name says that it is a secret ("Authorization", "API_TOKEN"). `values`:
// Upstream::env or Upstream::headers.
bool is_secret(const std::string& values, std::string_view name);

// [[upstream]] as TOML, with the keys that differ from their defaults.
std::string section_of(const Upstream& upstream);

}  // namespace host::config
