#include "upstream/openapi/servers.h"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include <utility>

#include "json/excerpt.h"
#include "tool/definition/declared_text.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostServers = 64;  // that are looked at
constexpr std::size_t kMostServerBytes = 2048;

Error no_server(std::string why) {
  return Error{ErrorKind::Denied, std::move(why)};
}

std::string shown_server(std::string_view url) {
  return tool::quoted_name(json::excerpt(url, 128));
}

// "https://{region}.example" with the defaults of its variables.
Result<std::string> with_defaults(const json::Value& server) {
  const std::string_view written = json::find_text(server, "url");
  const json::Value* const variables = json::find(server, "variables");
  std::string out;
  if (written.size() > kMostServerBytes) return no_server("the URL of its server is too long");
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t open = std::min(written.find('{', at), written.size());
    out += written.substr(at, open - at);
    if (open == written.size()) break;
    const std::size_t close = written.find('}', open);
    if (close == std::string_view::npos) return no_server("its server's URL has a { without a }");
    const std::string_view name = written.substr(open + 1, close - open - 1);
    const json::Value* const variable =
        variables && variables->IsObject() ? json::find(*variables, name) : nullptr;
    const std::string_view value = variable ? json::find_text(*variable, "default") : "";
    if (value.empty()) {
      return no_server("the variable " + tool::quoted_name(json::excerpt(name, 64)) +
                       " of its server has no default: set `url`");
    }
    if (out.size() + value.size() > kMostServerBytes)
      return no_server("the URL of its server is too long");
    out += value;
    at = close + 1;
  }
  return out;
}

Result<std::string> absolute_server(const ServerChoice& choice, const json::Value& server) {
  if (!server.IsObject()) return no_server("its server is no object");
  HOST_TRY_ASSIGN(const std::string written, with_defaults(server));
  const auto reference = boost::urls::parse_uri_reference(written);
  if (!reference) return no_server("its server " + shown_server(written) + " is no URL");
  if (reference->has_scheme()) return base_of(written);
  if (choice.document_url.empty()) {
    return no_server("its server " + shown_server(written) +
                     " is relative, and the document is a file: set `url`");
  }
  const auto document = boost::urls::parse_uri(choice.document_url);
  boost::urls::url made;
  if (!document || !boost::urls::resolve(*document, *reference, made))
    return no_server("its server " + shown_server(written) + " is no URL");
  return base_of(std::string(made.buffer()));
}

}  // namespace

Result<std::string> base_of(const std::string& url) {
  HOST_TRY_ASSIGN(const outbound::Origin origin, outbound::origin_of(url));
  boost::urls::url parsed(url);
  if (parsed.has_query() || parsed.has_fragment())
    return no_server("the URL of its server has a query or a fragment");
  parsed.normalize_path();
  std::string base = origin.text() + std::string(parsed.encoded_path());
  while (base.ends_with('/')) base.pop_back();
  return base;
}

Result<std::string> server_of(const ServerChoice& choice, const json::Value* servers) {
  if (!choice.base.empty()) return base_of(choice.base);
  json::Document none;
  if (!servers || !servers->IsArray() || servers->Empty()) {
    none = *json::parse(R"([{"url": "/"}])");  // as the specification says
    servers = &none.root();
  }
  Result<std::string> first = no_server("it has no server");
  std::size_t looked_at = 0;
  for (const json::Value& server : servers->GetArray()) {
    if (++looked_at > kMostServers) break;
    auto url = absolute_server(choice, server);
    if (url) {
      const auto origin = outbound::origin_of(*url);
      if (origin && choice.granted.allows(*origin)) return url;
      url = no_server("the origin of its server " + shown_server(*url) +
                      " is not granted: add it to `origins`");
    }
    if (looked_at == 1) first = std::move(url);
  }
  return first;
}

}  // namespace host::upstream::openapi
