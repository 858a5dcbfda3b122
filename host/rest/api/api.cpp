#include "rest/api/api.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "json/depth.h"
#include "json/fault.h"
#include "rest/api/subjects.h"
#include "rest/call/calls.h"
#include "rest/call/external_calls.h"
#include "rest/call/request_routes.h"
#include "rest/catalog/configuration.h"
#include "rest/catalog/listings.h"
#include "rest/catalog/providers.h"
#include "rest/catalog/skill_repositories.h"
#include "rest/catalog/skills.h"
#include "rest/catalog/upstreams.h"
#include "rest/describe/description.h"
#include "rest/describe/problems.h"
#include "rest/feed/event_routes.h"
#include "rest/feed/session_feed_routes.h"
#include "rest/file/files.h"
#include "rest/review/approvals.h"
#include "rest/review/audit.h"
#include "rest/review/codes.h"
#include "rest/review/rules.h"
#include "rest/route/listed_route.h"
#include "rest/route/route_table.h"
#include "rest/session/groups.h"
#include "rest/session/sessions.h"
#include "rest/webhook/webhooks.h"
#include "rest/wire/body.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {

using AllSubjects =
    Subjects<ApprovalRoutes, AuditRoutes, CallRoutes, CodeRoutes, ConfigurationRoutes,
             DescriptionRoutes, EventRoutes, ExternalCallRoutes, FileRoutes, ListingRoutes,
             ProblemRoutes, ProviderRoutes, RequestRoutes, RuleRoutes, SessionFeedRoutes,
             SessionGroupRoutes, SessionRoutes, SkillRepositoryRoutes, SkillRoutes, UpstreamRoutes,
             WebhookRoutes>;

struct Api::All : AllSubjects {
  using AllSubjects::AllSubjects;
};

namespace {

constexpr auto kRoutes = AllSubjects::rows();
static_assert(each_request_has_one_row(kRoutes));
static_assert(std::ranges::all_of(kRoutes, [](const auto& route) {
  return route.path.starts_with("/v1/");  // as scope_of() relies on
}));

constexpr auto list_routes() {
  std::array<ListedRoute, kRoutes.size()> all{};
  for (std::size_t i = 0; i < kRoutes.size(); ++i) {
    const auto& route = kRoutes[i];
    all[i] = {route.path, route.method,
              identity::Scopes(route.instead.bits() | identity::Scopes(route.scope).bits())};
  }
  return all;
}
constexpr auto kListedRoutes = list_routes();

std::string methods_of(std::string_view path) {
  std::string methods;
  for (const auto& route : kRoutes) {
    if (!matches(route.path, path)) continue;
    methods += (methods.empty() ? "" : ", ") + std::string(route.method);
  }
  return methods;
}

// An unknown member or parameter is an error, also where nothing is expected. `{}` is a body
// without members.
Result<void> check_taken(const transport::HttpRequest& http, Takes takes) {
  if (takes != Takes::Query) {
    const auto given = read_parameters(http.query(), {});
    if (!given) return given.error();
  }
  if (takes == Takes::Body || http.body().empty()) return {};
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  return body.end();
}

Result<void> check_depth(const transport::HttpRequest& http, const config::Limits& limits) {
  if (!json::nests_deeper(http.body(), limits.json_depth)) return {};
  return json::fault_at({}, "the body is nested deeper than " + std::to_string(limits.json_depth) +
                                " levels (limits.json_depth)");
}

}  // namespace

std::span<const ListedRoute> listed_routes() {
  return kListedRoutes;
}

Api::Api(Services services)
    : services_(std::move(services)), all_(std::make_unique<All>(services_)) {}

Api::~Api() = default;

std::optional<Scope> Api::scope_of(std::string_view method, std::string_view path) {
  if (!is_below(path)) return std::nullopt;  // most requests: calls over MCP
  path = without_alias(path);
  if (const auto* const route = row_for(kRoutes, method, path)) return route->scope;
  std::optional<Scope> most;
  for (const auto& route : kRoutes) {
    if (matches(route.path, path) && (!most || route.scope > *most)) most = route.scope;
  }
  return most;
}

identity::Scopes Api::instead_of(std::string_view method, std::string_view path) {
  const auto* const route = row_for(kRoutes, method, without_alias(path));
  return route ? route->instead : identity::Scopes();
}

bool Api::is_below(std::string_view path) {
  path = without_alias(path);
  return path == "/v1" || path.starts_with("/v1/");
}

std::string_view Api::session_in(std::string_view path) {
  constexpr std::array<std::string_view, 3> kBefore{"/v1/sessions/", "/v1/tools/request/",
                                                    "/v1/tools/response/"};
  path = without_alias(path);
  for (const std::string_view before : kBefore) {
    if (!path.starts_with(before)) continue;
    path.remove_prefix(before.size());
    return path.substr(0, path.find('/'));
  }
  return {};
}

awaitable<void> Api::handle(transport::HttpExchange& exchange, const identity::Visitor& visitor) {
  const transport::HttpRequest& http = exchange.request();
  const std::string_view path = without_alias(http.path());
  if (const auto* const route = row_for(kRoutes, http.method(), path)) {
    if (!http.body().empty() && !transport::is_json_type(http.header("Content-Type"))) {
      co_return transport::answer_error(exchange, transport::Problem::WrongContentType,
                                        "Content-Type must be application/json");
    }
    auto taken = check_depth(http, services_.config.limits);
    if (taken) taken = check_taken(http, route->takes);
    if (!taken) co_return transport::answer_error(exchange, taken.error());
    const Asked asked{exchange, visitor, ids_in(route->path, path)};
    co_await route->answer(*all_, asked);
    co_return;
  }
  const std::string allowed = methods_of(path);
  if (!allowed.empty()) co_return transport::answer_wrong_method(exchange, allowed);
  transport::answer_error(exchange, transport::Problem::NotFound,
                          "no such path: docs/reference/rest.md lists those below /v1");
}

}  // namespace host::rest
