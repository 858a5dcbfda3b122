#include "transport/http/cross_origin.h"

#include <algorithm>

#include "transport/ascii.h"

namespace host::transport {
namespace {

constexpr std::string_view kMethods = "GET, POST, PUT, PATCH, DELETE";
constexpr std::string_view kFields =
    "Accept, Authorization, Content-Type, If-Match, Last-Event-ID, MCP-Protocol-Version, "
    "Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Agent-API-Key, X-Toolpost-TOTP, traceparent, "
    "tracestate, baggage";
constexpr std::string_view kArguments = "mcp-param-";  // each tool may have its own
constexpr std::string_view kExposed =
    "ETag, Location, Mcp-Session-Id, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy";
constexpr std::string_view kKeptSeconds = "600";

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || is_digit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

// Those that are asked for of a tool's own.
void append_argument_fields(std::string_view asked, std::string& out) {
  while (!asked.empty()) {
    const auto comma = std::min(asked.find(','), asked.size());
    std::string_view name = asked.substr(0, comma);
    asked.remove_prefix(std::min(comma + 1, asked.size()));
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (!is_token(name)) continue;
    if (equal_ignoring_case(name.substr(0, kArguments.size()), kArguments)) {
      out.append(", ").append(name);
    }
  }
}

}  // namespace

CrossOrigin::CrossOrigin(const std::vector<std::string>& origins) : origins_(origins) {}

bool CrossOrigin::lists(std::string_view origin) const {
  return std::any_of(origins_.begin(), origins_.end(),
                     [origin](const std::string& one) { return equal_ignoring_case(one, origin); });
}

std::optional<Headers> CrossOrigin::preflight(const HttpRequest& http) const {
  const std::string_view origin = http.header("Origin");
  const bool asks = http.method() == "OPTIONS" && origin.data() &&
                    http.header("Access-Control-Request-Method").data();
  if (!asks || !lists(origin)) return std::nullopt;
  std::string fields(kFields);
  append_argument_fields(http.header("Access-Control-Request-Headers"), fields);
  return Headers{{"Access-Control-Allow-Origin", std::string(origin)},
                 {"Access-Control-Allow-Methods", std::string(kMethods)},
                 {"Access-Control-Allow-Headers", std::move(fields)},
                 {"Access-Control-Max-Age", std::string(kKeptSeconds)},
                 {"Vary", "Origin, Access-Control-Request-Headers"}};
}

void CrossOrigin::permit(const HttpRequest& http, Headers& headers) const {
  const auto has = [&headers](std::string_view name) {
    return std::any_of(headers.begin(), headers.end(),
                       [name](const auto& field) { return field.first == name; });
  };
  if (!has("Vary")) headers.emplace_back("Vary", "Origin");
  const std::string_view origin = http.header("Origin");
  if (!lists(origin) || has("Access-Control-Allow-Origin")) return;
  headers.emplace_back("Access-Control-Allow-Origin", origin);
  headers.emplace_back("Access-Control-Expose-Headers", kExposed);
}

}  // namespace host::transport
