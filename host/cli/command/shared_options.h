// Defines options that several commands share.
#pragma once

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <vector>

#include "cli/command/command_line.h"

namespace host::cli {

// Adds an option that takes exactly one value. To give several values, a user repeats the option.
template <class Value>
CLI::Option* add_repeated(CLI::App& verb, const char* name, std::vector<Value>& into,
                          const char* what) {
  return verb.add_option(name, into, what)->take_all()->allow_extra_args(false);
}

// Adds the options --config, --plugins and --skills.
void add_common(CLI::App& verb, CommandLine& line);
void add_listen(CLI::App& verb, CommandLine& line, const char* what);
void add_json(CLI::App& verb, CommandLine& line);
CLI::Option* add_agent(CLI::App& verb, CommandLine& line, const char* what);
void add_tool_and_arguments(CLI::App& verb, CommandLine& line);
// Adds the options --value and --entry.
void add_context(CLI::App& verb, CommandLine& line);

// The parser sets CommandLine::verb to `verb` if the command line names `command`.
void set_verb(CLI::App& command, CommandLine& line, Verb verb);

// Adds a subcommand to `parent`.
CLI::App* add(CLI::App& parent, CommandLine& line, const char* name, const char* what, Verb verb);

// Throws if the command line has one of `options` before a subcommand of `parent`, because the
// subcommand would ignore this option.
void refuse_with_verb(CLI::App& parent, std::initializer_list<const char*> options);

// Adds the subcommand `list`: `toolpost rules list` does the same as `toolpost rules`.
CLI::App* add_list(CLI::App& of, CommandLine& line, const char* what, Verb verb);

}  // namespace host::cli
