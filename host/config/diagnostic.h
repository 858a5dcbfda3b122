// A Diagnostic is one fault in a file that a user wrote. The host reports faults of config.toml and
// of SKILL.md in the same form:
//
//     config.toml:12:1: error[C014]: unknown key "prot" in [http]
//       12 | prot = 8808
//          | ^
//       help: did you mean "port"?
//
// The code of a Diagnostic never changes its meaning. C001: the file cannot be read. C002: the text
// is not TOML. C011: a value has the wrong type. C012: a value is out of range. C013: a word is not
// one of the allowed words. C014: a key is unknown. C015: a name or key is a duplicate. C016: a
// required setting is missing. C017: a text has the wrong form. C018: two keys exclude each other.
// C019: a name is unknown. C020: the tool or plugin does not accept a value. C021: another setting
// makes a rule or an interceptor useless. C022: a plugin lacks a permission that it asks for. C023:
// a side file would allow more than config.toml. C024: the host cannot start for another reason. A
// code that begins with S is a fault of SKILL.md (skill/skill.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace host::config {

enum class Severity { Error, Warning };

struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;    // counts from 1; 0: the file as a whole
  std::uint32_t column = 0;  // counts from 1, in characters; 0: the line as a whole
  Severity severity = Severity::Error;
  std::string code;     // "C014"
  std::string message;  // what is wrong and what was expected
  std::string help;     // the remedy; may be empty
  std::string source;   // the line as written; may be empty

  std::string describe() const;  // the report in the form above, without colour
  std::string headline() const;  // only the first line of the report

  bool operator==(const Diagnostic&) const = default;
};

// Returns true if one of the diagnostics has the severity Error.
bool has_error(const std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
