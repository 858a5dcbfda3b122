// The allowed values of Host and Origin. These two fields reveal a web page that reaches loopback
// through a DNS name of its own server (DNS rebinding).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::transport {

class AllowedNames {
 public:
  AllowedNames(const std::vector<std::string>& hosts, const std::vector<std::string>& origins);

  bool host(std::string_view value)
      const;  // localhost, 127.0.0.1, [::1] with any port, and configured names
  // True for http and https origins of the same names, and for configured origins.
  bool origin(std::string_view value) const;

 private:
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace host::transport
