#include "rest/catalog/skills.h"

#include "json/object_text.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

std::string as_json(const skill::Skill& skill) {
  std::string out = "{";
  json::add_text(out, "name", skill.name);
  json::add_text(out, "description", skill.description);
  json::add_text(out, "source", skill.source);
  json::add_text(out, "digest", "sha256:" + skill.digest);
  return out + "}";
}

}  // namespace

std::shared_ptr<skill::Catalog> SkillRoutes::skills_for(const Asked& asked) const {
  const auto given = read_parameters(asked.http().query(), {"session"});
  if (!given) {
    transport::answer_error(asked.exchange, given.error());
    return nullptr;
  }
  const auto who = sees_as(services_, asked, *given);
  if (who) return services_.skills(*who);
  no_session(asked);
  return nullptr;
}

awaitable<void> SkillRoutes::list(const Asked& asked) {
  const auto skills = skills_for(asked);
  if (!skills || answers_head(asked)) co_return;
  const skill::State& state = skills->state();
  std::string out = "{\"skills\":[";
  for (const auto& skill : state.skills) {
    if (out.back() != '[') out += ',';
    out += as_json(*skill);
  }
  std::vector<std::string> problems;
  for (const config::Diagnostic& fault : state.diagnostics) problems.push_back(fault.headline());
  transport::answer_json(asked.exchange, 200,
                         out + "],\"problems\":" + json::list_of(problems) + "}");
}

awaitable<void> SkillRoutes::show_prompt(const Asked& asked) {
  const auto skills = skills_for(asked);
  if (!skills || answers_head(asked)) co_return;
  std::string out = "{";
  json::add_text(out, "prompt", skills->text());
  transport::answer_json(asked.exchange, 200, out + "}");
}

}  // namespace host::rest
