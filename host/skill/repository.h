// Where skills come from. Implemented by folders; used by Catalog on the I/O thread only.
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
  std::vector<config::Diagnostic> diagnostics;  // of skills that were left out, and warnings
  std::map<std::string, std::string> names;     // of skills, by folder; also of those left out
};

class SkillRepository {
 public:
  virtual ~SkillRepository() = default;

  // As people know it: the folder's path.
  virtual const std::string& source() const = 0;

  // Whether list() may give something else than the last time. Cheap: asked before every use.
  virtual bool changed() = 0;
  // Looks again. One bad skill hides no other.
  virtual Listing list() = 0;

  // Of a skill that list() gave. These look at the disk each time.
  virtual Result<FileList> files(const Skill& skill) = 0;
  virtual Result<std::string> read(const Skill& skill, const std::string& path) = 0;

  // Readable once changed() may be true; -1: there is no such descriptor.
  virtual int change_fd() const { return -1; }
};

}  // namespace host::skill
