// The origin of a URL, and lists of allowed origins.
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
  std::string text() const;  // the form in a list: without the scheme's default port
};

// The origin of an absolute http or https URL. Refuses user names and passwords, and texts that are
// not URLs of RFC 3986.
Result<Origin> origin_of(std::string_view url);

// Entries are "https://api.example", with a port if it is not the default; "https://*.example" for
// all names below "example", but not "example"; and "*" for every https origin.
class AllowList {
 public:
  AllowList() = default;
  explicit AllowList(const std::vector<std::string>& entries);

  bool allows(const Origin& origin) const;
  bool empty() const { return !all_ && origins_.empty(); }

 private:
  struct Entry {
    Origin origin;  // with `below`, its host begins with a dot
    bool below = false;
  };
  std::vector<Entry> origins_;
  bool all_ = false;
};

}  // namespace host::outbound
