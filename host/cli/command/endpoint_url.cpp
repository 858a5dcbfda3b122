#include "cli/command/endpoint_url.h"

namespace host::cli {
namespace {

constexpr std::string_view kPath = "/mcp";

// False: `text` does not end with it.
bool take_from_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::size_t size_of_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme) && url.size() > scheme.size()) return scheme.size();
  }
  return 0;
}

}  // namespace

Result<std::string> endpoint_url(std::string_view url, std::string_view agent) {
  const std::size_t scheme = size_of_scheme(url);
  if (scheme == 0 || url.find_first_of("?# ") != std::string_view::npos) {
    return Error{ErrorKind::InvalidArgument,
                 "--http: expected the address of a host, such as http://127.0.0.1:8808"};
  }
  std::string_view authority = url.substr(scheme);
  std::string_view path = authority;
  authority = authority.substr(0, authority.find('/'));
  path.remove_prefix(authority.size());
  while (take_from_end(path, "/")) {
  }
  const bool whole = take_from_end(path, kPath);
  const std::string own = agent.empty() ? std::string() : "/" + std::string(agent);
  if (whole) take_from_end(path, own);
  return std::string(url.substr(0, scheme)) + std::string(authority) + std::string(path) + own +
         std::string(kPath);
}

}  // namespace host::cli
