#include "config/document/report.h"

#include <algorithm>
#include <utility>

namespace host::config {

namespace {

// A file may have all its faults in one long line. Less of it is printed, see diagnostic.cpp.
constexpr std::size_t kMostSource = 1024;

constexpr std::string_view kHidden = "[secret]";

// Without the query and the user name of a URL, which can be secrets. A password can have a `/`.
std::string without_secrets(std::string_view text) {
  const std::size_t query = text.find('?');
  std::string out(text.substr(0, query));
  const std::size_t scheme = out.find("://");
  const std::size_t begin = scheme == out.npos ? 0 : scheme + 3;
  const std::size_t user = out.rfind('@');
  const bool has_user = user != out.npos && user >= begin &&
                        out.find_first_of(":/", begin) >= std::min(user, out.find(':', begin));
  if (has_user && (scheme != out.npos || out.find(':') < user))
    out.replace(begin, user - begin, kHidden);
  if (query == text.npos) return out;
  const std::string_view values = text.substr(query + 1);
  const bool is_secret = !values.empty() && (scheme != out.npos || values.find('=') != values.npos);
  return out.append("?").append(is_secret ? kHidden : values);
}

// `line`: a line of the file, with texts in quotes.
std::string line_without_secrets(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const std::size_t open = line.find_first_of("\"'");
    if (open == line.npos) break;
    const std::size_t close = line.find(line[open], open + 1);
    out.append(line.substr(0, open + 1));
    out += without_secrets(line.substr(open + 1, close == line.npos ? close : close - open - 1));
    line.remove_prefix(std::min(line.size(), close));
    if (line.empty()) return out;
    out += line.front();
    line.remove_prefix(1);
  }
  return out.append(line);
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
    diagnostic.source = line_without_secrets(lines_[at.line - 1].substr(0, kMostSource));
  return diagnostic;
}

}  // namespace host::config
