// The skills extension, io.modelcontextprotocol/skills (SEP-2640), lists skills, the files of each
// skill, and the entries of its folders. Clients read the files as resources. The functions of this
// header are called on the I/O thread.
#pragma once

#include <memory>

#include "mcp/method/pages.h"
#include "mcp/peer/request.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"
#include "skill/manifest.h"

namespace host::mcp {

class SkillMethods {
 public:
  SkillMethods(const Services& services, const ServerInfos& infos);

  Reply list(const Request& request);
  Reply get(const Request& request);
  Reply read_directory(const Request& request);

 private:
  void append_skill(const skill::Skill& skill, std::string& out);

  const Services& services_;
  const ServerInfos& infos_;
  const std::shared_ptr<skill::Catalog> of_host_;
  const Pages pages_;        // pages of skills: to make a page, the host reads its skills' files
  const Pages entry_pages_;  // pages of the entries of a folder
  skill::Manifests manifests_;
};

}  // namespace host::mcp
