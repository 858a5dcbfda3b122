#include "upstream/manager/secret_values.h"

#include "base/digest.h"

namespace host::upstream {

Result<std::string> digest_of_secrets(const config::Upstream& upstream) {
  std::string all;
  const auto add = [&all](const std::string& text) { all.append(text).append(1, '\0'); };
  HOST_TRY_ASSIGN(const auto environment, config::environment_of(upstream));
  for (const std::string& one : environment) add(one);
  HOST_TRY_ASSIGN(const auto headers, config::headers_of(upstream));
  for (const auto& [name, value] : headers) {
    add(name);
    add(value);
  }
  HOST_TRY_ASSIGN(const auto credentials, config::credentials_of(upstream));
  for (const auto& [scheme, value] : credentials) {
    add(scheme);
    add(value);
  }
  return to_hex(sha256(all));
}

}  // namespace host::upstream
