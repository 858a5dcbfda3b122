#include "rest/catalog/providers.h"

#include <map>
#include <utility>
#include <vector>

#include "json/object_text.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "tool/definition/definition.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using tool::Entry;

// A provider and its tools that the sender sees. By the object, because names are not unique.
using Groups = std::map<const tool::Provider*, std::vector<const Entry*>>;

Groups groups_of(const router::Router::Listing& visible) {
  Groups groups;
  for (const Entry* const entry : visible.tools) {
    const tool::ProviderIdentity& identity = entry->provider->identity();
    // The host's own tools and those of a session's client have no provider to ask for.
    if (identity.is_host() || identity.is_session()) continue;
    groups[entry->provider.get()].push_back(entry);
  }
  return groups;
}

std::string_view kind_of(const tool::Provider& provider) {
  return provider.identity().is_plugin() ? "plugin" : "upstream";
}

// Empty: either.
Result<std::string> kind_in(const Parameters& given) {
  const auto wanted = given.find("kind");
  if (wanted == given.end()) return std::string();
  if (wanted->second == "plugin" || wanted->second == "upstream") return wanted->second;
  return Error{ErrorKind::InvalidArgument, "kind must be plugin or upstream"};
}

std::string identity_json(const tool::Provider& provider) {
  std::string out = "{";
  json::add_text(out, "name", provider.name());
  json::add_text(out, "kind", kind_of(provider));
  json::add_text(out, "build", provider.identity().build);
  return out;
}

// As in tools/list.
std::string mcp_json(const tool::Tool& tool) {
  std::string out = "{" + tool.listing();
  const std::string& output = tool.declared().output_schema;
  if (!output.empty()) json::add_member(out, "outputSchema", output);
  return out + "}";
}

std::string provider_json(const tool::Provider& provider, const std::vector<const Entry*>& tools) {
  std::string definitions = "[";
  std::string listed = "[";
  for (const Entry* const entry : tools) {
    if (definitions.size() > 1) definitions += ',';
    if (listed.size() > 1) listed += ',';
    definitions += tool::definition_of(*entry->tool);
    listed += mcp_json(*entry->tool);
  }
  std::string out = identity_json(provider);
  json::add_member(out, "tools", definitions + "]");
  json::add_member(out, "mcp", "{\"tools\":" + listed + "]}");
  return out + "}";
}

// nullopt: the session of the query is not the sender's.
std::optional<tool::Peer> sees_as(const Services& services, const Asked& asked,
                                  const Parameters& given) {
  const auto wanted = given.find("session");
  const std::string& principal = asked.visitor.principal.name;
  if (wanted == given.end()) return tool::Peer{principal, asked.visitor.agent};
  const session::SessionPtr session = own_session(services, asked, wanted->second);
  if (!session) return std::nullopt;
  return tool::Peer{principal, session->agent, session->id};
}

}  // namespace

awaitable<void> ProviderRoutes::list(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {"session"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto peer = sees_as(services_, asked, *given);
  if (!peer) co_return no_session(asked);
  if (answers_head(asked)) co_return;
  const router::Router::Listing visible = services_.router.visible(*peer);
  std::map<std::string, std::string> by_name;
  for (const auto& [provider, tools] : groups_of(visible)) {
    std::string one = identity_json(*provider);
    json::add_member(one, "tools", std::to_string(tools.size()));
    by_name[provider->name()] += (by_name[provider->name()].empty() ? "" : ",") + one + "}";
  }
  std::string out = "{\"providers\":[";
  for (const auto& [name, one] : by_name) {
    if (out.back() != '[') out += ',';
    out += one;
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
}

// A plugin and an upstream may have the same name.
awaitable<void> ProviderRoutes::show(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {"session", "kind"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto kind = kind_in(*given);
  if (!kind) co_return transport::answer_error(asked.exchange, kind.error());
  const auto peer = sees_as(services_, asked, *given);
  if (!peer) co_return no_session(asked);
  const router::Router::Listing visible = services_.router.visible(*peer);
  Groups found = groups_of(visible);
  std::erase_if(found, [&](const auto& group) {
    const tool::Provider& one = *group.first;
    return one.name() != asked.id() || (!kind->empty() && *kind != kind_of(one));
  });
  if (found.size() > 1) {
    co_return transport::answer_error(
        asked.exchange, transport::Problem::Conflict,
        "a plugin and an upstream have this name: add kind=plugin or kind=upstream to the query");
  }
  if (!found.empty()) {
    const auto& [provider, tools] = *found.begin();
    co_return transport::answer_json(asked.exchange, 200, provider_json(*provider, tools));
  }
  transport::answer_error(asked.exchange, transport::Problem::NotFound,
                          "no provider of this name has tools that you can see: "
                          "GET /v1/mcp/providers lists them");
}

}  // namespace host::rest
