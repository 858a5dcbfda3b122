// An OpenAPI document and the arguments of calls: one line of arguments, then the document.
// Whatever they say, a request stays at its server and in the segments of its path.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "upstream/openapi/call_request.h"
#include "upstream/openapi/operation_reader.h"
#include "upstream/openapi/serialization.h"

namespace {

using namespace host::upstream::openapi;

void must(bool held) {
  if (!held) std::abort();
}

bool is_line(const std::string& text) {
  return text.find_first_of(std::string("\r\n\0", 3)) == std::string::npos;
}

std::ptrdiff_t slashes(const std::string& text) {
  return std::count(text.begin(), text.end(), '/');
}

// The path's own {names} may have slashes in them.
std::string without_names(const std::string& path) {
  std::string out;
  bool is_name = false;
  for (const char c : path) {
    is_name = is_name || c == '{';
    if (!is_name) out += c;
    if (c == '}') is_name = false;
  }
  return out;
}

void check_request(const Operation& operation, const CallRequest& request) {
  const std::string path = request.url.substr(0, request.url.find('?'));
  must(path.starts_with(operation.server));
  const std::string rest = path.substr(operation.server.size());
  must(rest.starts_with('/') && !has_dot_segment(rest));
  must(slashes(rest) == slashes(without_names(operation.path)));
  must(request.url.find('#') == std::string::npos && is_line(request.url));
  const auto origin = host::outbound::origin_of(request.url);
  must(!origin || origin->text() == "https://api.example");
  for (const auto& [name, value] : request.headers) must(is_line(name) && is_line(value));
}

ReadSettings settings() {
  ReadSettings made;
  made.servers.document_url = "https://api.example/openapi.json";
  made.servers.granted = host::outbound::AllowList({"https://api.example"});
  made.known.credentials = {"key"};
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto arguments = host::json::parse(text.substr(0, line));
  auto document = ApiDocument::read(text.substr(std::min(line + 1, text.size())));
  if (!document) return 0;
  OperationReader reader(*std::move(document), settings());
  while (reader.step()) {
  }
  const Operations read = reader.take();
  const Access access{{}, {{"key", "value"}}};
  std::set<std::string> names;
  for (const Operation& one : read.all) {
    must(names.insert(one.name).second);
    must(one.definition.size() <= kMostOfDefinition);
    must(host::json::parse(one.definition).has_value());
    if (!arguments) continue;
    const auto request = request_for(one, arguments->root(), access);
    if (request) check_request(one, *request);
  }
  return 0;
}
