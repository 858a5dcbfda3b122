// Shortens a compiler's output, so that a developer can read it between two edits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::cli::dev {

struct CompilerOutput {
  // `first` contains the first few errors of a compiler's output, each as "file:line:column:
  // message". Below an error in a template, indented lines name the template and the place where it
  // was used.
  std::vector<std::string> first;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

// Reads the output of g++, clang and rustc, and linkers' errors about symbols.
CompilerOutput read_compiler_output(std::string_view text);

// Returns the last lines of a text. The loop of `toolpost dev` calls last_lines() for output whose
// format is unknown.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace host::cli::dev
