// The command line after it was checked. Only the .cpp file of this header uses CLI11.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace host::cli {

enum class Verb {
  Serve,
  Call,
  Tools,
  Plugins,
  Skills,
  SkillsPull,
  SkillsDiff,
  SkillsAccept,
  Explain,
  Doctor,
  Audit,
  AuditVerify,
  PluginsReload,
  PluginsRelease,
  Approvals,
  ApprovalsShow,
  ApprovalsApprove,
  ApprovalsReject,
  ApprovalsAnswer,
  TotpEnroll,
  TotpConfirm,
  TotpList,
  TotpUnlock,
  TotpRemove,
  Rules,
  RulesRemove,
  Sessions,
  SessionsEnd,
  SessionsShow,
  Calls,
  CallsShow,
  CallsCancel,
  KeyNew,
  KeyList,
  KeyRevoke,
  KeyRotate,
  KeyLogins,
  KeyLogout,
  KeyLink,
  ConfigCheck,
  ConfigShow,
  ConfigReload,
  ClientConfig,
  PluginCheck,
  PluginNew,
  SkillCheck,
  SkillNew,
  Dev,
  Upstreams,
  UpstreamsTest,
  UpstreamsRestart,
  UpstreamsRefresh,
  UpstreamsDiff,
  UpstreamsAccept,
  UpstreamsLogin,
  UpstreamsLogout,
  UpstreamsImport,
  UpstreamsAdd,
  UpstreamsRemove,
  Webhooks,
  WebhooksAdd,
  WebhooksRemove,
  WebhooksTest,
  WebhooksDead,
  WebhooksReplay,
  Version
};

// The options of `upstream add`.
struct NewUpstream {
  std::string url;
  std::string openapi;  // a path or URL; empty: the upstream is an MCP server
  std::vector<std::string> origins;
  std::vector<std::string> credentials;  // SCHEME=${VARIABLE}
  std::vector<std::string> env;          // NAME=VALUE
  std::vector<std::string> headers;      // NAME=VALUE
  std::string cwd;
  std::string pin;  // empty: the `pin` of [upstreams]
};

struct CommandLine {
  Verb verb = Verb::Version;
  std::string commit;  // the commit of this program's sources; empty: unknown

  // Every command that needs a configuration uses this option.
  std::optional<std::filesystem::path> config;
  std::vector<std::filesystem::path> plugin_dirs;  // replace the configured folders
  std::vector<std::filesystem::path> skill_dirs;
  bool json = false;

  bool stdio = false;                 // serve
  std::optional<std::string> listen;  // serve: the address; key link: the address of the console
  std::optional<std::filesystem::path> page_dir;  // serve
  std::string agent;                              // NAME of [agent.NAME]; empty: no agent
  std::string tool;                               // call, explain, upstream accept
  // The words at the end of the command line. For `call` and `explain`, the words are one JSON
  // object, or name=value pairs. For `upstream add`, the words are the upstream's command and its
  // arguments.
  std::vector<std::string> arguments;
  std::vector<std::string> attachments;   // call: FILE or FILE;TYPE
  std::vector<std::string> values;        // call: NAME=TEXT
  std::vector<std::string> entries;       // call: TYPE=JSON
  std::optional<std::string> tool_class;  // tools
  bool files = false;                     // plugins: load the files instead of asking a host
  bool prompt = false;                    // skills
  bool always = false;                    // approvals approve: also approve such calls from now on
  std::optional<std::string> always_for;  // approvals approve: session, agent or host
  bool all = false;         // approvals: list also decided requests; key logout: all logins
  bool reject_all = false;  // approvals reject: all pending requests, or those of `principal`
  std::string approval;     // approvals: an id
  std::optional<std::string> edited;  // approvals approve: the changed arguments, a JSON object
  std::string answer;                 // approvals answer: a text
  std::string note;                   // approvals: the reason, which the caller gets
  std::string code;                   // approvals approve, totp confirm: a one-time code
  std::string client;                 // client-config
  std::optional<std::string> http;    // client-config: the URL of a running host

  std::filesystem::path path = ".";  // plugin check: a library; skill check, dev: a folder
  std::string settings = "{}";       // plugin check: JSON object
  bool call_all = false;             // plugin check: call also tools that are not read-only
  bool strict = false;               // plugin check, skill check: treat warnings as errors
  std::string name;  // plugin new, skill new, plugins reload, plugins release: a plugin or skill.
                     // Key new: a principal. Key revoke, key rotate and key logout: an id.
  NewUpstream upstream;                // upstream add
  bool write = false;                  // upstream import: write into the configuration file
  bool whole = false;                  // upstream diff, skills diff, calls show: print everything
  std::string digest;                  // upstream accept: the digest that `upstream diff` printed
  std::optional<std::string> expires;  // key new, rotate: lifetime of the new key
  std::string overlap = "1d";          // key rotate: how long the old key stays valid
  std::string principal;               // audit, key logout, approvals reject: a principal
  std::string outcome;                 // audit
  std::string event;                   // audit
  std::string called_as;               // audit: an agent
  std::string since;                   // audit
  std::string until;                   // audit
  std::uint32_t limit = 100;           // audit, calls
  std::string session;                 // calls: list only calls of this session
  std::optional<std::string> state;    // calls: PENDING, PROCESSING, COMPLETE or ERROR
  std::vector<std::string> scopes;     // key new
  std::string language = "cpp";        // plugin new
  std::filesystem::path into = ".";    // plugin new, skill new: the parent folder
  bool with_key = false;               // client-config
  std::optional<std::filesystem::path> state_dir;  // dev: state folder; unset: a temporary folder
  std::optional<std::string> command;              // dev: replaces the detected build command
  std::uint64_t audit_from = 1;                    // audit verify: the first line that must exist
  std::vector<std::string> call;                   // dev: the first call: a tool and its arguments
  std::string explained_code;                      // plugin check: the code to explain
  std::string url;                                 // webhooks add
  std::vector<std::string> events;                 // webhooks add: types
  std::string covers = "principal";                // webhooks add

  // run() sets this field to true if the configuration file has a fault in another section. The
  // command then has only the keys of config::operating_part().
  bool has_operating_part_only = false;
};

// The command that the user gave. If the parser has printed help or an error, there is no command,
// and the program ends with `exit_code`.
struct Parsed {
  std::optional<CommandLine> command;
  int exit_code = 0;
};
Parsed parse_command_line(int argc, const char* const* argv, std::string commit = {});

// Returns what --version prints.
std::string version_text(const std::string& commit);

}  // namespace host::cli
