// One fault in a file that a person wrote, told the same way for config.toml and SKILL.md:
//
//   config.toml:12:8: error[C014]: unknown key "prot" in [http]
//     12 | prot = 8808
//        | ^
//   help: did you mean "port"?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace host::config {

enum class Severity { Error, Warning };

struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: the file as a whole
  std::uint32_t column = 0;  // from 1
  Severity severity = Severity::Error;
  std::string code;     // "C014"
  std::string message;  // what is wrong and what was expected
  std::string help;     // the remedy; may be empty
  std::string source;   // the line as written; may be empty

  std::string describe() const;  // the lines above, without colour
  std::string headline() const;  // the first of them
};

}  // namespace host::config
