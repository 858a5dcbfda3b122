#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/version.h"
#include "base/text/nearest.h"
#include "cli/command/author_verbs.h"
#include "cli/command/operator_verbs.h"
#include "cli/command/shared_options.h"
#include "cli/output/exit_code.h"

namespace host::cli {
namespace {

void define_plugins(CLI::App& plugins, CommandLine& line) {
  plugins.callback([&plugins, &line] {  // runs after those of the verbs below it
    if (plugins.get_subcommands().empty()) line.verb = Verb::Plugins;
    refuse_with_verb(plugins, {"--files", "--plugins", "--skills"});
  });
  add_common(plugins, line);
  add_json(plugins, line);
  plugins.add_flag("--files", line.files, "Load the files even if a host runs");
  plugins.require_subcommand(0, 1);
  add_list(plugins, line, "List the plugins", Verb::Plugins)
      ->add_flag("--files", line.files, "Load the files even if a host runs");
  const auto order = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(plugins, line, name, what, verb);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    made->add_option("name", line.name, "The plugin's name")->required();
  };
  order("reload", "Have the running host load a plugin's file again", Verb::PluginsReload);
  order("release", "Have the running host lift a plugin's quarantine", Verb::PluginsRelease);
}

void define_skills(CLI::App& skills, CommandLine& line) {
  skills.callback([&skills, &line] {  // runs after those of the verbs below it
    if (skills.get_subcommands().empty()) line.verb = Verb::Skills;
    refuse_with_verb(skills, {"--agent", "--plugins", "--prompt", "--skills"});
  });
  add_common(skills, line);
  add_agent(skills, line, "Show the skills that this agent can read");
  skills.add_flag("--prompt", line.prompt, "Print the list of skills as a model sees it");
  add_json(skills, line);
  skills.require_subcommand(0, 1);
  const auto of_one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(skills, line, name, what, verb);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    made->add_option("name", line.name, "The repository's name in [[skill_repository]]")
        ->required();
    return made;
  };
  of_one("pull", "Pull a Git repository of skills", Verb::SkillsPull);
  of_one("diff", "Show skills that changed and wait for your decision", Verb::SkillsDiff)
      ->add_flag("--whole", line.whole, "Show all lines, even of long differences");
  CLI::App* accept =
      of_one("accept", "Accept changed skills, so that the host serves them", Verb::SkillsAccept);
  accept->add_option("skill", line.tool, "The folder of a skill (default: all skills that wait)");
  accept
      ->add_option("--digest", line.digest,
                   "The digest that `toolpost skills diff` showed. If another version waits now, "
                   "the command accepts nothing")
      ->type_name("DIGEST")
      ->required();
}

void add_new_upstream(CLI::App& verb, CommandLine& line) {
  verb.add_option("command", line.arguments,
                  "After --: the program and its arguments. No shell reads them");
  verb.add_option("--url", line.upstream.url, "The URL of a server, in place of a command")
      ->type_name("URL");
  verb.add_option("--openapi", line.upstream.openapi,
                  "The OpenAPI document of an HTTP API, in place of a command. Then --url is the "
                  "API's only server")
      ->type_name("FILE|URL");
  add_repeated(verb, "--origin", line.upstream.origins,
               "With --openapi: an origin of the API's servers. Repeat it for more")
      ->type_name("ORIGIN");
  add_repeated(verb, "--credential", line.upstream.credentials,
               "With --openapi: the value of a security scheme of the document. '${NAME}' is read "
               "from the host's environment. Repeat it for more")
      ->type_name("SCHEME='${NAME}'");
  add_repeated(
      verb, "--env", line.upstream.env,
      "Set an environment variable of the program. The value '${NAME}' is read from the host's "
      "environment. Repeat it for more")
      ->type_name("NAME=VALUE");
  add_repeated(verb, "--header", line.upstream.headers,
               "A header of each request. The value of the header may end with '${NAME}', as in "
               "--env. Repeat it for more")
      ->type_name("NAME=VALUE");
  verb.add_option("--cwd", line.upstream.cwd, "The folder in which the program starts")
      ->type_name("FOLDER");
  verb.add_option("--pin", line.upstream.pin,
                  "Which definitions of the upstream's tools the host serves without your decision")
      ->check(CLI::IsMember({"tofu", "review", "off"}));
}

void define_upstreams(CLI::App& upstreams, CommandLine& line) {
  upstreams.require_subcommand(1);
  const auto verb = [&](const char* name, const char* what, Verb of) {
    CLI::App* made = add(upstreams, line, name, what, of);
    made->add_option("--config", line.config, "The configuration file")->type_name("FILE");
    add_json(*made, line);
    return made;
  };
  const auto of_one = [&](const char* name, const char* what, Verb of) {
    CLI::App* made = verb(name, what, of);
    made->add_option("name", line.name, "The upstream's name")->required();
    return made;
  };
  verb(
      "list",
      "Show the upstreams of the running host; if no host runs, the upstreams of the configuration",
      Verb::Upstreams);
  of_one("test", "Start an upstream, show its tools, and end it", Verb::UpstreamsTest);
  of_one("restart", "Have the running host end an upstream and start it again",
         Verb::UpstreamsRestart);
  of_one("refresh", "Have the running host read an upstream's tools again", Verb::UpstreamsRefresh);
  of_one("login", "Log the running host in at an upstream with auth = \"oauth\", in your browser",
         Verb::UpstreamsLogin);
  of_one("logout", "Have the running host revoke and delete its login at an upstream",
         Verb::UpstreamsLogout);
  CLI::App* diff =
      verb("diff", "Show definitions that changed and wait for your decision", Verb::UpstreamsDiff);
  diff->add_option("name", line.name, "The upstream's name (default: all)");
  diff->add_flag("--whole", line.whole,
                 "Print the accepted and the new definition in full instead of their differences");
  CLI::App* accept = of_one("accept", "Accept changed definitions, so that the host serves them",
                            Verb::UpstreamsAccept);
  accept->add_option(
      "tool", line.tool,
      "The name of a tool, without mcp__NAME__ (default: all tools with waiting definitions)");
  accept
      ->add_option("--digest", line.digest,
                   "The digest that `toolpost upstream diff` showed. If the waiting definition has "
                   "changed since then, the command accepts nothing")
      ->type_name("DIGEST")
      ->required();
  CLI::App* import =
      add(upstreams, line, "import",
          "Print the servers in a file of Claude, Cursor or VS Code as [[upstream]] sections",
          Verb::UpstreamsImport);
  import->add_option("file", line.path, "The file to read, for example .mcp.json")->required();
  CLI::Option* const write =
      import->add_flag("--write", line.write, "Add the sections to the configuration file");
  import->add_option("--config", line.config, "The configuration file")
      ->type_name("FILE")
      ->needs(write);
  of_one("remove", "Remove an upstream from the configuration file", Verb::UpstreamsRemove);
  add_new_upstream(*of_one("add", "Add an upstream to the configuration file", Verb::UpstreamsAdd),
                   line);
}

void define_serve(CLI::App& serve, CommandLine& line) {
  set_verb(serve, line, Verb::Serve);
  add_common(serve, line);
  CLI::Option* const stdio = serve.add_flag(
      "--stdio", line.stdio, "Serve MCP on standard input and output instead of HTTP");
  add_agent(serve, line, "With --stdio: serve the client as this agent of the configuration")
      ->needs(stdio);
  add_listen(serve, line, "The address to listen on; port 0 means any free port");
  serve
      .add_option("--page-dir", line.page_dir,
                  "Serve the console's files from this folder instead of the built-in files")
      ->type_name("DIR");
}

void define_call(CLI::App& call, CommandLine& line) {
  set_verb(call, line, Verb::Call);
  add_common(call, line);
  add_agent(call, line, "Call as this agent of the configuration");
  add_tool_and_arguments(call, line);
  add_repeated(
      call, "--attach", line.attachments,
      "A file that the plugin may read: FILE or FILE;CONTENT-TYPE. The first file has the id "
      "file_1, the second file_2");
  add_context(call, line);
  add_json(call, line);
}

void define_tools(CLI::App& tools, CommandLine& line) {
  set_verb(tools, line, Verb::Tools);
  add_common(tools, line);
  add_agent(tools, line, "Show the tools that this agent can see");
  tools
      .add_option("--class", line.tool_class,
                  "List only tools of this class, including hidden tools")
      ->check(CLI::IsMember({"standard", "internal", "pre", "post", "private", "upstream"}));
  add_json(tools, line);
}

void define_explain(CLI::App& explain, CommandLine& line) {
  set_verb(explain, line, Verb::Explain);
  add_common(explain, line);
  add_agent(explain, line, "Explain a call by this agent");
  add_tool_and_arguments(explain, line);
  add_context(explain, line);
  add_json(explain, line);
}

void define_doctor(CLI::App& doctor, CommandLine& line) {
  set_verb(doctor, line, Verb::Doctor);
  add_common(doctor, line);
  add_json(doctor, line);
}

void define_audit(CLI::App& audit, CommandLine& line) {
  audit.callback([&audit, &line] {  // runs after those of the verbs below it
    if (audit.get_subcommands().empty()) line.verb = Verb::Audit;
  });
  add_common(audit, line);
  audit.add_option("--principal", line.principal, "Show only lines of this principal");
  audit.add_option("--agent", line.called_as, "Show only calls that were made as this agent");
  audit.add_option("--tool", line.tool, "Show only lines about this tool, resource or prompt");
  audit.add_option("--outcome", line.outcome,
                   "Show only lines with this outcome: ok, denied, tool_error ...");
  audit.add_option("--event", line.event,
                   "Show only lines with this event: call, login, approval, code, start ...");
  audit.add_option(
      "--since", line.since,
      "Show only lines from this time on: a time in UTC, or its beginning, like 2026-11-21T20");
  audit.add_option("--until", line.until,
                   "Show only lines before this time, in the same form as --since");
  audit.add_option("--limit", line.limit, "Show at most this many lines (default: 100)")
      ->check(CLI::Range(1, 100000));
  add_json(audit, line);
  audit.require_subcommand(0, 1);
  CLI::App* verify =
      add(audit, line, "verify", "Check that no line of the audit was changed, added or removed",
          Verb::AuditVerify);
  add_common(*verify, line);
  verify
      ->add_option("--from", line.audit_from,
                   "The number of the first line that must exist, if you moved older files away "
                   "(default: 1)")
      ->type_name("LINE")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62u));
  add_json(*verify, line);
}

void define_config(CLI::App& config, CommandLine& line) {
  config.require_subcommand(1);
  CLI::App* check = add(config, line, "check", "Check a configuration file", Verb::ConfigCheck);
  add_common(*check, line);
  add_json(*check, line);
  CLI::App* show = add(config, line, "show", "Print the effective configuration", Verb::ConfigShow);
  add_common(*show, line);
  CLI::App* reload =
      add(config, line, "reload", "Have the running host read its configuration file again",
          Verb::ConfigReload);
  reload->add_option("--config", line.config, "The configuration file")->type_name("FILE");
  add_json(*reload, line);
}

void define_client(CLI::App& client, CommandLine& line) {
  set_verb(client, line, Verb::ClientConfig);
  client.add_option("client", line.client, "claude, vscode or cursor")
      ->required()
      ->check(CLI::IsMember({"claude", "vscode", "cursor"}));
  client.add_option("--config", line.config, "The configuration file of the host")
      ->type_name("FILE");
  add_agent(client, line, "Serve the client as this agent of the configuration");
  CLI::Option* http =
      client
          .add_option("--http", line.http,
                      "Connect to the running host at this address instead of starting a host")
          ->type_name("URL");
  client
      .add_flag(
          "--key", line.with_key,
          "With --http: print a configuration that refers to a key, even if the agent needs no key")
      ->needs(http);
}

void define_version(CLI::App& version, CommandLine& line) {
  set_verb(version, line, Verb::Version);
  add_json(version, line);
}

struct TopCommand {
  const char* name;
  const char* what;
  void (*define)(CLI::App& command, CommandLine& line);  // adds its options and subcommands
};

// In the order in which `toolpost --help` lists them.
constexpr TopCommand kTopCommands[] = {
    {"serve", "Run the host, on HTTP at 127.0.0.1:8808 or on standard input and output",
     define_serve},
    {"call", "Call one tool with this configuration and print its result", define_call},
    {"tools", "List the tools that a client can see", define_tools},
    {"plugins",
     "Show the plugins of the running host; if no host runs, load the plugins and show the result "
     "for each",
     define_plugins},
    {"upstream", "Show and control the MCP servers behind this host", define_upstreams},
    {"skills",
     "List the skills, the skills that are hidden by a skill with the same name, and errors in "
     "skills",
     define_skills},
    {"explain", "Show which rule would decide a call, and why", define_explain},
    {"doctor",
     "Check the configuration, its files, its plugins and the running hosts for errors and likely "
     "mistakes",
     define_doctor},
    {"audit", "Search the audit log of calls and other actions, the newest first", define_audit},
    {"approvals", "List pending approval requests and decide about them", define_approvals},
    {"rules", "List the rules of the configuration and the rules that \"always\" stored",
     define_rules},
    {"webhooks", "List and control the receivers of events", define_webhooks},
    {"sessions", "List the stored sessions of clients", define_sessions},
    {"calls", "List and cancel calls that outlive their request", define_calls},
    {"key", "Manage keys, with which clients call tools, approve calls and change this host",
     define_keys},
    {"totp", "Manage one-time codes, which calls of priv_ tools need", define_codes},
    {"config", "Check or show the configuration", define_config},
    {"client-config", "Print the configuration for an MCP client", define_client},
    {"plugin", "Create or check a plugin", define_plugin},
    {"dev", "Build a plugin after every save and serve it", define_dev},
    {"skill", "Create or check skills", define_skill},
    {"version", "Print the version", define_version},
};

// Only these commands need their options: to define the options of all commands would take most of
// the time of a short command.
bool is_named(std::string_view command, int argc, const char* const* argv) {
  return argc > 1 &&
         std::any_of(argv + 1, argv + argc, [&](const char* word) { return word == command; });
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

std::string version_text(const std::string& commit) {
  const std::string version = std::string("toolpost ") + app::kVersion;
  return commit.empty() ? version : version + " (" + commit + ")";
}

Parsed parse_command_line(int argc, const char* const* argv, std::string commit) {
  CommandLine line;
  line.commit = std::move(commit);
  CLI::App app("Serves tool plugins and skills to AI agents over MCP.", "toolpost");
  app.require_subcommand(1);
  app.set_version_flag("--version", [&line] { return version_text(line.commit); });
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 errors found in a configuration or by a check, 4 "
      "not found, 5 denied, 6 timeout.");
  for (const TopCommand& command : kTopCommands) {
    CLI::App* const made = app.add_subcommand(command.name, command.what);
    if (is_named(command.name, argc, argv)) command.define(*made, line);
  }
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
