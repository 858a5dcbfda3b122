#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/version.h"
#include "base/text/nearest.h"
#include "cli/output/exit_code.h"
#include "config/listen_address.h"

namespace host::cli {
namespace {

// One value each time, so that what follows is a tool's name or an argument; repeated for several.
template <class Value>
CLI::Option* add_repeated(CLI::App& verb, const char* name, std::vector<Value>& into,
                          const char* what) {
  return verb.add_option(name, into, what)->take_all()->allow_extra_args(false);
}

void add_common(CLI::App& verb, CommandLine& line) {
  verb.add_option("--config", line.config, "The configuration file")->type_name("FILE");
  add_repeated(verb, "--plugins", line.plugin_dirs,
               "A folder of plugins, instead of the configured ones; repeat it for several")
      ->type_name("DIR");
  add_repeated(verb, "--skills", line.skill_dirs,
               "A folder of skills, instead of the configured ones; repeat it for several")
      ->type_name("DIR");
}

std::string not_an_address(const std::string& text) {
  const char* const expected = config::listen_form(text);
  return expected ? "\"" + text + "\" is not an address: expected " + expected : std::string();
}

void add_listen(CLI::App& verb, CommandLine& line, const char* what) {
  verb.add_option("--listen", line.listen, what)->type_name("ADDR:PORT")->check(not_an_address);
}

void add_json(CLI::App& verb, CommandLine& line) {
  verb.add_flag("--json", line.json, "Print JSON");
}

// An empty name would be no agent: the limits that were asked for would not apply.
std::string not_a_name(const std::string& text) {
  return text.empty() ? "expected the name of an agent" : std::string();
}

CLI::Option* add_agent(CLI::App& verb, CommandLine& line, const char* what) {
  return verb.add_option("--agent", line.agent, what)->type_name("NAME")->check(not_a_name);
}

void add_tool_and_arguments(CLI::App& verb, CommandLine& line) {
  verb.add_option("tool", line.tool, "The tool's name")->required();
  verb.add_option("arguments", line.arguments,
                  "One JSON object, or name=value (a value that is not JSON is text)");
}

CLI::App* add(CLI::App& parent, CommandLine& line, const char* name, const char* what, Verb verb) {
  CLI::App* made = parent.add_subcommand(name, what);
  made->callback([&line, verb] { line.verb = verb; });
  return made;
}

// An option in front of a verb below `parent` that this verb would ignore.
void refuse_with_verb(CLI::App& parent, std::initializer_list<const char*> options) {
  const auto below = parent.get_subcommands();
  if (below.empty()) return;
  for (const char* const name : options) {
    if (parent.get_option(name)->count() > 0)
      throw CLI::ExcludesError(name, below.front()->get_name());
  }
}

// `toolpost rules list` is `toolpost rules`: people who know `toolpost key list` type it.
CLI::App* add_list(CLI::App& of, CommandLine& line, const char* what, Verb verb) {
  CLI::App* list = add(of, line, "list", what, verb);
  add_common(*list, line);
  add_json(*list, line);
  return list;
}

void add_approvals(CLI::App& app, CommandLine& line) {
  CLI::App* approvals = app.add_subcommand("approvals", "List pending approvals and answer them");
  approvals->callback([approvals, &line] {  // runs after those of the verbs below it
    if (approvals->get_subcommands().empty()) line.verb = Verb::Approvals;
    refuse_with_verb(*approvals, {"--all"});
  });
  add_common(*approvals, line);
  approvals->add_flag("--all", line.all, "Include settled approvals");
  add_json(*approvals, line);
  approvals->require_subcommand(0, 1);
  add_list(*approvals, line, "List pending approvals", Verb::Approvals)
      ->add_flag("--all", line.all, "Include settled approvals");
  const auto some = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(*approvals, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = some(name, what, verb);
    made->add_option("id", line.approval, "The approval's id")->required();
    return made;
  };
  add_json(*one("show", "Show one approval in full", Verb::ApprovalsShow), line);
  CLI::App* approve = one("approve", "Approve one run of the call", Verb::ApprovalsApprove);
  approve->add_option("--arguments", line.edited,
                      "Run with these arguments instead: one JSON object");
  approve->add_flag(
      "--always", line.always,
      "Also store the rules that `show` suggests, so that such calls run from now on");
  approve
      ->add_option(
          "--always-for", line.always_for,
          "Apply the stored rules to calls of this principal as the same agent (the default), of "
          "this session, of this agent, or of everybody (host)")
      ->check(CLI::IsMember({"principal", "session", "agent", "host"}));
  approve->add_option("--code", line.code,
                      "The one-time code or recovery code that a priv_ tool needs");
  approve->add_option("--note", line.note, "A note to keep with the answer");
  add_json(*approve, line);
  CLI::App* reject = some("reject", "Reject one call, or all that wait", Verb::ApprovalsReject);
  CLI::Option* id = reject->add_option("id", line.approval, "The approval's id");
  CLI::Option* all =
      reject->add_flag("--all", line.reject_all, "Reject all pending approvals")->excludes(id);
  reject->add_option("--principal", line.principal, "With --all: only those of this principal")
      ->type_name("NAME")
      ->needs(all);
  reject->add_option("--note", line.note, "The reason, which the caller can read");
  CLI::App* answer = one("answer", "Answer a question of ask_user", Verb::ApprovalsAnswer);
  answer->add_option("text", line.answer, "The answer, or one of the question's options")
      ->required();
  add_json(*answer, line);
}

void add_keys(CLI::App& app, CommandLine& line) {
  CLI::App* key = app.add_subcommand("key", "Keys: who may call, approve and change this host");
  key->require_subcommand(1);
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(*key, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  CLI::App* fresh = one("new", "Make a key and print it, this once", Verb::KeyNew);
  fresh->add_option("principal", line.name, "Whose calls it makes: letters, digits, . - _")
      ->required();
  add_repeated(*fresh, "--scope", line.scopes,
               "call, approve or admin; more than once for several (default: call)")
      ->check(CLI::IsMember({"call", "approve", "admin"}));
  add_agent(*fresh, line, "The agent as which it calls, and as no other");
  fresh
      ->add_option("--expires", line.expires,
                   "How long it is valid: 90d, 12h, 30m, 2w (default: until it is revoked)")
      ->type_name("LENGTH");
  add_json(*fresh, line);
  add_json(*one("list", "List the keys, without their secrets", Verb::KeyList), line);
  one("revoke", "End a key, and the logins made with it", Verb::KeyRevoke)
      ->add_option("id", line.name, "The key's id")
      ->required();
  CLI::App* rotated =
      one("rotate", "Make a key that replaces another, and print it, this once", Verb::KeyRotate);
  rotated->add_option("id", line.name, "The id of the key to replace")->required();
  rotated->add_option("--overlap", line.overlap, "How long the old key stays valid (default: 1d)")
      ->type_name("LENGTH");
  rotated
      ->add_option("--expires", line.expires,
                   "How long the new key is valid (default: as long as the old key was)")
      ->type_name("LENGTH");
  add_json(*rotated, line);
  add_json(*one("logins", "List the logins to the page", Verb::KeyLogins), line);
  CLI::App* ended = one("logout", "End a login to the page, or several", Verb::KeyLogout);
  CLI::Option_group* which = ended->add_option_group("which");
  which->add_option("id", line.name, "The login's id");
  which->add_option("--principal", line.principal, "Every login of this principal");
  which->add_flag("--all", line.all, "Every login");
  which->require_option(1);
  CLI::App* link = one("link", "Print a link that opens the page, once", Verb::KeyLink);
  add_listen(*link, line, "Where the host listens, if not as configured");
}

void add_codes(CLI::App& app, CommandLine& line) {
  CLI::App* totp =
      app.add_subcommand("totp", "Manage one-time codes, which calls of priv_ tools need");
  totp->require_subcommand(1);
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(*totp, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  const auto of_one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = one(name, what, verb);
    made->add_option("principal", line.name, "The principal")->required();
    return made;
  };
  add_json(*of_one("enroll", "Make a secret for an authenticator app and print it, once",
                   Verb::TotpEnroll),
           line);
  of_one("confirm", "Confirm the secret with a first code; codes are accepted from then on",
         Verb::TotpConfirm)
      ->add_option("code", line.code, "The code")
      ->required();
  add_json(*one("list", "List the principals that have codes", Verb::TotpList), line);
  of_one("unlock", "Accept codes again after too many wrong ones", Verb::TotpUnlock);
  of_one("remove", "Forget a principal's secret and recovery codes", Verb::TotpRemove);
}

void add_rules(CLI::App& app, CommandLine& line) {
  CLI::App* rules = app.add_subcommand(
      "rules", "List the rules of the configuration and those stored by \"always\"");
  rules->callback([rules, &line] {  // runs after that of the verb below it
    if (rules->get_subcommands().empty()) line.verb = Verb::Rules;
  });
  add_common(*rules, line);
  add_json(*rules, line);
  rules->require_subcommand(0, 1);
  add_list(*rules, line, "List the rules", Verb::Rules);
  CLI::App* remove = add(*rules, line, "remove", "Remove a stored rule", Verb::RulesRemove);
  add_common(*remove, line);
  remove->add_option("id", line.name, "The rule's id")->required();
}

void add_webhooks(CLI::App& app, CommandLine& line) {
  CLI::App* webhooks = app.add_subcommand("webhooks", "List and control the receivers of events");
  webhooks->callback([webhooks, &line] {  // runs after that of the verb below it
    if (webhooks->get_subcommands().empty()) line.verb = Verb::Webhooks;
  });
  add_common(*webhooks, line);
  add_json(*webhooks, line);
  webhooks->require_subcommand(0, 1);
  add_list(*webhooks, line, "List the webhooks", Verb::Webhooks);
  CLI::App* made =
      add(*webhooks, line, "add", "Register a receiver and print its secret", Verb::WebhooksAdd);
  add_common(*made, line);
  add_json(*made, line);
  made->add_option("url", line.url, "The receiver's URL")->required();
  made->add_option("--events", line.events, "The types of events, separated by commas")
      ->type_name("TYPE,...")
      ->delimiter(',')
      ->required();
  made->add_option("--principal", line.principal,
                   "The owner, whose calls it covers (default: local, clients without a key)")
      ->type_name("NAME");
  made->add_option("--covers", line.covers,
                   "named: only calls whose session or request names it; principal: all calls of "
                   "the owner (the default); all: calls of all principals")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"named", "principal", "all"}));
  made->add_option("--description", line.note, "A text for people")->type_name("TEXT");
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* sub = add(*webhooks, line, name, what, verb);
    add_common(*sub, line);
    sub->add_option("id", line.name, "The webhook's id")->required();
    return sub;
  };
  one("remove", "Remove a webhook with its deliveries", Verb::WebhooksRemove);
  one("test", "Send a webhook.test event from this machine", Verb::WebhooksTest);
  add_json(*one("dead", "List the dead letters of a webhook", Verb::WebhooksDead), line);
  one("replay", "Deliver dead letters again", Verb::WebhooksReplay)
      ->add_option("event", line.arguments, "Ids of events (default: all dead letters)");
}

void add_sessions(CLI::App& app, CommandLine& line) {
  CLI::App* sessions = app.add_subcommand("sessions", "List the stored sessions of clients");
  sessions->callback([sessions, &line] {  // runs after that of the verb below it
    if (sessions->get_subcommands().empty()) line.verb = Verb::Sessions;
  });
  add_common(*sessions, line);
  add_json(*sessions, line);
  sessions->require_subcommand(0, 1);
  add_list(*sessions, line, "List the stored sessions", Verb::Sessions);
  CLI::App* show =
      add(*sessions, line, "show", "Show the settings of a session", Verb::SessionsShow);
  add_common(*show, line);
  add_json(*show, line);
  show->add_option("id", line.name, "The session's id")->required();
  CLI::App* end = add(*sessions, line, "end", "End a session; its client must begin a new one",
                      Verb::SessionsEnd);
  add_common(*end, line);
  end->add_option("id", line.name, "The session's id")->required();
}

void add_call_filters(CLI::App& list, CommandLine& line) {
  list.add_option("--session", line.session, "Only calls of this session")->type_name("ID");
  list.add_option("--state", line.state, "Only calls in this state")
      ->type_name("STATE")
      ->check(CLI::IsMember({"PENDING", "PROCESSING", "COMPLETE", "ERROR"}));
  list.add_option("--limit", line.limit, "At most this many (default: 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
}

void add_calls(CLI::App& app, CommandLine& line) {
  CLI::App* calls = app.add_subcommand("calls", "List and cancel calls that outlive their request");
  calls->callback([calls, &line] {  // runs after that of the verb below it
    if (calls->get_subcommands().empty()) line.verb = Verb::Calls;
    refuse_with_verb(*calls, {"--session", "--state", "--limit"});
  });
  add_common(*calls, line);
  add_json(*calls, line);
  add_call_filters(*calls, line);
  calls->require_subcommand(0, 1);
  CLI::App* list = add_list(*calls, line, "List the stored calls, the newest first", Verb::Calls);
  add_call_filters(*list, line);
  CLI::App* show = add(*calls, line, "show", "Show the state of a call", Verb::CallsShow);
  add_common(*show, line);
  add_json(*show, line);
  show->add_option("id", line.name, "The call's id")->required();
  CLI::App* cancel =
      add(*calls, line, "cancel", "Have the running host cancel a call", Verb::CallsCancel);
  add_common(*cancel, line);
  cancel->add_option("id", line.name, "The call's id")->required();
}

void add_plugins(CLI::App& app, CommandLine& line) {
  CLI::App* plugins = app.add_subcommand("plugins",
                                         "Show the plugins of the running host; without one, load "
                                         "their files and show how each loads");
  plugins->callback([plugins, &line] {  // runs after those of the verbs below it
    if (plugins->get_subcommands().empty()) line.verb = Verb::Plugins;
    refuse_with_verb(*plugins, {"--files", "--plugins", "--skills"});
  });
  add_common(*plugins, line);
  add_json(*plugins, line);
  plugins->add_flag("--files", line.files, "Load the files even if a host runs");
  plugins->require_subcommand(0, 1);
  add_list(*plugins, line, "List the plugins", Verb::Plugins)
      ->add_flag("--files", line.files, "Load the files even if a host runs");
  const auto order = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(*plugins, line, name, what, verb);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    made->add_option("name", line.name, "The plugin's name")->required();
  };
  order("reload", "Have the running host load a plugin's file again", Verb::PluginsReload);
  order("release", "Have the running host lift a plugin's quarantine", Verb::PluginsRelease);
}

void add_skills(CLI::App& app, CommandLine& line) {
  CLI::App* skills =
      app.add_subcommand("skills", "List the skills, which skill hides which, and errors in them");
  skills->callback([skills, &line] {  // runs after those of the verbs below it
    if (skills->get_subcommands().empty()) line.verb = Verb::Skills;
    refuse_with_verb(*skills, {"--agent", "--plugins", "--prompt", "--skills"});
  });
  add_common(*skills, line);
  add_agent(*skills, line, "Show the skills that this agent can read");
  skills->add_flag("--prompt", line.prompt, "Print the list of skills as a model sees it");
  add_json(*skills, line);
  skills->require_subcommand(0, 1);
  const auto of_one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(*skills, line, name, what, verb);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    made->add_option("name", line.name, "The repository's name in [[skill_repository]]")
        ->required();
    return made;
  };
  of_one("pull", "Pull a Git repository of skills", Verb::SkillsPull);
  of_one("diff", "Show skills that changed and wait for your decision", Verb::SkillsDiff)
      ->add_flag("--whole", line.whole, "Show all lines, also of long differences");
  CLI::App* accept = of_one("accept", "Serve changed skills from now on", Verb::SkillsAccept);
  accept->add_option("skill", line.tool, "The folder of a skill (default: all that wait)");
  accept
      ->add_option("--digest", line.digest,
                   "The digest that `toolpost skills diff` showed. If another version waits now, "
                   "nothing is accepted")
      ->type_name("DIGEST")
      ->required();
}

void add_new_upstream(CLI::App& verb, CommandLine& line) {
  verb.add_option("command", line.arguments,
                  "After --: the program and its arguments. No shell reads them");
  verb.add_option("--url", line.upstream.url, "The URL of a server, in place of a command")
      ->type_name("URL");
  add_repeated(verb, "--env", line.upstream.env,
               "A variable of its environment. The value '${NAME}' is read from the host's "
               "environment. Repeat it for more")
      ->type_name("NAME=VALUE");
  add_repeated(verb, "--header", line.upstream.headers,
               "A header of each request. Its value may end with '${NAME}', as in --env. Repeat it "
               "for more")
      ->type_name("NAME=VALUE");
  verb.add_option("--cwd", line.upstream.cwd, "The folder in which the program starts")
      ->type_name("FOLDER");
  verb.add_option("--pin", line.upstream.pin, "When its definitions are accepted")
      ->check(CLI::IsMember({"tofu", "review", "off"}));
}

void add_upstreams(CLI::App& app, CommandLine& line) {
  CLI::App* upstreams =
      app.add_subcommand("upstream", "Show and control the MCP servers behind this host");
  upstreams->require_subcommand(1);
  const auto verb = [&](const char* name, const char* what, Verb of) {
    CLI::App* made = add(*upstreams, line, name, what, of);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    return made;
  };
  const auto of_one = [&](const char* name, const char* what, Verb of) {
    CLI::App* made = verb(name, what, of);
    made->add_option("name", line.name, "The upstream's name")->required();
    return made;
  };
  verb("list", "Show the upstreams of the running host; without one, of the configuration",
       Verb::Upstreams);
  of_one("test", "Start an upstream, show what it offers, and end it", Verb::UpstreamsTest);
  of_one("restart", "Have the running host end an upstream and start it again",
         Verb::UpstreamsRestart);
  of_one("refresh", "Have the running host read an upstream's tools again", Verb::UpstreamsRefresh);
  of_one("login", "Log the running host in at an upstream with auth = \"oauth\", in your browser",
         Verb::UpstreamsLogin);
  of_one("logout", "Have the running host forget and revoke its login at an upstream",
         Verb::UpstreamsLogout);
  CLI::App* diff =
      verb("diff", "Show definitions that changed and wait for your decision", Verb::UpstreamsDiff);
  diff->add_option("name", line.name, "The upstream's name (default: all)");
  diff->add_flag("--whole", line.whole,
                 "Print the whole definitions, the accepted and the new one, not what differs");
  CLI::App* accept =
      of_one("accept", "Serve changed definitions from now on", Verb::UpstreamsAccept);
  accept->add_option("tool", line.tool,
                     "The name of a tool, without mcp__NAME__ (default: all that wait)");
  accept
      ->add_option("--digest", line.digest,
                   "The digest that `toolpost upstream diff` showed. If another definition waits "
                   "now, nothing is accepted")
      ->type_name("DIGEST")
      ->required();
  CLI::App* import =
      add(*upstreams, line, "import",
          "Print the servers in a file of Claude, Cursor or VS Code as [[upstream]] sections",
          Verb::UpstreamsImport);
  import->add_option("file", line.path, "For example .mcp.json")->required();
  CLI::Option* const write =
      import->add_flag("--write", line.write, "Add them to the configuration file");
  import->add_option("--config", line.config, "The configuration file")
      ->type_name("FILE")
      ->needs(write);
  of_one("remove", "Remove an upstream from the configuration file", Verb::UpstreamsRemove);
  add_new_upstream(*of_one("add", "Add an upstream to the configuration file", Verb::UpstreamsAdd),
                   line);
}

void add_strict(CLI::App& verb, CommandLine& line) {
  verb.add_flag("--strict", line.strict, "Exit with 3 for warnings too");
}

void add_settings(CLI::App& verb, CommandLine& line) {
  verb.add_option("--settings", line.settings, "The plugin's settings, one JSON object")
      ->type_name("JSON");
}

void add_name(CLI::App& verb, CommandLine& line, const char* what) {
  verb.add_option("name", line.name, what)->required();
  verb.add_option("--in", line.into, "The folder to create it in (default: the current folder)")
      ->type_name("DIR");
}

void add_authors_verbs(CLI::App& app, CommandLine& line) {
  CLI::App* plugin = app.add_subcommand("plugin", "Create or check a plugin");
  plugin->require_subcommand(1);
  CLI::App* check =
      add(*plugin, line, "check", "Check a plugin's library for errors and likely mistakes",
          Verb::PluginCheck);
  CLI::Option* const file = check->add_option("file", line.path, "The library")->type_name("FILE");
  CLI::Option* const code =
      check->add_option("--explain", line.explained_code, "Explain a code and check no library")
          ->type_name("CODE")
          ->excludes(file)
          ->check([](const std::string& text) {
            return text.empty() ? "expected a code" : std::string();
          });
  check->callback([file, code, &line] {  // in the place of that of add()
    if (file->count() == 0 && code->count() == 0) throw CLI::RequiredError("file");
    line.verb = Verb::PluginCheck;
  });
  add_settings(*check, line);
  check->add_flag("--call", line.call_all,
                  "Also call tools that are not read-only, with example arguments");
  add_strict(*check, line);
  add_json(*check, line);
  CLI::App* fresh =
      add(*plugin, line, "new", "Create a project with a plugin that builds", Verb::PluginNew);
  add_name(*fresh, line, "a to z, 0 to 9, _ and -");
  fresh->add_option("--lang", line.language, "cpp, c or rust (default: cpp)")
      ->check(CLI::IsMember({"cpp", "c", "rust"}));

  CLI::App* dev = add(app, line, "dev", "Build a plugin at every save and serve it", Verb::Dev);
  dev->add_option("folder", line.path, "The project (default: the current folder)")
      ->type_name("DIR");
  dev->add_option("--config", line.config,
                  "The configuration file (default: none, only the built-in defaults)")
      ->type_name("FILE");
  add_listen(*dev, line, "Where to listen; port 0 takes a free one");
  dev->add_option("--state-dir", line.state_dir,
                  "Keep the store and the audit in this folder (default: a temporary folder)")
      ->type_name("DIR");
  dev->add_option("--build-command", line.command,
                  "How to build, instead of CMake or cargo: one program and its arguments")
      ->type_name("COMMAND");
  dev->add_option("--call", line.call,
                  "A tool and its arguments to call after each build, until a client calls a tool")
      ->type_name("TOOL")
      ->expected(1, -1);

  CLI::App* skill = app.add_subcommand("skill", "Create or check skills");
  skill->require_subcommand(1);
  CLI::App* look =
      add(*skill, line, "check", "Check a skill, or a folder of skills", Verb::SkillCheck);
  look->add_option("folder", line.path, "The folder")->required()->type_name("DIR");
  add_strict(*look, line);
  add_json(*look, line);
  CLI::App* begun = add(*skill, line, "new", "Create a folder with a SKILL.md", Verb::SkillNew);
  add_name(*begun, line, "a to z, 0 to 9 and single hyphens");
}

// Whatever else stands in its place may be a secret, such as a key.
bool looks_like_a_command(std::string_view word) {
  return word.size() <= 24 && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || c == '-';
         });
}

// Why a word where a subcommand stands is none; empty: each is one. CLI11 would only say that a
// subcommand is missing.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::vector<std::string_view> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* each : at->get_subcommands([](const CLI::App*) { return true; })) {
      if (each->get_name().empty()) continue;  // a group of options
      names.push_back(each->get_name());
      if (word == names.back()) next = each;
    }
    if (names.empty() || word.starts_with('-')) break;
    if (next == nullptr) {
      const bool may_be_shown = looks_like_a_command(word);
      return "unknown command" + (may_be_shown ? " \"" + std::string(word) + '"' : std::string()) +
             ": " + suggest(may_be_shown ? word : std::string_view(), names);
    }
    at = next;
  }
  return {};
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Serves tool plugins and skills to AI agents over MCP.", "toolpost");
  app.require_subcommand(1);
  app.set_version_flag("--version", [] { return "toolpost " + std::string(app::kVersion); });
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 errors found in a configuration or by a check, 4 "
      "not "
      "found, 5 denied, 6 timeout.");
  const auto add = [&](CLI::App& parent, const char* name, const char* what, Verb verb) {
    return cli::add(parent, line, name, what, verb);
  };

  CLI::App* serve =
      add(app, "serve", "Run the host, on HTTP at 127.0.0.1:8808 or on standard input and output",
          Verb::Serve);
  add_common(*serve, line);
  CLI::Option* const stdio = serve->add_flag(
      "--stdio", line.stdio, "Serve MCP on standard input and output instead of HTTP");
  add_agent(*serve, line, "With --stdio: serve the client as this agent of the configuration")
      ->needs(stdio);
  add_listen(*serve, line, "Where to listen; port 0 takes a free one");
  serve
      ->add_option("--page-dir", line.page_dir,
                   "Serve the console's files from here instead of the built-in ones")
      ->type_name("DIR");

  CLI::App* call =
      add(app, "call", "Call one tool with this configuration and print its result", Verb::Call);
  add_common(*call, line);
  add_agent(*call, line, "Call as this agent of the configuration");
  add_tool_and_arguments(*call, line);
  add_repeated(*call, "--attach", line.attachments,
               "A file that the plugin may read: FILE or FILE;CONTENT-TYPE");
  add_repeated(*call, "--value", line.values, "A text that the plugin can look up: NAME=TEXT");
  add_repeated(*call, "--entry", line.entries, "A typed entry for the plugin: TYPE=JSON");
  add_json(*call, line);

  CLI::App* tools = add(app, "tools", "List the tools that a client can see", Verb::Tools);
  add_common(*tools, line);
  add_agent(*tools, line, "Show the tools that this agent can see");
  tools->add_option("--class", line.tool_class, "Only tools of this class, including hidden ones")
      ->check(CLI::IsMember({"standard", "internal", "pre", "post", "private", "upstream"}));
  add_json(*tools, line);

  add_plugins(app, line);
  add_upstreams(app, line);

  add_skills(app, line);

  CLI::App* explain =
      add(app, "explain", "Show which rule would decide a call, and why", Verb::Explain);
  add_common(*explain, line);
  add_agent(*explain, line, "Explain a call by this agent");
  add_tool_and_arguments(*explain, line);
  add_json(*explain, line);

  CLI::App* doctor =
      add(app, "doctor",
          "Check the configuration, its files and its plugins for errors and likely mistakes; no "
          "running host is asked",
          Verb::Doctor);
  add_common(*doctor, line);
  add_json(*doctor, line);

  CLI::App* audit =
      app.add_subcommand("audit", "Find what was called and who did what, the newest first");
  audit->callback([audit, &line] {  // runs after those of the verbs below it
    if (audit->get_subcommands().empty()) line.verb = Verb::Audit;
  });
  add_common(*audit, line);
  audit->add_option("--principal", line.principal, "Only of this principal");
  audit->add_option("--agent", line.called_as, "Only calls as this agent");
  audit->add_option("--tool", line.tool, "Only of this tool, resource or prompt");
  audit->add_option("--outcome", line.outcome, "Only what ended so: ok, denied, tool_error ...");
  audit->add_option("--event", line.event,
                    "Only of this kind: call, login, approval, code, start ...");
  audit->add_option("--since", line.since,
                    "Nothing older: a time in UTC, or how one begins: 2026-11-21T20");
  audit->add_option("--until", line.until, "Only what is older than that");
  audit->add_option("--limit", line.limit, "At most so many (default: 100)")
      ->check(CLI::Range(1, 100000));
  add_json(*audit, line);
  audit->require_subcommand(0, 1);
  CLI::App* verify =
      add(*audit, "verify", "Check that no line of the audit was changed, added or removed",
          Verb::AuditVerify);
  add_common(*verify, line);
  verify
      ->add_option("--from", line.audit_from,
                   "The number of the first line that must be there, if you archived older files "
                   "(default: 1)")
      ->type_name("LINE")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62u));
  add_json(*verify, line);

  add_approvals(app, line);
  add_rules(app, line);
  add_webhooks(app, line);
  add_sessions(app, line);
  add_calls(app, line);
  add_keys(app, line);
  add_codes(app, line);

  CLI::App* config = app.add_subcommand("config", "Check or show the configuration");
  config->require_subcommand(1);
  CLI::App* check = add(*config, "check", "Check a configuration file", Verb::ConfigCheck);
  add_common(*check, line);
  add_json(*check, line);
  CLI::App* show = add(*config, "show", "Print the effective configuration", Verb::ConfigShow);
  add_common(*show, line);
  CLI::App* reload =
      add(*config, "reload", "Have the running host read its configuration file again",
          Verb::ConfigReload);
  reload->add_option("--config", line.config, "The configuration file")->type_name("FILE");
  add_json(*reload, line);

  CLI::App* client =
      add(app, "client-config", "Print the configuration for an MCP client", Verb::ClientConfig);
  client->add_option("client", line.client, "claude, vscode or cursor")
      ->required()
      ->check(CLI::IsMember({"claude", "vscode", "cursor"}));
  client->add_option("--config", line.config, "The configuration file of the host")
      ->type_name("FILE");
  add_agent(*client, line, "Serve the client as this agent of the configuration");
  CLI::Option* http =
      client
          ->add_option("--http", line.http,
                       "Connect to the running host at this address instead of starting one")
          ->type_name("URL");
  client
      ->add_flag("--key", line.with_key,
                 "Show where the key goes, as for an agent that needs one (with --http)")
      ->needs(http);

  add_authors_verbs(app, line);

  CLI::App* version = add(app, "version", "Print the version", Verb::Version);
  add_json(*version, line);

  if (const std::string unknown = unknown_command(app, argc, argv); !unknown.empty()) {
    std::cerr << unknown << "\nRun with --help for more information.\n";
    return {std::nullopt, kExitUsage};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == 0;
    app.exit(error);
    return {std::nullopt, asked_for_help ? kExitOk : kExitUsage};
  }
  return {std::move(line), kExitOk};
}

}  // namespace host::cli
