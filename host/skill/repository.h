// SkillRepository is the interface of a source of skills. The classes FolderRepository and
// PinnedRepository implement it. The functions of this header are called on the I/O thread.
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
  std::vector<config::Diagnostic> diagnostics;  // the errors of refused skills, and warnings
  // `names` contains the name of the skill in each folder, also for refused skills.
  std::map<std::string, std::string> names;
};

class SkillRepository {
 public:
  virtual ~SkillRepository() = default;

  // Returns the source as users see it: the path of a folder, or "git:NAME" for a Git repository.
  virtual const std::string& source() const = 0;

  // Returns true if the result of list() can differ from its last result. changed() must be cheap,
  // because it is called before every use of the repository.
  virtual bool changed() = 0;
  // Reads the repository again. A fault of one skill does not affect the repository's other skills.
  virtual Listing list() = 0;

  // files() and read() are for the files of a skill that list() returned. Each call of files() or
  // read() reads the disk.
  virtual Result<FileList> files(const Skill& skill) = 0;
  virtual Result<std::string> read(const Skill& skill, const std::string& path) = 0;

  // Returns a file descriptor that becomes readable when changed() can return true, or -1 if there
  // is no such descriptor.
  virtual int change_fd() const { return -1; }
};

}  // namespace host::skill
