// The struct Config has the settings of config.toml as checked, typed structs. If the file has
// faults, the host reports all of them, each with file:line:column, and uses no part of the file.
// The shipped config.toml shows each key with its default, unit and reason. A test checks that the
// shipped file gives exactly the defaults in this header, except for its settings of the shipped
// plugins. The header keys.h lists each field's key, unit and range.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "config/diagnostic.h"
#include "config/limits.h"
#include "config/name_use.h"
#include "config/skill_repository.h"
#include "config/trust.h"
#include "config/upstream.h"
#include "config/webhook.h"
#include "sandbox/profile.h"

namespace host::config {

enum class PermissionMode { Default, AcceptEdits, Explore, Bypass, DontAsk };
enum class Behavior { Allow, Ask, Deny };
enum class Isolation { Worker, Inline };
enum class StateOnReload { Fresh, Handover, Require };

struct Server {
  std::string listen = "127.0.0.1:8808";
  std::vector<std::string> allowed_hosts;    // host names other than localhost, 127.0.0.1 and [::1]
  std::vector<std::string> allowed_origins;  // such as "https://app.example" (localhost is allowed)
  std::string name = "toolpost";             // the name in MCP's serverInfo
  std::string title = "Toolpost";
  std::string instructions;        // the host adds the skill catalogue after this text
  std::filesystem::path page_dir;  // folder with the console's files; empty: the built-in ones
  Seconds stop_timeout{std::chrono::seconds(5)};  // how long calls may continue after SIGTERM

  bool operator==(const Server&) const = default;
};

// Says which clients the host serves without a key, as the principal `local`.
enum class Anonymous { Loopback, Everywhere, Nobody };

struct Auth {
  Anonymous anonymous = Anonymous::Loopback;
  Seconds login{std::chrono::hours(12)};   // how long a login to the console is valid
  Seconds link{std::chrono::minutes(15)};  // how long a one-time login link is valid
  // The maximum number of logins that one key can have at the same time. A further login ends the
  // key's oldest login.
  std::uint32_t logins_per_key = 16;
  std::uint32_t logins_per_minute = 30;  // maximum number of new logins per minute with one key

  bool operator==(const Auth&) const = default;
};

// The issuer whose tokens the host accepts in addition to keys. In the terms of OAuth 2.1, the host
// is the resource server.
struct OAuth {
  std::string issuer;    // the issuer's URL; empty: the host accepts no tokens
  std::string resource;  // this host's MCP URL; tokens must be issued for this URL
  std::string jwks_url;  // URL of the issuer's keys; empty: from its metadata
  std::vector<std::string> algorithms = {"RS256", "PS256", "ES256", "EdDSA"};
  // The issuer's names for the scopes of this host. If the name of a scope is empty, no token has
  // this scope.
  std::string scope_call = "toolpost:call";
  std::string scope_approve;
  std::string scope_admin;
  Seconds refresh{std::chrono::minutes(10)};  // how often the host fetches the issuer's keys
  Seconds leeway{std::chrono::seconds(30)};   // how far the issuer's clock may differ

  bool operator==(const OAuth&) const = default;
};

struct Call {
  Seconds timeout{std::chrono::seconds(60)};
  std::string timeout_error = "by-protocol";  // or "result", "rpc-error"
  Seconds grace{std::chrono::seconds(2)};     // time from a call's deadline to its worker's kill
  std::uint32_t pool_threads = 8;             // threads for calls of inline plugins that can block
  std::uint32_t queue = 256;                  // limit of a principal's waiting calls for one tool
  Seconds keep{std::chrono::hours(24)};       // how long an ended detached call is stored
  Seconds heartbeat_timeout{std::chrono::seconds(30)};  // longest time between two heartbeats
  // The time within which a client must start a call that the client executes.
  Seconds pickup_timeout{std::chrono::seconds(300)};

  bool operator==(const Call&) const = default;
};

struct Idempotency {
  Seconds keep{std::chrono::hours(24)};  // how long the result for a key is stored

  bool operator==(const Idempotency&) const = default;
};

// The settings for files that clients upload for their calls.
struct Files {
  Seconds keep{std::chrono::hours(24)};           // time from the upload to the removal of a file
  Seconds url{std::chrono::hours(1)};             // how long a signed URL is valid
  Seconds upload_timeout{std::chrono::hours(1)};  // time for one upload, first byte to last
  bool result_links = false;  // true: large blobs become files, see limits.inline_blob_bytes

  bool operator==(const Files&) const = default;
};

struct Mcp {
  bool bare_calls = true;
  // The time after which the host closes the connection of a response that is still open, so that
  // the client reconnects. 0: never.
  std::chrono::milliseconds poll_after{0};

  bool operator==(const Mcp&) const = default;
};

struct Rule {
  std::string tool;
  std::optional<std::string> content;
  Behavior behavior = Behavior::Ask;
  std::string source;  // "config.toml:12"

  bool operator==(const Rule&) const = default;
};

struct Permission {
  PermissionMode mode = PermissionMode::Default;
  std::vector<std::filesystem::path> working_dirs;
  std::vector<std::string> dangerous_paths;  // paths added to the built-in lists of dangerous paths
  std::vector<Rule> rules;                   // [[rule]]

  bool operator==(const Permission&) const = default;
};

struct Approval {
  std::vector<std::string> ask = {"page"};  // "page", "client"
  Seconds wait{std::chrono::seconds(45)};   // how long a call waits for a decision
  // `expire` is the time until a pending approval request expires, or an approval that nobody has
  // used.
  Seconds expire{std::chrono::seconds(300)};
  Seconds reject_sticky{std::chrono::seconds(60)};  // how long a rejection applies to the same call
  Seconds keep{std::chrono::hours(24 * 90)};        // how long decided requests are stored
  Seconds priv_grace{0};  // how long after a one-time code no new code is needed

  bool operator==(const Approval&) const = default;
};

struct Group {
  std::string name;
  std::string description;
  bool active = false;
  std::string instructions;
  std::vector<std::string> tools;
  std::vector<std::string> plugins;    // the group has all tools of these plugins
  std::vector<std::string> upstreams;  // the group has all tools of these upstreams
  std::vector<std::string> skills;

  bool operator==(const Group&) const = default;
};

// The host's tools that help models to choose among many tools.
struct Groups {
  bool meta_tool = true;             // offer reset_tools
  std::uint32_t search_above = 100;  // callers with more tools get find_tools and call_tool

  bool operator==(const Groups&) const = default;
};

// Says what happens if an interceptor fails. The value Closed means that the host refuses the call.
// The value Open means that the call continues without the interceptor.
enum class FailureMode { Closed, Open };

// A plugin that runs code around calls of other plugins' tools, see sdk's ext/interceptor.h.
struct Interceptor {
  std::string plugin;
  std::vector<std::string> tools = {"*"};          // patterns of names
  std::optional<std::vector<std::string>> agents;  // for calls of these agents; unset: all calls
  Seconds timeout{std::chrono::seconds(5)};        // time limit for each of the plugin's functions
  FailureMode fail = FailureMode::Closed;

  bool operator==(const Interceptor&) const = default;
};

// Says how the host reports a failed call to an agent's client. The value Mcp means that the host
// reports the failure as the protocol version requires. The value RpcCodes means that the host
// reports the failure with a JSON-RPC error code, if the failure has one.
enum class Errors { Mcp, RpcCodes };

// An agent profile. The profile of an agent limits what clients of /NAME/mcp, and clients with a
// key for this agent, can see and do.
struct Agent {
  std::optional<std::vector<std::string>> plugins;  // plugins that the agent can see; unset: all
  std::optional<std::vector<std::string>> groups;  // active groups; unset: each group's own setting
  std::optional<std::vector<std::string>> skills;  // unset: all
  // The sources of skills that the agent can see. A source of skills is the resolved path of a
  // folder in skills.dirs, or plugin:NAME for the skills of a plugin. If `skill_repositories` is
  // unset, the agent can see the skills of all sources.
  std::optional<std::vector<std::string>> skill_repositories;
  std::optional<PermissionMode> mode;               // unset: the host's mode
  std::vector<std::filesystem::path> working_dirs;  // folders in addition to the host's
  bool needs_key = true;      // true: callers need a key for this agent, or an administrator's key
  std::uint32_t running = 0;  // limit of running calls of all the agent's callers; 0: no limit
  std::uint32_t queued = 0;   // limit of waiting calls of all the agent's callers; 0: no limit
  // The maximum number of HTTP requests that all callers of the agent together can send within
  // limits.requests_window_s. 0: no limit.
  std::uint32_t requests = 0;
  Errors errors = Errors::Mcp;
  std::string presets;      // JSON: {"tool": {"argument": value}}; empty: none
  std::vector<Rule> rules;  // [[agent.NAME.rule]], added to the host's rules

  bool operator==(const Agent&) const = default;
};

// Settings of one tool, in [plugin.NAME.tool.TOOL] or a side file (side_file.h).
struct ToolOverride {
  std::optional<bool> enabled;
  std::string presets;  // JSON object text; empty: none
  std::string extend;   // JSON object text, see tool/definition/extension.h; empty: none
  std::optional<Seconds> timeout;
  // The following settings can only make a tool's flags stricter. The comment after each setting is
  // its only possible value.
  std::optional<bool> read_only;             // false
  std::optional<bool> concurrency_safe;      // false
  std::optional<bool> idempotent;            // false
  std::optional<bool> destructive;           // true
  std::optional<bool> open_world;            // true
  std::vector<std::string> dangerous_paths;  // paths in addition to the tool's own
  std::optional<bool> auto_approve;
  std::optional<Trust> trust;  // unset: the plugin's trust

  bool operator==(const ToolOverride&) const = default;
};

struct Plugin {
  Isolation isolation = Isolation::Worker;
  bool enabled = true;
  std::string settings = "{}";  // JSON object, passed to the plugin's create()
  std::optional<bool> auto_approve;
  std::optional<Trust> trust;  // unset: see trust_read_only; full trust if both are unset
  // The deprecated name of `trust`: false means Trust::None, and true means Trust::Full.
  std::optional<bool> trust_read_only;
  std::string group;
  std::optional<Seconds> timeout;
  std::uint32_t max_inflight = 64;  // at most this many calls of the plugin run at the same time
  std::uint32_t workers = 1;        // number of worker processes
  // `split_read_only` says whether the host starts separate workers for calls that only read. The
  // setting `workers` also gives the number of the separate workers. The separate workers have no
  // permission to write. If `split_read_only` is unset, the host decides
  // (plugin/serving/reading_workers.h).
  std::optional<bool> split_read_only;
  std::optional<Seconds> idle_stop;               // unset: Plugins::idle_stop; 0: never
  StateOnReload state = StateOnReload::Handover;  // only for plugins that offer tp.state/1

  // The permissions that the plugin's worker has. The permissions in [plugin.NAME] do not restrict
  // a plugin that runs inside the host's process. The paths are absolute.
  std::vector<sandbox::FsGrant> fs;  // "ro:/path", "rw:/path"
  bool sockets = false;
  bool exec = false;
  std::vector<std::string> env;  // names of the host's environment variables that the worker gets
  std::uint32_t memory_mib = 1024;   // 0: no limit
  std::uint32_t file_mib = 1024;     // maximum size of a file that the worker writes; 0: no limit
  std::uint32_t cpu_s = 0;           // seconds of processor time of one worker; 0: no limit
  std::uint32_t uid = 0;             // user id of the worker; 0: the host's own
  std::vector<std::string> net;      // origins that tp.http/1 may reach, see outbound/origin.h
  std::vector<std::string> secrets;  // environment variables that tp.secrets/1 may read
  bool history = false;  // true: the plugin may read earlier calls of a session, with tp.history/1
  std::map<std::string, ToolOverride> tools;

  bool operator==(const Plugin&) const = default;
};

// In the list `dirs`, "@shipped" stands for the folder of the plugins or skills that were shipped
// with this host. The folder of shipped plugins or skills is in the build tree or in the
// installation.
inline constexpr std::string_view kShipped = "@shipped";

// Says what the host does when a plugin's worker crashes.
struct Supervision {
  // The pause between a crash of a worker and the start of the next worker. The pause before the
  // next worker doubles with each crash in a row. 0: no pause.
  Seconds restart_pause{100};
  Seconds restart_pause_most{std::chrono::seconds(30)};
  // If a worker has not crashed for restart_healthy, the host resets the pause to restart_pause.
  Seconds restart_healthy{std::chrono::seconds(60)};
  std::uint32_t quarantine_crashes = 5;  // crashes in quarantine_window until quarantine; 0: never
  Seconds quarantine_window{std::chrono::seconds(60)};
  // If calls of the same tool with the same arguments have crashed a worker `poison_crashes` times,
  // the host refuses such calls for poison_time. 0: never.
  std::uint32_t poison_crashes = 2;
  Seconds poison_time{std::chrono::minutes(10)};
  // During this time after the start of a new build, faults of the build cause a rollback to the
  // previous build. 0: no rollback.
  Seconds rollback_window{std::chrono::seconds(30)};
  // If at least rollback_faults calls fail because of a new build, the host can roll the build
  // back. If rollback_faults is 0, only crashes cause a rollback.
  std::uint32_t rollback_faults = 5;

  bool operator==(const Supervision&) const = default;
};

struct Plugins {
  // The folders in which the host looks for plugins. In a loaded configuration, the paths of the
  // plugin folders are absolute. If a folder does not exist when the host starts, the host uses the
  // folder as soon as the folder exists.
  std::vector<std::filesystem::path> dirs{kShipped, "~/.local/share/toolpost/plugins"};
  std::string on_conflict = "refuse";  // or "namespace"
  // The configuration can use the names in `expected` even if no such plugin or tool exists yet.
  std::vector<std::string> expected;
  Seconds debounce{250};
  // The time from the removal of a library's file until the host retires its plugin.
  Seconds retire_grace{std::chrono::seconds(2)};
  Seconds probe_timeout{std::chrono::seconds(5)};
  Seconds drain_timeout{std::chrono::seconds(30)};
  Seconds end_timeout{std::chrono::seconds(2)};  // time for a plugin to end after its last call
  Seconds rescan{std::chrono::seconds(5)};       // how often to check folders without change events
  // The time limit for the hand-over of a plugin's state. Within the time limit for a hand-over,
  // the running calls must end and the plugin must save its state.
  Seconds handover_timeout{std::chrono::seconds(5)};
  // The time after which the host stops an idle worker of a plugin whose tools only read; 0: never.
  Seconds idle_stop{std::chrono::minutes(15)};
  Supervision supervision;
  std::filesystem::path cache_dir;  // empty: a fresh 0700 folder under the temporary directory
  // The folder in which the host stores descriptions of validated libraries. If the path
  // `manifest_cache` is empty, the host validates all libraries again at each start.
  std::filesystem::path manifest_cache = "~/.cache/toolpost/manifests";
  // Public keys of minisign. If the list of public keys is not empty, the host loads only libraries
  // that one of these keys has signed. If the list is empty, the host requires no signatures of
  // libraries.
  std::vector<std::string> require_signature;
  // The folders in which side files have priority over the configuration. A side file in a folder
  // that is not in trusted_dirs can only restrict its plugin.
  std::vector<std::filesystem::path> trusted_dirs;
  std::map<std::string, Plugin> by_name;  // [plugin.NAME]

  bool operator==(const Plugins&) const = default;
};

// The settings of the sandbox in which workers run.
struct Sandbox {
  // The required layers of the sandbox. If a required layer does not work, the host starts no
  // worker. The value kLandlockIfPresent requires Landlock only if the kernel has Landlock.
  std::vector<std::string> require = {"limits", "no_new_privs", "capabilities",
                                      std::string(sandbox::kLandlockIfPresent), "seccomp"};

  bool operator==(const Sandbox&) const = default;
};

struct Skills {
  // The folders with skills, from low to high priority. The paths of the folders are absolute, and
  // a folder need not exist yet.
  std::vector<std::filesystem::path> dirs{kShipped, "~/.local/share/toolpost/skills"};
  bool live = true;
  std::uint32_t catalogue_bytes = 4096;  // maximum size of the description of the tool `Skill`

  bool operator==(const Skills&) const = default;
};

struct Log {
  log::Level level = log::Level::Info;
  log::Format format = log::Format::Text;

  bool operator==(const Log&) const = default;
};

struct Audit {
  std::filesystem::path file = "~/.local/state/toolpost/audit.jsonl";  // empty: no audit file
  std::uint64_t table_rows = 1'000'000;  // number of lines (the newest) that can be searched
  std::uint64_t rotate_bytes = 64u << 20u;
  Seconds rotate{std::chrono::hours(24 * 30)};  // age at which a file is rotated, whatever its size
  bool required = false;  // true: a call runs only when its "begin" line is on the disk

  bool operator==(const Audit&) const = default;
};

// The settings of the database, and the storage limits of plugins (tp.kv/1).
struct Store {
  std::filesystem::path file = "~/.local/state/toolpost/toolpost.db";  // empty: nothing is stored
  // The limits for the tp.kv/1 storage of one plugin: the bytes of its keys and values, and the
  // number of its keys.
  std::uint64_t kv_bytes = 64u << 20u;
  std::uint32_t kv_keys = 10'000;
  Seconds kv_session_ttl{std::chrono::hours(24 * 30)};  // lifetime after a session's last write

  bool operator==(const Store&) const = default;
};

// The settings of GET /metrics, which Prometheus reads.
struct Metrics {
  bool enabled = true;

  bool operator==(const Metrics&) const = default;
};

// The settings for HTTP requests that the host sends to URLs from plugins or the configuration.
struct Outbound {
  Seconds timeout{std::chrono::seconds(30)};
  std::uint64_t response_bytes = 8u << 20u;
  std::uint32_t redirects = 5;
  std::uint32_t concurrent = 32;
  std::vector<std::string> loopback;  // origins on this machine to which the host may send
  std::filesystem::path ca_file;      // empty: the system's CA certificates

  bool operator==(const Outbound&) const = default;
};

struct Config {
  Server server;
  Auth auth;
  OAuth oauth;
  Limits limits;
  Call call;
  Idempotency idempotency;
  Files files;
  Mcp mcp;
  Permission permission;
  Approval approval;
  Groups group_tools;
  std::vector<Group> groups;
  std::vector<Interceptor> interceptors;             // [[interceptor]], the outermost first
  std::map<std::string, Agent, std::less<>> agents;  // [agent.NAME]
  Plugins plugins;
  Sandbox sandbox;
  Upstreams upstreams;
  std::vector<Upstream> upstream;  // [[upstream]]
  Webhooks webhooks;
  std::vector<Webhook> webhook;  // [[webhook]]
  Skills skills;
  std::vector<SkillRepository> skill_repositories;  // [[skill_repository]], rising priority
  Log log;
  Audit audit;
  Metrics metrics;
  Store store;
  Outbound outbound;

  NameUses names;              // names of things that are defined elsewhere, such as tools
  std::filesystem::path file;  // empty: built-in defaults

  bool operator==(const Config&) const = default;
};

// Returns the section of the plugin, or the defaults if the plugin has no section.
const Plugin& plugin(const Config& config, const std::string& name);

// Returns the section of the agent, or nullptr if no agent has this name.
const Agent* agent(const Config& config, std::string_view name);

// For an inline plugin, returns the first key in its section that applies only to workers, or
// nullptr if there is none. For a plugin that runs in workers, returns nullptr.
const char* key_of_workers(const Plugin& plugin);

// Returns the `trust` of the tool if it is set, otherwise the `trust` of the plugin.
Trust trust_of(const Plugin& plugin, const std::string& tool);

// Returns true if `trust` and its deprecated name `trust_read_only` contradict each other.
bool trust_contradicts(const Plugin& plugin);

}  // namespace host::config
