#include "app/door/request_rates.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "transport/address_owner.h"

namespace host::app {
namespace {

constexpr std::size_t kMostNames = 65'536;

// One limit that a request is counted against.
struct Policy {
  std::string_view name;  // in the header fields
  std::string_view limit;
  RateTable* table;
  std::string key;
  Rate rate;
  RateTable::Taken taken{};
};

// A list of structured fields (RFC 9651).
std::string list_of(const auto& policies, std::size_t count, auto&& parameters_of) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += out.empty() ? "\"" : ", \"";
    out.append(policies[i].name).append("\"");
    parameters_of(policies[i], out);
  }
  return out;
}

void add_parameter(std::string& out, std::string_view name, std::int64_t value) {
  out.append(";").append(name).append("=").append(std::to_string(value));
}

transport::HttpRefusal refusal_of(const Policy& policy) {
  const std::string wait = std::to_string(policy.taken.until_next.count());
  std::string why = "too many requests: " + std::string(policy.limit) + " allows " +
                    std::to_string(policy.rate.quota) + ". Retry in " + wait + " s.";
  return {transport::Problem::RateLimited, std::move(why), {{"Retry-After", wait}}};
}

}  // namespace

RequestRates::RequestRates(const config::Config& config, const Clock& clock, OnRefusal on_refusal)
    : config_(config),
      on_refusal_(std::move(on_refusal)),
      principals_(clock, kMostNames),
      addresses_(clock, kMostNames),
      agents_(clock, kMostNames) {
  const auto limited = [](const auto& agent) { return agent.second.requests > 0; };
  limits_ = config.limits.requests_per_principal > 0 || config.limits.requests_per_address > 0 ||
            std::any_of(config.agents.begin(), config.agents.end(), limited);
}

RequestRates::Counted RequestRates::count(const Client& client) {
  if (!limits_) return {};
  std::array<Policy, 2> policies;
  std::size_t used = 0;
  const auto add = [&](std::string_view name, std::string_view limit, RateTable& table,
                       std::string key, std::uint32_t quota) {
    if (quota == 0) return;
    const Rate rate{quota, std::chrono::seconds(config_.limits.requests_window_s)};
    policies[used++] = {name, limit, &table, std::move(key), rate};
  };
  if (client.principal.empty()) {
    add("address", "limits.requests_per_address", addresses_,
        transport::owner_of_address(client.address), config_.limits.requests_per_address);
  } else {
    add("principal", "limits.requests_per_principal", principals_, std::string(client.principal),
        config_.limits.requests_per_principal);
  }
  const config::Agent* const agent = config::agent(config_, client.agent);
  if (agent) add("agent", "agent.requests", agents_, std::string(client.agent), agent->requests);
  if (used == 0) return {};
  Counted counted;
  for (std::size_t i = 0; i < used; ++i) {
    Policy& policy = policies[i];
    policy.taken = policy.table->take(policy.key, policy.rate);
    if (policy.taken.granted || counted.refusal) continue;
    counted.refusal = refusal_of(policy);
    on_refusal_(policy.limit);
  }
  if (counted.refusal) {
    for (std::size_t i = 0; i < used; ++i) {
      Policy& policy = policies[i];
      if (policy.taken.granted) policy.taken = policy.table->give_back(policy.key, policy.rate);
    }
  }
  const std::uint32_t window = config_.limits.requests_window_s;
  counted.headers = {
      {"RateLimit-Policy", list_of(policies, used,
                                   [window](const Policy& policy, std::string& out) {
                                     add_parameter(out, "q", policy.rate.quota);
                                     add_parameter(out, "w", window);
                                   })},
      {"RateLimit", list_of(policies, used, [](const Policy& policy, std::string& out) {
         add_parameter(out, "r", policy.taken.left);
         add_parameter(out, "t", policy.taken.until_whole.count());
       })}};
  return counted;
}

}  // namespace host::app
