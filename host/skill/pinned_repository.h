// A repository of skills in fixed versions. Another part of the host decides which version of each
// skill is served, and changes no file of a version (checkout/).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "skill/repository.h"

namespace host::skill {

// One version of a skill.
struct Version {
  std::shared_ptr<const Skill> skill;
  std::filesystem::path folder;  // the skill's files
};

// Reads the SKILL.md of a version. nullptr: it has an error. `source`, `name`: the repository, and
// the skill's folder in it. Any thread.
std::shared_ptr<const Skill> read_version(const std::filesystem::path& folder,
                                          const std::string& source, const std::string& name,
                                          std::vector<config::Diagnostic>& diagnostics);

class PinnedRepository final : public SkillRepository {
 public:
  explicit PinnedRepository(std::string source) : source_(std::move(source)) {}

  // From now on these are the repository's skills and faults.
  void serve(std::vector<Version> versions, std::vector<config::Diagnostic> diagnostics);

  const std::string& source() const override { return source_; }
  bool changed() override { return changed_; }
  Listing list() override;
  Result<FileList> files(const Skill& skill) override;
  Result<std::string> read(const Skill& skill, const std::string& path) override;

 private:
  Result<UniqueFd> open(const Skill& skill) const;

  const std::string source_;
  std::map<std::string, Version> versions_;  // by the skill's folder
  std::vector<config::Diagnostic> diagnostics_;
  bool changed_ = false;
};

}  // namespace host::skill
