// The sections [[upstream]] and [upstreams]: MCP servers behind this host.
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
#include "sandbox/profile.h"

namespace host::config {

// A duration in milliseconds. In config.toml, the unit of a duration is seconds, and fractions are
// allowed.
using Seconds = std::chrono::milliseconds;

// Says when the host accepts the definition of an upstream's tool without a decision of the
// operator. The value Tofu means that the host accepts the definitions of the first connection, and
// that later changes wait for the operator. The value Review means that all definitions wait for
// the operator. The value Off means that the host accepts all definitions.
enum class Pin { Tofu, Review, Off };

// The transport to an upstream that has a `url`. The value Auto means Streamable HTTP, or HTTP with
// SSE if the upstream refuses Streamable HTTP.
enum class UpstreamTransport { Auto, Http, Sse };

// Says how the host authenticates at an upstream that has a `url`. The value None means that the
// host sends only the configured `headers`. The value OAuth means that the host sends the access
// token of a login.
enum class UpstreamAuth { None, OAuth };

// [upstream.sandbox]: what the process of an upstream with a `command` may use. A key of
// [upstream.sandbox] that [plugin.NAME] also has means the same in both sections. The limits of
// memory, files and processor time apply to each process of the upstream.
struct UpstreamSandbox {
  std::vector<sandbox::FsGrant> fs;  // "ro:/path", "rw:/path"
  bool sockets = false;
  bool exec = false;                // true: the upstream may start processes
  std::uint32_t memory_mib = 1024;  // 0: no limit
  std::uint32_t file_mib = 1024;    // maximum size of a file that the upstream writes; 0: no limit
  std::uint32_t cpu_s = 0;          // seconds of processor time of one process; 0: no limit
  std::uint32_t open_files = 1024;  // descriptors of one process
  std::uint32_t processes = 128;    // processes and threads together; 0: no limit
  std::uint32_t uid = 0;            // user id of the upstream; 0: the host's own

  bool operator==(const UpstreamSandbox&) const = default;
};

struct Upstream {
  std::string name;
  std::string command;  // a program in PATH, or an absolute path; empty: the upstream uses HTTP
  std::vector<std::string> args;  // arguments, passed to the program without a shell
  std::string env;                // JSON: {"NAME": "text" or {"env": "NAME"} or {"file": "/path"}}
  std::filesystem::path cwd;      // the program's working folder; empty: that of the host
  std::string url;  // https, or http on this machine; may be empty with `command` or `openapi`
  // The OpenAPI document of an HTTP API: its URL, or an absolute path. If `url` is set, the host
  // sends requests only to `url`. If `url` is empty, the host uses the servers that the document
  // lists. `openapi` is empty if the upstream is an MCP server.
  std::string openapi;
  // The origins to which the host may send requests. If `origins` is empty, the host may send
  // requests only to the origin of `url`, or of the document's URL if `url` is empty.
  std::vector<std::string> origins;
  std::string credentials;  // JSON: {"security scheme": {"env": "NAME"} or {"file": "/path"}}
  // The HTTP headers for the upstream as JSON: {"Name": VALUE}, where VALUE is a text or a secret
  // as in `env`. A secret can have the further member "prefix": a text that the host sends in front
  // of the secret's value.
  std::string headers;
  UpstreamTransport transport = UpstreamTransport::Auto;
  UpstreamAuth auth = UpstreamAuth::None;
  std::string client_id;            // client id of the host; empty: the host registers itself
  std::string client_secret;        // JSON: {"env": "NAME"} or {"file": "/path"}; empty: none
  std::string client_metadata_url;  // URL of a document about this host; used as the client id
  std::vector<std::string> scopes;  // scopes of a login; empty: those that the upstream requests
  std::vector<std::string> tools = {"*"};      // patterns of the upstream's own names of tools
  std::vector<std::string> tools_denied;       // patterns with priority over `tools`
  std::vector<std::string> resources = {"*"};  // patterns of the URIs and URI templates to offer
  std::vector<std::string> resources_denied;   // patterns with priority over `resources`
  std::vector<std::string> prompts = {"*"};    // patterns of the upstream's own names of prompts
  std::vector<std::string> prompts_denied;     // patterns with priority over `prompts`
  // The kinds of questions that the upstream may ask the client of a call: "elicitation",
  // "sampling", "roots".
  std::vector<std::string> questions = {"elicitation", "sampling", "roots"};
  std::string presets;  // JSON: {"tool": {"argument": value}}
  std::string group;
  std::optional<bool> auto_approve;
  bool trust_read_only = true;
  bool concurrency_safe = false;
  std::optional<Seconds> timeout;
  std::optional<Pin> pin;  // unset: Upstreams::pin
  bool lazy = true;        // true: the upstream starts when its first call arrives
  Seconds idle_stop{0};    // a lazy upstream is stopped after this time without a call; 0: never
  std::uint32_t max_inflight = 16;  // maximum number of calls to the upstream at the same time
  // trace_context says whether each request to the upstream has the trace context of its call.
  bool trace_context = true;
  // The agents that see the upstream. If the list of agents is unset, all callers see the upstream,
  // except agents whose profile lists plugins (router/view/profiles.h).
  std::optional<std::vector<std::string>> agents;
  std::optional<UpstreamSandbox> sandbox;  // unset: the process runs without a sandbox

  bool operator==(const Upstream&) const = default;
};

struct Upstreams {
  Pin pin = Pin::Tofu;
  Seconds start_timeout{std::chrono::seconds(30)};  // longest time from start to readiness
  // The time that the host waits for an answer over stdio before it tries an older protocol
  // version.
  Seconds probe_timeout{std::chrono::seconds(3)};
  Seconds stop_timeout{std::chrono::seconds(2)};  // time from SIGTERM to SIGKILL
  // The pause between a failure of an upstream and the attempt to start it again. The pause before
  // a restart doubles with each failure in a row.
  Seconds restart_pause{500};
  Seconds restart_pause_most{std::chrono::seconds(60)};
  // The port on 127.0.0.1 to which browsers return after a login at an upstream. 0: any free port.
  std::uint32_t login_port = 0;

  bool operator==(const Upstreams&) const = default;
};

const char* to_string(Pin pin);

// Returns the upstream's environment as "NAME=value", with the values of secrets. The Error
// NotFound means that a variable or file that `env` names does not exist. Error messages never
// contain a value.
Result<std::vector<std::string>> environment_of(const Upstream& upstream);

// Returns the upstream's headers, with the values of secrets. The function headers_of() returns the
// same Errors as environment_of().
Result<std::vector<std::pair<std::string, std::string>>> headers_of(const Upstream& upstream);

// Returns the values of the upstream's `credentials`, by the names of the security schemes.
// The function credentials_of() returns the same Errors as environment_of().
Result<std::vector<std::pair<std::string, std::string>>> credentials_of(const Upstream& upstream);

// Returns true for keys of [[upstream]] that have no effect on an HTTP API. Returns false for the
// keys of an upstream with a `command`.
bool no_effect_with_openapi(std::string_view key);

// Returns true if the text of `openapi` is a URL, not a path.
bool is_document_url(std::string_view openapi);

// Returns true if the value of the variable or header `name` is a secret, which the host never
// shows. A value is a secret if the host reads it from the environment or a file, or if its name is
// typical of secrets ("Authorization", "API_TOKEN"). `values` is Upstream::env or
// Upstream::headers.
bool is_secret(const std::string& values, std::string_view name);

// Writes an [[upstream]] section as TOML, with the keys whose values differ from their defaults.
std::string section_of(const Upstream& upstream);

}  // namespace host::config
