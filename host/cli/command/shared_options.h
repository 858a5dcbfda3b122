// Options that several verbs of the command line have.
#pragma once

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <vector>

#include "cli/command/command_line.h"

namespace host::cli {

// One value each time, so that what follows is a tool's name or an argument; repeated for several.
template <class Value>
CLI::Option* add_repeated(CLI::App& verb, const char* name, std::vector<Value>& into,
                          const char* what) {
  return verb.add_option(name, into, what)->take_all()->allow_extra_args(false);
}

// --config, --plugins and --skills.
void add_common(CLI::App& verb, CommandLine& line);
void add_listen(CLI::App& verb, CommandLine& line, const char* what);
void add_json(CLI::App& verb, CommandLine& line);
CLI::Option* add_agent(CLI::App& verb, CommandLine& line, const char* what);
void add_tool_and_arguments(CLI::App& verb, CommandLine& line);

// Adds a verb below `parent`.
CLI::App* add(CLI::App& parent, CommandLine& line, const char* name, const char* what, Verb verb);

// Throws if the command line has one of the options in front of a verb below `parent`, which would
// ignore it.
void refuse_with_verb(CLI::App& parent, std::initializer_list<const char*> options);

// Adds the verb `list`: `toolpost rules list` is `toolpost rules`.
CLI::App* add_list(CLI::App& of, CommandLine& line, const char* what, Verb verb);

}  // namespace host::cli
