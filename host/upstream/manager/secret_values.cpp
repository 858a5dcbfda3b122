#include "upstream/manager/secret_values.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/digest.h"
#include "upstream/manager/confinement.h"
#include "upstream/manager/transports.h"

namespace host::upstream {

namespace {

// As execvp() looks it up in the environment of the process; empty: the command is a path, or there
// is no such program.
std::string looked_up(const config::Upstream& upstream) {
  if (upstream.command.empty() || upstream.command.find('/') != std::string::npos) return {};
  constexpr std::string_view kName = "PATH=";
  const char* const own = std::getenv("PATH");
  std::string variable = own ? own : "/bin:/usr/bin";
  if (const auto environment = config::environment_of(upstream)) {
    for (const std::string& one : *environment) {
      if (one.starts_with(kName)) variable = one.substr(kName.size());
    }
  }
  std::istringstream folders(variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + upstream.command;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace

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

std::string digest_of_server(const config::Upstream& upstream) {
  std::string all = build_of(upstream);
  const auto add = [&all](const std::string& text) { all.append(1, '\0').append(text); };
  add(std::to_string(static_cast<int>(upstream.transport)));
  add(std::to_string(static_cast<int>(upstream.auth)));
  add(upstream.client_id);
  add(upstream.client_secret);
  add(upstream.client_metadata_url);
  for (const std::string& scope : upstream.scopes) add(scope);
  if (upstream.sandbox) {  // what the process can reach can decide what it lists
    for (const std::string& grant : in_words(*upstream.sandbox)) add(grant);
  }
  return to_hex(sha256(all));
}

std::string digest_of_source(const config::Upstream& upstream, const std::string& secrets) {
  std::string all = digest_of_server(upstream);
  const auto add = [&all](const std::string& text) { all.append(1, '\0').append(text); };
  std::error_code error;  // without `cwd`, the process gets the folder of the host
  if (!upstream.command.empty() && upstream.cwd.empty())
    add(std::filesystem::current_path(error).string());
  if (const std::string file = looked_up(upstream); !file.empty()) add(file);
  add(secrets);
  return to_hex(sha256(all));
}

std::string source_now(const config::Upstream& upstream) {
  const auto secrets = digest_of_secrets(upstream);
  return secrets ? digest_of_source(upstream, *secrets) : std::string();
}

}  // namespace host::upstream
