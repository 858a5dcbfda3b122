// Collects the faults of a configuration while the host reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/document/node.h"

namespace host::config {

// Returns a text of the configuration in quotes, for messages. Messages are logged, so the function
// hides the query and the user name of a URL.
std::string in_quotes(std::string_view text);

// Collects faults as Diagnostics, with the file's name and lines.
class Report {
 public:
  // `file` is the file's name in messages. `text` is the text of the file, or empty for an
  // environment variable.
  Report(std::string file, std::string_view text, std::vector<Diagnostic>& out);

  void error(Position at, std::string code, std::string message, std::string help = {});
  // Returns a position in the file as a Diagnostic without code and message.
  Diagnostic place(Position at) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
  std::vector<Diagnostic>& out_;
};

}  // namespace host::config
