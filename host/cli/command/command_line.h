// Parses the command line of `toolpost`, and checks it. Of the whole host, only the files of this
// folder use CLI11.
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

// A NewUpstream contains the options of `upstream add`.
struct NewUpstream {
  std::string url;
  std::string openapi;  // a path or URL; empty: the upstream is an MCP server
  std::vector<std::string> origins;
  std::vector<std::string> credentials;  // each in the form SCHEME=${VARIABLE}
  std::vector<std::string> env;          // each in the form NAME=VALUE
  std::vector<std::string> headers;      // each in the form NAME=VALUE
  std::string cwd;
  std::string pin;  // empty: the `pin` of [upstreams]
};

struct CommandLine {
  Verb verb = Verb::Version;
  std::string commit;  // the commit of this program's sources; empty: unknown

  // Every command that needs a configuration uses the option --config.
  std::optional<std::filesystem::path> config;
  std::vector<std::filesystem::path> plugin_dirs;  // used instead of the configured folders
  std::vector<std::filesystem::path> skill_dirs;
  bool json = false;

  bool stdio = false;                 // serve: on standard input and output
  std::optional<std::string> listen;  // serve: the address; key link: the address of the console
  std::optional<std::filesystem::path> page_dir;  // serve: folder of the console's files
  std::string agent;                              // NAME of [agent.NAME]; empty: no agent
  std::string tool;                               // a tool's name; skills accept: a skill's folder
  // `arguments` contains the words at the end of the command line, which belong to no option. For
  // `call` and `explain`, the words are one JSON object, or name=value pairs. For `upstream add`,
  // the words are the upstream's command and its arguments.
  std::vector<std::string> arguments;
  std::vector<std::string> attachments;   // call: FILE or FILE;TYPE
  std::vector<std::string> values;        // call: NAME=TEXT
  std::vector<std::string> entries;       // call: TYPE=JSON
  std::optional<std::string> tool_class;  // tools: list only tools of this class
  bool files = false;                     // plugins: load the files instead of asking a host
  bool prompt = false;                    // skills: print the list as a model sees it
  bool always = false;                    // approvals approve: also approve such calls from now on
  std::optional<std::string> always_for;  // approvals approve: where the rules apply
  bool all = false;         // approvals: list also decided requests; key logout: all logins
  bool reject_all = false;  // approvals reject: all pending requests, or those of `principal`
  std::string approval;     // approvals: the id of an approval request
  std::optional<std::string> edited;  // approvals approve: the changed arguments, a JSON object
  std::string answer;                 // approvals answer: a text
  std::string note;                   // approvals: the reason, which the caller gets
  std::string code;                   // approvals approve, totp confirm: a one-time code
  std::string client;                 // client-config: claude, vscode or cursor
  std::optional<std::string> http;    // client-config: the URL of a running host

  std::filesystem::path path = ".";  // plugin check: a library; skill check, dev: a folder
  std::string settings = "{}";       // plugin check: JSON object
  bool call_all = false;             // plugin check: call also tools that are not read-only
  bool strict = false;               // plugin check, skill check: treat warnings as errors
  // `name` is the name of a plugin, skill, upstream, repository or principal, or the id of a key,
  // login, rule, webhook, session or call.
  std::string name;
  NewUpstream upstream;                // upstream add: the new upstream
  bool write = false;                  // upstream import: write into the configuration file
  bool whole = false;                  // upstream diff, skills diff, calls show: print everything
  std::string digest;                  // upstream or skills accept: the digest that `diff` printed
  std::optional<std::string> expires;  // key new, rotate: lifetime of the new key
  std::string overlap = "1d";          // key rotate: how long the old key stays valid
  std::string principal;               // audit, key logout, approvals reject: a principal
  std::string outcome;                 // audit: show only lines with this outcome
  std::string event;                   // audit: show only lines with this event
  std::string called_as;               // audit: show only calls as this agent
  std::string since;                   // audit: show only lines from this time on
  std::string until;                   // audit: show only lines before this time
  std::uint32_t limit = 100;           // audit, calls: the most lines or calls to show
  std::string session;                 // calls: list only calls of this session
  std::optional<std::string> state;    // calls: PENDING, PROCESSING, COMPLETE or ERROR
  std::vector<std::string> scopes;     // key new: the scopes of the key
  std::string language = "cpp";        // plugin new: cpp, c or rust
  std::filesystem::path into = ".";    // plugin new, skill new: the parent folder
  bool with_key = false;               // client-config: refer to a key
  std::optional<std::filesystem::path> state_dir;  // dev: state folder; unset: a temporary folder
  std::optional<std::string> command;              // dev: replaces the detected build command
  std::uint64_t audit_from = 1;                    // audit verify: the first line that must exist
  std::vector<std::string> call;                   // dev: the first call: a tool and its arguments
  std::string explained_code;                      // plugin check: the code to explain
  std::string url;                                 // webhooks add: the receiver's URL
  std::vector<std::string> events;                 // webhooks add: the types of events
  std::string covers = "principal";                // webhooks add: named, principal or all

  // run() sets `has_operating_part_only` to true if the configuration file has a fault in another
  // section. If `has_operating_part_only` is true, the command gets only the keys of
  // config::operating_part().
  bool has_operating_part_only = false;
};

// The struct Parsed contains the command that the user gave. If the parser has printed help or an
// error, there is no command, and the program ends with `exit_code`.
struct Parsed {
  std::optional<CommandLine> command;
  int exit_code = 0;
};
Parsed parse_command_line(int argc, const char* const* argv, std::string commit = {});

// Returns what --version prints.
std::string version_text(const std::string& commit);

}  // namespace host::cli
