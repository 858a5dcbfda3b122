// AllowedNames checks the values of the HTTP header fields Host and Origin. With Host and Origin,
// the host detects DNS rebinding: a web page reaches the loopback address through a DNS name of the
// page's own server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::transport {

class AllowedNames {
 public:
  AllowedNames(const std::vector<std::string>& hosts, const std::vector<std::string>& origins);

  // Returns true for localhost, 127.0.0.1 and [::1] with any port, and for the configured host
  // names.
  bool host(std::string_view value) const;
  // Returns true for http and https origins whose host is localhost, 127.0.0.1 or [::1], and for
  // the configured origins.
  bool origin(std::string_view value) const;

 private:
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace host::transport
