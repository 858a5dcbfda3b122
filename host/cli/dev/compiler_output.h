// What a compiler said, as short as a person wants it between two edits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::cli::dev {

struct CompilerOutput {
  // Errors as "file:line:column: message", the first few. Below one in a template, indented: which
  // template it is and where it was used.
  std::vector<std::string> first;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

// Reads g++'s, clang's and rustc's output, and what linkers say of symbols.
CompilerOutput read_compiler_output(std::string_view text);

// The last lines of a text, for output that nobody knows how to read.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace host::cli::dev
