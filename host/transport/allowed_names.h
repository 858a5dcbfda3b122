// Who may be named in Host and Origin. A web page that reaches loopback by a name of its own (DNS
// rebinding) is known by exactly these two fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host::transport {

class AllowedNames {
 public:
  AllowedNames(const std::vector<std::string>& hosts, const std::vector<std::string>& origins);

  bool host(std::string_view value)
      const;  // localhost, 127.0.0.1, [::1] with any port, and the configured
  bool origin(std::string_view value) const;  // http or https of the same three, and the configured

 private:
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace host::transport
