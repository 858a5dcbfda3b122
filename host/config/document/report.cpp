#include "config/document/report.h"

#include <utility>

namespace host::config {

namespace {

// A file may have all its faults in one long line. Less of it is printed, see diagnostic.cpp.
constexpr std::size_t kMostSource = 1024;

// Without the query of a URL and its user name, which can be secrets.
std::string without_secrets(std::string_view text) {
  constexpr std::string_view kHidden = "[secret]";
  const std::size_t query = text.find('?');
  const std::size_t scheme = text.find("://");
  const bool has_query = query != text.npos && text.find('=', query) != text.npos;
  std::string out(has_query ? text.substr(0, query) : text);
  if (const std::size_t user = out.rfind('@'); scheme != text.npos && user != out.npos)
    out.replace(scheme + 3, user - scheme - 3, kHidden);
  return has_query ? out.append("?").append(kHidden) : out;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  return "\"" + without_secrets(text) + "\"";
}

Report::Report(std::string file, std::string_view text, std::vector<Diagnostic>& out)
    : file_(std::move(file)), out_(out) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

void Report::error(Position at, std::string code, std::string message, std::string help) {
  Diagnostic diagnostic = place(at);
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  out_.push_back(std::move(diagnostic));
}

Diagnostic Report::place(Position at) const {
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  if (at.line != 0 && at.line <= lines_.size())
    diagnostic.source = lines_[at.line - 1].substr(0, kMostSource);
  return diagnostic;
}

}  // namespace host::config
