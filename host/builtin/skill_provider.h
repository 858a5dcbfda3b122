// Provides the tool `Skill {skill, path?}`, with which a model reads a skill, or one file of a
// skill. The host offers the tool only while a skill exists. If the skill or file does not exist,
// the result of the tool lists the skills or files that exist. The provider also offers the skills
// as resources and prompts (skill_offer.h).
//
// Call the functions of this header on the I/O thread. The function start() ends the call of the
// tool, unless finish_reads_by() has set a function that ends the call later. A call of `Skill`
// reads one file of at most 1 MiB, or lists at most 512 names.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "skill/catalog.h"
#include "tool/provider/provider.h"

namespace host::builtin {

class SkillProvider final : public tool::Provider {
 public:
  // `catalogue_bytes` is the size limit for the list of skills in the tool's description. `build`
  // names the build of this host. The function identity() returns `build`.
  SkillProvider(skill::Catalog& catalog, std::uint32_t catalogue_bytes, std::string build);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override { return tools_; }
  const tool::Offer& offer() const override { return offer_; }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>&) override {}  // calls end soon

  // The provider calls `listener` after tools() or offer() has changed. After each change, the
  // listener must set the provider in the tool catalog again. The provider never removes a
  // listener. The skill catalog notifies the provider, so the provider must exist as long as
  // anybody uses the skill catalog.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }
  // When somebody has edited a SKILL.md, the provider calls `listener` with the URI of the file.
  // The provider never removes a listener.
  void on_update(std::function<void(const std::string& uri)> listener) {
    update_listeners_.push_back(std::move(listener));
  }

  // A Finish function must end each successful call of the tool `Skill`, whose result is `read`.
  // `groups` has the names in `metadata: toolpost.groups` of the SKILL.md, or is empty if the call
  // read another file.
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
  Finish finish_;                               // null: calls end immediately
  std::map<std::string, std::string> digests_;  // digest of each SKILL.md, by skill
  std::vector<std::function<void()>> listeners_;
  std::vector<std::function<void(const std::string& uri)>> update_listeners_;
};

}  // namespace host::builtin
