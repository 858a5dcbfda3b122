#include "cli/command/author_verbs.h"

#include <string>

#include "cli/command/shared_options.h"

namespace host::cli {
namespace {

void add_strict(CLI::App& verb, CommandLine& line) {
  verb.add_flag("--strict", line.strict, "Exit with code 3 for warnings too");
}

void add_settings(CLI::App& verb, CommandLine& line) {
  verb.add_option("--settings", line.settings, "The plugin's settings, one JSON object")
      ->type_name("JSON");
}

void add_name(CLI::App& verb, CommandLine& line, const char* what) {
  verb.add_option("name", line.name, what)->required();
  verb.add_option("--in", line.into,
                  "The folder in which the command creates NAME (default: the current folder)")
      ->type_name("DIR");
}

}  // namespace

void define_plugin(CLI::App& plugin, CommandLine& line) {
  plugin.require_subcommand(1);
  CLI::App* check =
      add(plugin, line, "check", "Check a plugin's library for errors and likely mistakes",
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
      add(plugin, line, "new", "Create a project with a plugin that you can build immediately",
          Verb::PluginNew);
  add_name(*fresh, line, "The name of the plugin: a to z, 0 to 9, _ and -");
  fresh->add_option("--lang", line.language, "cpp, c or rust (default: cpp)")
      ->check(CLI::IsMember({"cpp", "c", "rust"}));
}

void define_dev(CLI::App& dev, CommandLine& line) {
  set_verb(dev, line, Verb::Dev);
  dev.add_option("folder", line.path, "The project (default: the current folder)")
      ->type_name("DIR");
  dev.add_option("--config", line.config,
                 "The configuration file (default: none, only the built-in defaults)")
      ->type_name("FILE");
  add_listen(dev, line, "The address to listen on; port 0 means any free port");
  dev.add_option("--state-dir", line.state_dir,
                 "Keep the store and the audit in this folder (default: a temporary folder)")
      ->type_name("DIR");
  dev.add_option("--build-command", line.command,
                 "The build command instead of CMake or cargo: one program and its arguments")
      ->type_name("COMMAND");
  dev.add_option("--call", line.call,
                 "A tool and its arguments to call after each build, until a client calls a tool")
      ->type_name("TOOL")
      ->expected(1, -1);
}

void define_skill(CLI::App& skill, CommandLine& line) {
  skill.require_subcommand(1);
  CLI::App* look =
      add(skill, line, "check", "Check a skill, or a folder of skills", Verb::SkillCheck);
  look->add_option("folder", line.path, "The folder")->required()->type_name("DIR");
  add_strict(*look, line);
  add_json(*look, line);
  CLI::App* begun = add(skill, line, "new", "Create a folder with a SKILL.md", Verb::SkillNew);
  add_name(*begun, line, "The name of the skill: a to z, 0 to 9 and single hyphens");
}

}  // namespace host::cli
