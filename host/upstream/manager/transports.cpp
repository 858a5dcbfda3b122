#include "upstream/manager/transports.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/json.h"
#include "upstream/http/http_transport.h"
#include "upstream/manager/confinement.h"
#include "upstream/openapi/api_transport.h"
#include "upstream/openapi/serialization.h"
#include "upstream/stdio/stdio_transport.h"

namespace host::upstream {

namespace {

// For streams of messages that belong to no call, and for what is answered at once.
constexpr std::uint32_t kMoreStreams = 16;
// A login asks hosts that the upstream names. One that is never found delays no renewal.
constexpr std::uint32_t kLoginLookups = 8;
constexpr std::uint32_t kApiLookups = 4;  // of the document and of the servers

HttpKind kind_of(config::UpstreamTransport transport) {
  switch (transport) {
    case config::UpstreamTransport::Auto:
      return HttpKind::Auto;
    case config::UpstreamTransport::Http:
      return HttpKind::Streamable;
    case config::UpstreamTransport::Sse:
      return HttpKind::Sse;
  }
  return HttpKind::Auto;
}

// The secret is for this authorization server alone. Empty: there is no secret.
std::string issuer_of_secret(const std::string& secret) {
  if (secret.empty()) return {};
  const auto tree = json::parse(secret);
  return tree ? std::string(json::find_text(tree->root(), "issuer")) : std::string();
}

bool is_on_this_machine(const std::string& url) {
  const auto origin = outbound::origin_of(url);
  return origin &&
         (origin->host == "localhost" || origin->host == "127.0.0.1" || origin->host == "::1");
}

// The requests of one upstream that can be open at once. A call that waits for its client does not
// count in max_inflight, and its request stays open.
std::uint32_t streams_for(const config::Upstream& upstream, const config::Config& config) {
  return 2 * upstream.max_inflight + config.limits.upstream_parked_calls + kMoreStreams;
}

// The operator who writes an upstream's URL allows its origin on this machine.
outbound::Settings gate_settings(const config::Upstream& upstream, const config::Config& config) {
  outbound::Settings settings;
  settings.streams = streams_for(upstream, config);
  settings.lookups = 1;  // it has one name
  settings.redirects = config.outbound.redirects;
  settings.loopback = config.outbound.loopback;
  settings.ca_file = config.outbound.ca_file;
  if (is_on_this_machine(upstream.url))
    settings.loopback.push_back(outbound::origin_of(upstream.url)->text());
  return settings;
}

// The origins of an API's servers, as config::Upstream says.
std::vector<std::string> granted_origins(const config::Upstream& upstream) {
  if (!upstream.origins.empty()) return upstream.origins;
  const auto origin = outbound::origin_of(upstream.url.empty() ? upstream.openapi : upstream.url);
  return origin ? std::vector<std::string>{origin->text()} : std::vector<std::string>();
}

// The query of a URL may have a token.
void add_query(std::string_view url, Secrets& secrets) {
  const std::size_t query = url.find('?');
  if (query == std::string_view::npos) return;
  for (std::size_t at = query + 1; at < url.size();) {
    const std::size_t end = std::min(url.find('&', at), url.size());
    const std::string_view part = url.substr(at, end - at);
    secrets.add(part.substr(part.find('=') + 1));
    at = end + 1;
  }
}

void add_secret_headers(const config::Upstream& upstream, const outbound::Headers& headers,
                        Secrets& secrets) {
  for (const auto& [name, value] : headers) {
    if (!config::is_secret(upstream.headers, name)) continue;
    secrets.add(value);
    secrets.add(std::string_view(value).substr(value.find(' ') + 1));  // without "Bearer"
  }
}

void add_secret_variables(const config::Upstream& upstream,
                          const std::vector<std::string>& environment, Secrets& secrets) {
  for (const std::string& one : environment) {
    const std::size_t name = one.find('=');
    if (config::is_secret(upstream.env, one.substr(0, name))) secrets.add(one.substr(name + 1));
  }
}

// Each upstream has connections of its own, so that none waits for another's.
TransportMaker http_transport_of(const boost::asio::any_io_executor& io,
                                 const std::shared_ptr<const config::Upstream>& settings,
                                 const config::Config& config, std::shared_ptr<Budget> budget,
                                 std::shared_ptr<Secrets> secrets,
                                 const std::shared_ptr<oauth::Login>& login) {
  const config::Upstream& upstream = *settings;
  add_query(upstream.url, *secrets);
  HttpUpstream http;
  http.url = upstream.url;
  http.kind = kind_of(upstream.transport);
  http.message_bytes = config.limits.upstream_message_bytes;
  http.budget = std::move(budget);
  if (login) http.authorizer = login->access();
  const auto gate = std::make_shared<outbound::Gate>(io, gate_settings(upstream, config));
  return [io, gate, http, settings, secrets]() -> Result<std::unique_ptr<Transport>> {
    HttpUpstream now = http;
    HOST_TRY_ASSIGN(now.headers, config::headers_of(*settings));
    add_secret_headers(*settings, now.headers, *secrets);
    return make_http_transport(io, gate, std::move(now));
  };
}

outbound::Settings api_gate_settings(const config::Upstream& upstream,
                                     const config::Config& config) {
  outbound::Settings settings = gate_settings(upstream, config);
  settings.lookups = kApiLookups;
  std::vector<std::string> all = granted_origins(upstream);
  all.push_back(upstream.openapi);
  for (const std::string& one : all) {
    if (is_on_this_machine(one)) settings.loopback.push_back(outbound::origin_of(one)->text());
  }
  return settings;
}

// The values of secrets, as they are now.
Result<openapi::Access> access_of(const config::Upstream& upstream, Secrets& secrets) {
  openapi::Access access;
  HOST_TRY_ASSIGN(access.headers, config::headers_of(upstream));
  add_secret_headers(upstream, access.headers, secrets);
  HOST_TRY_ASSIGN(const auto credentials, config::credentials_of(upstream));
  for (const auto& [scheme, value] : credentials) {
    secrets.add(value);
    secrets.add(base64(value));
    secrets.add(openapi::encoded(value));
    // The password of "user:password".
    secrets.add(std::string_view(value).substr(value.find(':') + 1));
    access.credentials[scheme] = value;
  }
  return access;
}

TransportMaker api_transport_of(const boost::asio::any_io_executor& io,
                                const std::shared_ptr<const config::Upstream>& settings,
                                const config::Config& config, std::shared_ptr<Budget> budget,
                                std::shared_ptr<Secrets> secrets, std::shared_ptr<JobThread> jobs) {
  const config::Upstream& upstream = *settings;
  add_query(upstream.openapi, *secrets);
  add_query(upstream.url, *secrets);
  openapi::ApiUpstream api;
  api.document = upstream.openapi;
  api.is_url = config::is_document_url(upstream.openapi);
  api.read.servers.base = upstream.url;
  if (api.is_url) api.read.servers.document_url = upstream.openapi;
  api.read.servers.granted = outbound::AllowList(granted_origins(upstream));
  api.message_bytes = config.limits.upstream_message_bytes;
  api.budget = std::move(budget);
  api.secrets = secrets;
  api.jobs = std::move(jobs);
  const auto gate = std::make_shared<outbound::Gate>(io, api_gate_settings(upstream, config));
  return [io, gate, api, settings, secrets]() -> Result<std::unique_ptr<Transport>> {
    openapi::ApiUpstream now = api;
    HOST_TRY_ASSIGN(now.access, access_of(*settings, *secrets));
    for (const auto& [name, value] : now.access.headers) now.read.known.headers.insert(lower(name));
    for (const auto& [scheme, value] : now.access.credentials)
      now.read.known.credentials.insert(scheme);
    return openapi::make_api_transport(io, gate, std::move(now));
  };
}

StdioUpstream stdio_of(const config::Upstream& upstream, const config::Config& config) {
  StdioUpstream stdio;
  stdio.name = upstream.name;
  stdio.message_bytes = config.limits.upstream_message_bytes;
  stdio.child.command = upstream.command;
  stdio.child.args = upstream.args;
  stdio.child.cwd = upstream.cwd;
  stdio.child.grace = config.upstreams.stop_timeout;
  stdio.child.sandbox = profile_of(upstream, config.sandbox);
  return stdio;
}

// `name` has its "=". Empty: there is no such variable.
std::string value_in(std::string_view name, const std::vector<std::string>& environment) {
  for (const std::string& one : environment) {
    if (one.starts_with(name)) return one.substr(name.size());
  }
  return {};
}

}  // namespace

std::shared_ptr<oauth::Login> login_of(const boost::asio::any_io_executor& io,
                                       const config::Upstream& upstream,
                                       const config::Config& config,
                                       std::shared_ptr<store::Desk> desk,
                                       std::shared_ptr<Secrets> secrets) {
  if (upstream.auth != config::UpstreamAuth::OAuth) return nullptr;
  oauth::LoginSettings settings;
  settings.name = upstream.name;
  settings.url = upstream.url;
  settings.scopes = upstream.scopes;
  settings.client_id = upstream.client_id;
  settings.issuer = issuer_of_secret(upstream.client_secret);
  if (!upstream.client_secret.empty())
    settings.client_secret = [secret = upstream.client_secret] {
      return config::secret_value(secret);
    };
  settings.client_metadata_url = upstream.client_metadata_url;
  settings.port = static_cast<std::uint16_t>(config.upstreams.login_port);
  outbound::Settings of_gate = gate_settings(upstream, config);
  of_gate.lookups = kLoginLookups;
  // A server elsewhere reaches nothing on this machine by what it says about its logins.
  if (!is_on_this_machine(upstream.url)) of_gate.loopback.clear();
  of_gate.loopback_key = "outbound.loopback if the upstream is on this machine too";
  auto gate = std::make_shared<outbound::Gate>(io, std::move(of_gate));
  return std::make_shared<oauth::Login>(io, std::move(settings), std::move(gate), std::move(desk),
                                        system_clock(), std::move(secrets));
}

TransportMaker transport_of(const boost::asio::any_io_executor& io,
                            const std::shared_ptr<const config::Upstream>& settings,
                            const config::Config& config, const std::filesystem::path& keeper,
                            std::shared_ptr<Budget> budget, std::shared_ptr<Secrets> secrets,
                            std::shared_ptr<JobThread> jobs, FoldersNow folders,
                            const std::shared_ptr<oauth::Login>& login) {
  if (!settings->openapi.empty()) {
    return api_transport_of(io, settings, config, std::move(budget), std::move(secrets),
                            std::move(jobs));
  }
  if (!settings->url.empty())
    return http_transport_of(io, settings, config, std::move(budget), std::move(secrets), login);
  return [io, settings, &config, keeper, budget = std::move(budget), secrets = std::move(secrets),
          folders = std::move(folders)]() -> Result<std::unique_ptr<Transport>> {
    const config::Upstream& upstream = *settings;
    HOST_TRY_ASSIGN(const std::vector<std::string> added, config::environment_of(upstream));
    add_secret_variables(upstream, added, *secrets);
    StdioUpstream stdio = stdio_of(upstream, config);
    stdio.budget = budget;
    stdio.secrets = secrets;
    stdio.child.keeper = keeper;
    stdio.child.env = upstream_environment(added);
    // Links can have changed since the configuration was read, and PATH can be a secret.
    if (upstream.sandbox) {
      HOST_TRY_ASSIGN(const config::WritableFolders writable, folders());
      HOST_TRY(writable.check(upstream, value_in("PATH=", stdio.child.env)));
    }
    return make_stdio_transport(io, std::move(stdio));
  };
}

Secrets secrets_of(const config::Upstream& upstream) {
  Secrets out;
  add_query(upstream.url, out);
  add_query(upstream.openapi, out);
  if (const auto environment = config::environment_of(upstream))
    add_secret_variables(upstream, *environment, out);
  const auto ignored = access_of(upstream, out);  // reads the headers and the credentials
  return out;
}

std::string source_of(const config::Upstream& upstream) {
  // A query may have a token.
  if (config::is_document_url(upstream.openapi))
    return upstream.openapi.substr(0, upstream.openapi.find('?'));
  if (!upstream.openapi.empty()) return upstream.openapi;
  if (!upstream.url.empty()) return upstream.url.substr(0, upstream.url.find('?'));
  std::string out = upstream.command;
  for (const std::string& argument : upstream.args) out += " " + argument;
  return out;
}

std::string build_of(const config::Upstream& upstream) {
  std::string all = upstream.name;
  const auto add = [&all](const std::string& text) {
    all += '\0';
    all += text;
  };
  add(upstream.command);
  for (const std::string& argument : upstream.args) add(argument);
  add(upstream.cwd.string());
  add(upstream.env);
  add(upstream.url);
  add(upstream.headers);
  // The builds of the other upstreams stay as they were.
  if (!upstream.openapi.empty()) {
    add(upstream.openapi);
    for (const std::string& one : upstream.origins) add(one);
    add(upstream.credentials);
  }
  return "sha256:" + to_hex(sha256(all));
}

}  // namespace host::upstream
