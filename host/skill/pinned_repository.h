// A PinnedRepository is a repository of skills in fixed versions. The code in host/checkout decides
// which version of each skill is served. The files of a skill's version never change.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "skill/repository.h"

namespace host::skill {

// A Version is one version of a skill.
struct Version {
  std::shared_ptr<const Skill> skill;
  std::filesystem::path folder;  // the skill's files
};

// Reads the SKILL.md of a version. Returns nullptr if the SKILL.md has an error. `source` is the
// repository, and `name` is the skill's folder in the repository. Any thread can call the function.
std::shared_ptr<const Skill> read_version(const std::filesystem::path& folder,
                                          const std::string& source, const std::string& name,
                                          std::vector<config::Diagnostic>& diagnostics);

class PinnedRepository final : public SkillRepository {
 public:
  explicit PinnedRepository(std::string source) : source_(std::move(source)) {}

  // Replaces the repository's skills and faults.
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
