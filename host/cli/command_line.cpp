#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"

namespace host::cli {
namespace {

void add_common(CLI::App& verb, CommandLine& line) {
  verb.add_option("--config", line.config, "The configuration file")->type_name("FILE");
  verb.add_option("--plugins", line.plugin_dirs,
                  "Folders of plugins, in place of the configured ones")
      ->type_name("DIR");
  verb.add_option("--skills", line.skill_dirs, "Folders of skills, in place of the configured ones")
      ->type_name("DIR");
}

void add_json(CLI::App& verb, CommandLine& line) {
  verb.add_flag("--json", line.json, "Print JSON");
}

void add_tool_and_arguments(CLI::App& verb, CommandLine& line) {
  verb.add_option("tool", line.tool, "The tool's name")->required();
  verb.add_option("arguments", line.arguments,
                  "One JSON object, or name=value (the value is JSON, or else text)");
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Serves tool plugins and skills to AI agents over MCP.", "toolpost");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 configuration errors, 4 not found, 5 denied, 6 "
      "timeout.");
  const auto add = [&](CLI::App& parent, const char* name, const char* what, Verb verb) {
    CLI::App* made = parent.add_subcommand(name, what);
    made->callback([&line, verb] { line.verb = verb; });
    return made;
  };

  CLI::App* serve =
      add(app, "serve", "Run the host: HTTP on 127.0.0.1:8808, or standard input and output",
          Verb::Serve);
  add_common(*serve, line);
  serve->add_flag("--stdio", line.stdio, "Serve MCP on standard input and output instead of HTTP");
  serve->add_option("--listen", line.listen, "Where to listen; port 0 takes a free one")
      ->type_name("ADDR:PORT");

  CLI::App* call =
      add(app, "call", "Call one tool with this configuration and print its result", Verb::Call);
  add_common(*call, line);
  add_tool_and_arguments(*call, line);
  add_json(*call, line);

  CLI::App* tools = add(app, "tools", "List the tools that a peer would see", Verb::Tools);
  add_common(*tools, line);
  tools->add_option("--class", line.tool_class, "Only tools of this class, hidden ones included")
      ->check(CLI::IsMember({"standard", "internal", "pre", "post", "private", "upstream"}));
  add_json(*tools, line);

  CLI::App* plugins =
      add(app, "plugins", "Load the plugins and tell how each stands", Verb::Plugins);
  add_common(*plugins, line);
  add_json(*plugins, line);

  CLI::App* skills =
      add(app, "skills", "List the skills, what shadows what, and their faults", Verb::Skills);
  add_common(*skills, line);
  skills->add_flag("--prompt", line.prompt, "Print the catalogue as a model sees it");
  add_json(*skills, line);

  CLI::App* explain =
      add(app, "explain", "Tell which rule would decide a call, and why", Verb::Explain);
  add_common(*explain, line);
  add_tool_and_arguments(*explain, line);
  add_json(*explain, line);

  CLI::App* config = app.add_subcommand("config", "Check or show the configuration");
  config->require_subcommand(1);
  CLI::App* check = add(*config, "check", "Check a configuration file", Verb::ConfigCheck);
  add_common(*check, line);
  add_json(*check, line);
  CLI::App* show = add(*config, "show", "Print the effective configuration", Verb::ConfigShow);
  add_common(*show, line);

  CLI::App* client = add(app, "client-config", "Print what a client's own configuration needs",
                         Verb::ClientConfig);
  client->add_option("client", line.client, "claude, vscode or cursor")
      ->required()
      ->check(CLI::IsMember({"claude", "vscode", "cursor"}));
  client
      ->add_option("--config", line.config,
                   "The configuration file that the client's host shall use")
      ->type_name("FILE");
  client->add_option("--http", line.http, "Connect to a running host instead of starting one")
      ->type_name("URL");

  CLI::App* version = add(app, "version", "Print the version", Verb::Version);
  add_json(*version, line);

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
