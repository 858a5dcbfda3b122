#include "app/core/start_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "app/core/state_check.h"
#include "app/core/webhook_settings.h"
#include "config/document/place.h"
#include "config/listen_address.h"
#include "transport/unix_socket.h"

namespace host::app {
namespace {

using Faults = std::vector<config::Diagnostic>;

config::Diagnostic refused_key(const config::Config& config, const std::vector<std::string>& keys,
                               std::string code, std::string message, std::string help) {
  config::Diagnostic one = config::place_of(config.file, keys);
  if (config.file.empty()) one.file = "environment";
  one.code = std::move(code);
  one.message = std::move(message);
  one.help = std::move(help);
  return one;
}

void add_state(const config::Config& config, Faults& faults) {
  const StateCheck state = check_state(config);
  const auto add = [&](const Result<void>& safe, const std::vector<std::string>& keys) {
    if (safe) return;
    faults.push_back(refused_key(config, keys, "C024", safe.error().message,
                                 "`toolpost doctor` checks all files of a host"));
  };
  add(state.configuration, {});
  add(state.store, {"store", "file"});
  add(state.audit, {"audit", "file"});
}

void add_listen(const config::Config& config, const HasKey& has_key, Faults& faults) {
  const auto add = [&](std::string message, std::string help) {
    faults.push_back(
        refused_key(config, {"server", "listen"}, "C024", std::move(message), std::move(help)));
  };
  if (const auto path = transport::unix_path_in(config.server.listen)) {
    if (const auto safe = transport::check_socket_place(*path); !safe)
      add("listen in [server]: " + safe.error().message, "name a path in a folder of this user");
    return;
  }
  const auto address = config::listen_address(config.server.listen);
  if (!address || address->is_loopback() || !config.oauth.issuer.empty() ||
      config.auth.anonymous == config::Anonymous::Everywhere)
    return;
  if (!config.store.file.empty() && (!has_key || has_key())) return;
  add("listen in [server]: \"" + config.server.listen +
          "\" is not a loopback address, and no key tells who calls",
      "make a key with `toolpost key new`, set issuer in [oauth], or listen on 127.0.0.1");
}

bool is_reached_alike(const config::Config& one, const config::Config& other) {
  return one.server.listen == other.server.listen && one.store.file == other.store.file &&
         one.oauth.issuer == other.oauth.issuer && one.auth.anonymous == other.auth.anonymous;
}

}  // namespace

std::vector<config::Diagnostic> refused_webhooks(const config::Config& config) {
  Faults faults;
  for (std::size_t i = 0; i < config.webhook.size(); ++i) {
    const std::string& id = config.webhook[i].id;
    for (WebhookFault& one : faults_of(config.webhook[i], config.webhooks)) {
      std::vector<std::string> keys{"webhook", std::to_string(i)};
      keys.insert(keys.end(), one.keys.begin(), one.keys.end());
      faults.push_back(refused_key(config, keys, std::move(one.code),
                                   one.keys.front() + " in [[webhook]] \"" + id + "\": " + one.why,
                                   std::move(one.help)));
    }
  }
  return faults;
}

std::vector<config::Diagnostic> refused_at_start(const config::Config& config,
                                                 const HasKey& has_key,
                                                 const config::Config* current) {
  Faults faults;
  if (!current || config.webhook != current->webhook || config.webhooks != current->webhooks)
    faults = refused_webhooks(config);
  add_state(config, faults);
  if (!current || !is_reached_alike(config, *current)) add_listen(config, has_key, faults);
  return faults;
}

void leave_out_reported(const std::vector<config::Diagnostic>& reported,
                        std::vector<config::Diagnostic>& errors) {
  std::erase_if(errors, [&](const config::Diagnostic& one) {
    return one.line != 0 && std::any_of(reported.begin(), reported.end(), [&](const auto& other) {
             return other.severity == config::Severity::Error && other.file == one.file &&
                    other.line == one.line;
           });
  });
}

}  // namespace host::app
