#include "address.h"

#include <algorithm>

#include <toolpost/toolpost.hpp>

#include "lower.h"

namespace {

constexpr std::size_t kMaxBytes = 4096;

// "." and "..", in clear or with %2e: who fetches resolves them, and a rule would not see it.
bool climbs(std::string_view path) {
  std::string plain = lower(path.substr(0, path.find('?')));
  for (std::size_t at; (at = plain.find("%2e")) != plain.npos;) plain.replace(at, 3, ".");
  plain += '/';
  return plain.find("/../") != plain.npos || plain.find("/./") != plain.npos;
}

}  // namespace

Address parse_address(const std::string& url) {
  const auto refuse = [&](const char* why) {
    throw toolpost::Error("url \"" + url.substr(0, 200) + "\" " + why);
  };
  if (url.size() > kMaxBytes) refuse("is too long");
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>';
  });
  if (!plain) refuse("has characters that no URL has: write them as %20 and so on");
  const std::size_t colon = url.find("://");
  const std::string scheme = lower(url.substr(0, std::min(colon, url.size())));
  if (colon == url.npos || (scheme != "https" && scheme != "http"))
    refuse("is no http or https URL");
  const std::size_t start = colon + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
  std::string host = lower(url.substr(start, end - start));
  if (host.empty()) refuse("has no host");
  if (host.find('@') != host.npos) refuse("has a name or password: leave it out");
  const std::string default_port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(default_port)) host.resize(host.size() - default_port.size());
  std::string rest = url.substr(end, std::min(url.find('#', end), url.size()) - end);
  if (!rest.starts_with('/')) rest.insert(0, 1, '/');
  if (climbs(rest)) refuse("has a part \".\" or \"..\": write the path without it");
  return {scheme + "://" + host, rest};
}

bool address_fits(std::string_view pattern, std::string_view address) {
  std::size_t at = 0, in = 0;
  std::size_t star = pattern.npos, retry = 0;
  while (in < address.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in;
    } else if (at < pattern.size() && pattern[at] == address[in]) {
      ++at, ++in;
    } else if (star != pattern.npos) {
      at = star + 1;
      in = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}
