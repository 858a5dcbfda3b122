// A short form of a compiler's output, to be read between two edits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::cli::dev {

struct CompilerOutput {
  // The first few errors as "file:line:column: message". Below an error in a template, indented
  // lines name the template and the place where it was used.
  std::vector<std::string> first;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

// Reads the output of g++, clang and rustc, and errors of linkers about symbols.
CompilerOutput read_compiler_output(std::string_view text);

// Returns the last lines of a text. Used for output with an unknown format.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace host::cli::dev
