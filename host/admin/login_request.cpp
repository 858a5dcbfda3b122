#include "admin/login_request.h"

#include <utility>

#include "json/json.h"
#include "transport/http/json_answer.h"

namespace host::admin {

Result<LoginRequest> read_login_request(const transport::HttpRequest& http) {
  const Error wrong{ErrorKind::InvalidArgument,
                    R"(expected {"link": "..."} or {"key": "..."} as application/json)"};
  if (!transport::is_json_type(http.header("Content-Type"))) return wrong;
  const auto tree = json::parse(http.body());
  if (!tree || !tree->root().IsObject() || tree->root().MemberCount() != 1) return wrong;
  const auto& member = *tree->root().MemberBegin();
  const std::string_view name = json::text(member.name);
  if (!member.value.IsString() || json::text(member.value).empty()) return wrong;
  std::string shown(json::text(member.value));
  if (name == "link") return LoginRequest{std::move(shown), {}};
  if (name == "key") return LoginRequest{{}, std::move(shown)};
  return wrong;
}

}  // namespace host::admin
