#include "cli/access/stored_sessions.h"

#include <algorithm>
#include <utility>

#include "json/json.h"

namespace host::cli {
namespace {

// What its client set, if it set something.
const store::SessionRecord* settings_of(const std::vector<store::SessionRecord>& kept,
                                        const std::string& id) {
  const auto at = std::find_if(kept.begin(), kept.end(),
                               [&id](const store::SessionRecord& one) { return one.id == id; });
  return at == kept.end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string> ListedSession::tool_names() const {
  std::vector<std::string> names;
  const auto tools = json::parse(record.tools.empty() ? "{}" : record.tools);
  if (!tools || !tools->root().IsObject()) return names;
  for (const auto& member : tools->root().GetObject()) names.emplace_back(json::text(member.name));
  return names;
}

Result<std::vector<ListedSession>> stored_sessions(store::Store& store) {
  HOST_TRY_ASSIGN(const auto clients, store.client_contexts().list(""));
  HOST_TRY_ASSIGN(const auto kept, store.sessions().list());
  std::vector<ListedSession> all;
  for (const store::ClientContextRecord& client : clients) {
    ListedSession one;
    if (const auto* const settings = settings_of(kept, client.id)) one.record = *settings;
    one.record.id = client.id;
    one.record.principal = client.principal;
    one.record.agent = client.agent;
    one.record.created = client.created;
    one.record.used = client.used;
    one.address = client.owner;
    one.protocol = client.version;
    all.push_back(std::move(one));
  }
  for (const store::SessionRecord& record : kept) {
    if (!record.of_client) all.push_back({record, {}, {}});
  }
  return all;
}

Result<ListedSession> stored_session(store::Store& store, std::string_view id) {
  HOST_TRY_ASSIGN(auto all, stored_sessions(store));
  for (ListedSession& one : all) {
    if (one.record.id == id) return std::move(one);
  }
  return Error{ErrorKind::NotFound, "there is no session \"" + std::string(id.substr(0, 80)) +
                                        "\": `toolpost sessions` names them"};
}

Result<ListedSession> end_stored_session(store::Store& store, std::string_view id) {
  HOST_TRY_ASSIGN(ListedSession session, stored_session(store, id));
  if (session.of_client()) {
    HOST_TRY(store.client_contexts().remove(id));
  } else {
    HOST_TRY(store.sessions().remove(id));
  }
  return session;
}

}  // namespace host::cli
