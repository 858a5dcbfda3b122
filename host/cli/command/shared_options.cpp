#include "cli/command/shared_options.h"

#include <string>

#include "config/listen_address.h"

namespace host::cli {
namespace {

std::string not_an_address(const std::string& text) {
  const char* const expected = config::listen_form(text);
  return expected ? "\"" + text + "\" is not an address: expected " + expected : std::string();
}

// An empty name would be no agent: the limits that were asked for would not apply.
std::string not_a_name(const std::string& text) {
  return text.empty() ? "expected the name of an agent" : std::string();
}

}  // namespace

void add_common(CLI::App& verb, CommandLine& line) {
  verb.add_option("--config", line.config, "The configuration file")->type_name("FILE");
  add_repeated(
      verb, "--plugins", line.plugin_dirs,
      "A folder of plugins, in place of plugins.dirs; repeat the option for several folders")
      ->type_name("DIR");
  add_repeated(verb, "--skills", line.skill_dirs,
               "A folder of skills, in place of skills.dirs; repeat the option for several folders")
      ->type_name("DIR");
}

void add_listen(CLI::App& verb, CommandLine& line, const char* what) {
  verb.add_option("--listen", line.listen, what)->type_name("ADDR:PORT")->check(not_an_address);
}

void add_json(CLI::App& verb, CommandLine& line) {
  verb.add_flag("--json", line.json, "Print JSON");
}

CLI::Option* add_agent(CLI::App& verb, CommandLine& line, const char* what) {
  return verb.add_option("--agent", line.agent, what)->type_name("NAME")->check(not_a_name);
}

void add_tool_and_arguments(CLI::App& verb, CommandLine& line) {
  verb.add_option("tool", line.tool, "The tool's name")->required();
  verb.add_option("arguments", line.arguments,
                  "One JSON object, or name=value (a value that is not JSON is text)");
}

void add_context(CLI::App& verb, CommandLine& line) {
  add_repeated(verb, "--value", line.values,
               "A text in the context of the call, which the plugin can read: NAME=TEXT");
  add_repeated(verb, "--entry", line.entries,
               "An entry in the context of the call, which the plugin can read: TYPE=JSON");
}

void set_verb(CLI::App& command, CommandLine& line, Verb verb) {
  command.callback([&line, verb] { line.verb = verb; });
}

CLI::App* add(CLI::App& parent, CommandLine& line, const char* name, const char* what, Verb verb) {
  CLI::App* made = parent.add_subcommand(name, what);
  set_verb(*made, line, verb);
  return made;
}

void refuse_with_verb(CLI::App& parent, std::initializer_list<const char*> options) {
  const auto below = parent.get_subcommands();
  if (below.empty()) return;
  for (const char* const name : options) {
    if (parent.get_option(name)->count() > 0)
      throw CLI::ExcludesError(name, below.front()->get_name());
  }
}

// People who know `toolpost key list` type it.
CLI::App* add_list(CLI::App& of, CommandLine& line, const char* what, Verb verb) {
  CLI::App* list = add(of, line, "list", what, verb);
  add_common(*list, line);
  add_json(*list, line);
  return list;
}

}  // namespace host::cli
