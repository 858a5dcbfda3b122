// Reads the origin of a URL, and compares it with lists of allowed origins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::outbound {

struct Origin {
  std::string scheme;  // http or https
  std::string host;    // lower case; an IPv6 address without brackets
  std::uint16_t port = 0;

  bool operator==(const Origin&) const = default;
  std::string text() const;  // an entry of an AllowList, without the scheme's default port
};

// Returns the origin of an absolute http or https URL. origin_of() refuses URLs with a user name or
// password, and texts that are not URLs by RFC 3986.
Result<Origin> origin_of(std::string_view url);

// An AllowList is a list of allowed origins. An entry is an origin such as "https://api.example",
// with the port unless it is the default. "https://*.example" allows all names below "example", but
// not "example" itself. "*" allows every https origin.
class AllowList {
 public:
  AllowList() = default;
  explicit AllowList(const std::vector<std::string>& entries);
  // Returns a list that allows only the given origin.
  static AllowList only(Origin origin);

  bool allows(const Origin& origin) const;
  bool empty() const { return !all_ && origins_.empty(); }

 private:
  struct Entry {
    Origin origin;  // if `below` is true, the host begins with a dot
    bool below = false;
  };
  std::vector<Entry> origins_;
  bool all_ = false;
};

}  // namespace host::outbound
