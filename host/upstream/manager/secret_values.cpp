#include "upstream/manager/secret_values.h"

#include <filesystem>
#include <system_error>

#include "base/digest.h"
#include "upstream/manager/transports.h"

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

std::string digest_of_source(const config::Upstream& upstream, const std::string& secrets) {
  std::string all = build_of(upstream);
  const auto add = [&all](const std::string& text) { all.append(1, '\0').append(text); };
  add(std::to_string(static_cast<int>(upstream.transport)));
  add(std::to_string(static_cast<int>(upstream.auth)));
  add(upstream.client_id);
  add(upstream.client_secret);
  add(upstream.client_metadata_url);
  for (const std::string& scope : upstream.scopes) add(scope);
  std::error_code error;  // without `cwd`, the process gets the folder of the host
  if (!upstream.command.empty() && upstream.cwd.empty())
    add(std::filesystem::current_path(error).string());
  add(secrets);
  return to_hex(sha256(all));
}

}  // namespace host::upstream
