// A source of skills. Implemented by folders. Catalog uses it, on the I/O thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/diagnostic.h"
#include "skill/folder.h"
#include "skill/skill.h"

namespace host::skill {

struct Listing {
  std::vector<std::shared_ptr<const Skill>> skills;
  std::vector<config::Diagnostic> diagnostics;  // of skills that were refused, and warnings
  std::map<std::string, std::string> names;     // of skills, by folder; also of refused skills
};

class SkillRepository {
 public:
  virtual ~SkillRepository() = default;

  // The source for users: the folder's path.
  virtual const std::string& source() const = 0;

  // True if the result of list() may differ from the last one. Cheap: called before every use.
  virtual bool changed() = 0;
  // Scans again. A bad skill does not affect other skills.
  virtual Listing list() = 0;

  // The files of a skill that list() returned. These functions read the disk each time.
  virtual Result<FileList> files(const Skill& skill) = 0;
  virtual Result<std::string> read(const Skill& skill, const std::string& path) = 0;

  // Readable once changed() may be true; -1: there is no such descriptor.
  virtual int change_fd() const { return -1; }
};

}  // namespace host::skill
