#include "app/door/oauth.h"

#include <chrono>
#include <utility>

#include "app/core/plugin_services.h"
#include "base/clock.h"
#include "outbound/origin.h"

namespace host::app {
namespace {

using identity::Issuer;

constexpr std::chrono::seconds kForOneRequest{10};
constexpr std::uint64_t kMostBytes = 512u << 10u;  // of metadata or keys
constexpr std::chrono::seconds kForTheFirstKeys{3};

identity::TokenScopes scopes_of(const config::OAuth& oauth) {
  return {oauth.scope_call, oauth.scope_approve, oauth.scope_admin};
}

identity::TokenRules rules_of(const config::OAuth& oauth) {
  identity::TokenRules rules;
  rules.issuer = oauth.issuer;
  rules.audiences = {oauth.resource};
  for (const std::string& name : oauth.algorithms) {
    if (const auto known = identity::algorithm_from(name)) rules.algorithms.push_back(*known);
  }
  rules.scopes = scopes_of(oauth);
  rules.leeway = oauth.leeway;
  return rules;
}

}  // namespace

std::unique_ptr<OAuth> OAuth::create(boost::asio::any_io_executor io,
                                     const config::Config& config) {
  if (config.oauth.issuer.empty()) return nullptr;
  return std::unique_ptr<OAuth>(new OAuth(std::move(io), config));
}

OAuth::OAuth(boost::asio::any_io_executor io, const config::Config& config)
    : gate_(io, gate_settings(config.outbound)),
      resource_(config.oauth.resource, config.oauth.issuer, scopes_of(config.oauth)),
      issuer_(std::make_shared<Issuer>(
          std::move(io),
          Issuer::Settings{config.oauth.issuer, config.oauth.jwks_url, config.oauth.refresh},
          system_clock(),
          [this](std::string url, std::shared_ptr<Cancel> cancel, auto done) {
            fetch(std::move(url), std::move(cancel), std::move(done));
          },
          [this](identity::KeySet keys) {
            keys_ = keys.size();
            check_.set_keys(std::move(keys));
          })),
      check_(rules_of(config.oauth), system_clock(),
             [issuer = issuer_] { return issuer->look_again(); }) {}

// No redirect is followed: neither metadata nor keys are moved by one (RFC 8414, RFC 7517).
void OAuth::fetch(std::string url, std::shared_ptr<Cancel> cancel,
                  std::function<void(Result<Issuer::Answer>)> done) {
  outbound::Request request;
  if (const auto origin = outbound::origin_of(url))
    request.allowed = outbound::AllowList::only(*origin);
  request.url = std::move(url);
  request.headers = {{"Accept", "application/json"}};
  request.deadline = steady_now() + kForOneRequest;
  request.max_bytes = kMostBytes;
  request.redirects = 0;
  request.cancel = std::move(cancel);
  gate_.send(std::move(request), [done = std::move(done)](Result<outbound::Response> response) {
    if (!response) return done(response.error());
    done(Issuer::Answer{response->status, std::move(response->body)});
  });
}

boost::asio::awaitable<void> OAuth::wait_for_keys() {
  co_await issuer_->wait_for_first_try(kForTheFirstKeys);
}

boost::asio::awaitable<Result<std::size_t>> OAuth::count_keys() {
  HOST_CO_TRY(co_await issuer_->refresh());
  co_return keys_;
}

}  // namespace host::app
