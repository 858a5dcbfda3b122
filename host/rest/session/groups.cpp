#include "rest/session/groups.h"

#include <algorithm>

#include "json/object_text.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "router/view/session_bounds.h"
#include "session/sessions.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

// `active`: sorted.
std::string as_json(const config::Group& group, const std::vector<std::string>& active,
                    bool can_switch) {
  std::string out = "{";
  json::add_text(out, "name", group.name);
  json::add_text(out, "description", group.description);
  json::add_bool(out, "active", std::binary_search(active.begin(), active.end(), group.name));
  json::add_bool(out, "switchable", can_switch);
  return out + "}";
}

}  // namespace

awaitable<void> SessionGroupRoutes::list(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  session::SessionPtr session = own_session(services_, asked, asked.id());
  if (!session && asked.visitor.principal.scopes.has(Scope::Admin))
    session = services_.sessions->find(asked.id());
  if (!session) co_return no_session(asked);
  const auto active =
      services_.router.active_groups({session->principal, session->agent, session->id});
  std::string groups = "[";
  for (const config::Group& group : services_.config.groups) {
    if (groups.size() > 1) groups += ',';
    groups +=
        as_json(group, active, services_.session_bounds.may_switch(group.name, session->agent));
  }
  std::string out = "{";
  json::add_member(out, "version", std::to_string(session->version));
  json::add_member(out, "groups", groups + "]");
  transport::answer_json(asked.exchange, 200, out + "}");
}

}  // namespace host::rest
