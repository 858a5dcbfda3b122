// The tool `Skill {skill, path?}`: reads a skill, or one file of it, for a model. Offered only
// while there is a skill to read. Every failure is a result that says what there is instead. Beside
// it the same skills as resources and prompts (skill_offer.h).
//
// I/O thread only. A read is done before start() returns: it opens one file of at most 1 MiB, or
// lists at most 512 names.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "skill/catalog.h"
#include "tool/provider.h"

namespace host::builtin {

class SkillProvider final : public tool::Provider {
 public:
  // Of the tool's description, `catalogue_bytes` may list skills. `build`: of this host.
  SkillProvider(skill::Catalog& catalog, std::uint32_t catalogue_bytes, std::string build);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override { return tools_; }
  const tool::Offer& offer() const override { return offer_; }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>&) override {}  // nothing is ever under way

  // `listener` runs after tools() or offer() changed: offer this provider to the tool catalog anew.
  // Kept for ever. The catalog calls it, so the provider has to live as long as the catalog is
  // used.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }
  // `listener` runs, with its URI, after a SKILL.md was edited. Kept for ever, like the other.
  void on_update(std::function<void(const std::string& uri)> listener) {
    update_listeners_.push_back(std::move(listener));
  }

  // Finishes a call of `Skill` that has read a whole skill: its SKILL.md, with the names in
  // `metadata: toolpost.groups`. Unset: it finishes at once.
  using Finish = std::function<void(const std::shared_ptr<tool::Invocation>& invocation,
                                    std::vector<std::string> groups, tool::CallResult read)>;
  void finish_reads_by(Finish finish) { finish_ = std::move(finish); }

 private:
  void declare();
  void tell_edits();
  Result<tool::CallResult> answer(tool::Function function, const json::Value& arguments);
  tool::CallResult read(std::string_view skill_name, std::string_view path);
  std::vector<std::string> groups_of(const json::Value& arguments);
  tool::CallResult whole(const skill::Skill& skill);
  tool::CallResult file(const skill::Skill& skill, const std::string& path);
  tool::CallResult unknown_skill(std::string_view skill_name);
  tool::CallResult bad_path(const skill::Skill& skill, std::string_view path,
                            const std::string& why);

  skill::Catalog& catalog_;
  const std::uint32_t catalogue_bytes_;
  const tool::ProviderIdentity identity_;
  std::string declared_;  // the description at the last declare()
  std::vector<std::shared_ptr<const tool::Tool>> tools_;
  tool::Offer offer_;
  Finish finish_;                               // null: reads finish at once
  std::map<std::string, std::string> digests_;  // of each SKILL.md, by skill
  std::vector<std::function<void()>> listeners_;
  std::vector<std::function<void(const std::string& uri)>> update_listeners_;
};

}  // namespace host::builtin
