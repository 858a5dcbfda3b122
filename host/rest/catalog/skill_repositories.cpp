#include "rest/catalog/skill_repositories.h"

#include "rest/wire/body.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

struct SkillsToAccept {
  std::string skill;   // empty: all that wait
  std::string digest;  // of what the sender saw
};

Result<SkillsToAccept> skills_to_accept(const Asked& asked) {
  HOST_TRY_ASSIGN(const Body body, Body::read(asked.http()));
  Members& root = body.root();
  SkillsToAccept wanted{std::string(root.text_if("skill").value_or("")),
                        std::string(root.text("digest"))};
  HOST_TRY(body.end());
  return wanted;
}

}  // namespace

awaitable<void> SkillRepositoryRoutes::list(const Asked& asked) {
  if (answers_head(asked)) co_return;
  std::string out = R"({"skillRepositories":[)";
  for (const checkout::Status& status : services_.checkouts.status()) {
    if (out.back() != '[') out += ',';
    out += checkout::as_json(status);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
  co_return;
}

awaitable<void> SkillRepositoryRoutes::show_changes(const Asked& asked) {
  if (answers_head(asked)) co_return;
  const auto repository = services_.checkouts.find(asked.id());
  if (!repository) co_return transport::answer_error(asked.exchange, repository.error());
  const std::string everything;
  const auto changes = co_await (*repository)->changes(everything, checkout::Whole::No);
  if (!changes) co_return transport::answer_error(asked.exchange, changes.error());
  transport::answer_json(asked.exchange, 200, *changes);
}

awaitable<void> SkillRepositoryRoutes::pull(const Asked& asked) {
  const auto repository = services_.checkouts.find(asked.id());
  if (!repository) co_return transport::answer_error(asked.exchange, repository.error());
  const Result<void> done = co_await (*repository)->pull();
  answer(asked, "skill-pull", asked.id(), {}, done);
}

awaitable<void> SkillRepositoryRoutes::accept(const Asked& asked) {
  const auto wanted = skills_to_accept(asked);
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  const auto repository = services_.checkouts.find(asked.id());
  if (!repository) co_return transport::answer_error(asked.exchange, repository.error());
  if (!(*repository)->digest_fault(wanted->skill, wanted->digest).empty()) {
    co_return transport::answer_error(asked.exchange, transport::Problem::Conflict,
                                      "what waits now has another digest: GET "
                                      "/v1/skill-repositories/NAME/changes shows it");
  }
  const std::string about = wanted->skill.empty() ? asked.id() : asked.id() + "/" + wanted->skill;
  const Result<void> done =
      co_await (*repository)->accept(wanted->skill, wanted->digest, way_of(asked));
  if (done && services_.tell_other_hosts)
    services_.tell_other_hosts("skill-accept", about + " " + wanted->digest, way_of(asked));
  answer(asked, "skill-accept", about, wanted->digest, done);
}

void SkillRepositoryRoutes::answer(const Asked& asked, std::string_view action,
                                   const std::string& about, const std::string& digest,
                                   const Result<void>& done) {
  const auto repository = services_.checkouts.find(asked.id());
  const bool pulled = done && digest.empty() && repository;
  services_.audit.note(store::AuditEvent::Skill,
                       {{"repository", about},
                        {"digest", digest},
                        {"commit", pulled ? (*repository)->status().last.commit : std::string()},
                        {"action", std::string(action)},
                        {"by", way_of(asked)},
                        {"outcome", done ? "done" : "failed"},
                        {"reason", done ? std::string() : done.error().message}});
  services_.audit.flush();
  if (!done) return transport::answer_error(asked.exchange, done.error());
  if (repository)
    transport::answer_json(asked.exchange, 200, checkout::as_json((*repository)->status()));
}

}  // namespace host::rest
