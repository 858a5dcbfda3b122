#include "rest/describe/problems.h"

#include <algorithm>

#include "json/object_text.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

std::string as_json(const transport::ProblemType& type) {
  std::string out = "{";
  json::add_text(out, "type", transport::type_uri(type));
  json::add_text(out, "title", type.title);
  json::add_member(out, "status", std::to_string(type.status));
  json::add_text(out, "meaning", type.meaning);
  return out + "}";
}

}  // namespace

awaitable<void> ProblemRoutes::list(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  std::string out;
  for (const transport::ProblemType& type : transport::problem_types())
    out += (out.empty() ? "" : ",") + as_json(type);
  transport::answer_json(asked.exchange, 200, "{\"problems\":[" + out + "]}");
}

awaitable<void> ProblemRoutes::show(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto types = transport::problem_types();
  const auto at = std::find_if(types.begin(), types.end(),
                               [&asked](const auto& type) { return type.name == asked.id(); });
  if (at == types.end()) {
    co_return transport::answer_error(asked.exchange, transport::Problem::NotFound,
                                      "there is no such type: GET /v1/problems lists all");
  }
  transport::answer_json(asked.exchange, 200, as_json(*at));
}

}  // namespace host::rest
