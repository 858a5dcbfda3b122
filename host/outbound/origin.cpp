#include "outbound/origin.h"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text/letters.h"

namespace host::outbound {
namespace {

constexpr std::string_view kBelow = "https://*.";

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" ? 443 : 80;
}

Error bad(const char* why) {
  return Error{ErrorKind::InvalidArgument, std::string("the URL ") + why};
}

// A final dot names the same host, and would slip past a list.
std::string host_of(const boost::urls::url_view& url) {
  std::string host = lower(url.host_address());
  if (host.size() > 1 && host.back() == '.') host.pop_back();
  return host;
}

// Boost.URL's own number is cut off where the digits make more than a port can be.
Result<std::uint16_t> port_of(const boost::urls::url_view& url, std::string_view scheme) {
  const std::string digits(url.port());
  if (digits.empty()) return default_port(scheme);
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = fault == std::errc() && end == digits.data() + digits.size();
  if (!whole || number == 0 || number > 65'535) return bad("has no such port");
  return static_cast<std::uint16_t>(number);
}

// "127.0.0.1:80.example/": Boost.URL takes the rest of the port for a path, and curl does not.
bool has_stray_text(const boost::urls::url_view& url) {
  const std::string_view path = url.encoded_path();
  return !path.empty() && path.front() != '/';
}

// "127.1" and "0x7f.1": resolvers read such names as addresses, and this host as names.
bool is_odd_address(const boost::urls::url_view& url, std::string_view host) {
  if (url.host_type() == boost::urls::host_type::ipv4 ||
      url.host_type() == boost::urls::host_type::ipv6)
    return false;
  const std::string_view last = host.substr(host.find_last_of('.') + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return last.starts_with("0x") ||
         (!last.empty() && std::all_of(last.begin(), last.end(), is_digit));
}

}  // namespace

std::string Origin::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  std::string text = scheme + "://" + (v6 ? "[" + host + "]" : host);
  if (port != default_port(scheme)) text += ":" + std::to_string(port);
  return text;
}

Result<Origin> origin_of(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed) return bad("is not an absolute URL");
  const boost::urls::url_view& url = *parsed;
  Origin origin;
  origin.scheme = lower(url.scheme());
  if (origin.scheme != "https" && origin.scheme != "http") return bad("is neither https nor http");
  if (url.has_userinfo()) return bad("has a user name in it");
  origin.host = host_of(url);
  if (origin.host.empty() || origin.host.size() > 253) return bad("names no host");
  if (has_stray_text(url)) return bad("has other text after its host or port");
  if (is_odd_address(url, origin.host)) return bad("has an address that is not four numbers");
  HOST_TRY_ASSIGN(origin.port, port_of(url, origin.scheme));
  return origin;
}

AllowList::AllowList(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    if (entry == "*") {
      all_ = true;
      continue;
    }
    const bool below = entry.starts_with(kBelow);
    const std::string plain = below ? "https://" + entry.substr(kBelow.size()) : entry;
    auto origin = origin_of(plain);
    if (!origin) continue;  // refused when the configuration was read
    if (below) origin->host.insert(0, 1, '.');
    origins_.push_back({*std::move(origin), below});
  }
}

AllowList AllowList::only(Origin origin) {
  AllowList list;
  list.origins_.push_back({std::move(origin), false});
  return list;
}

bool AllowList::allows(const Origin& origin) const {
  if (all_ && origin.scheme == "https") return true;
  return std::any_of(origins_.begin(), origins_.end(), [&](const Entry& entry) {
    if (!entry.below) return entry.origin == origin;
    return entry.origin.scheme == origin.scheme && entry.origin.port == origin.port &&
           origin.host.size() > entry.origin.host.size() &&
           origin.host.ends_with(entry.origin.host);
  });
}

}  // namespace host::outbound
