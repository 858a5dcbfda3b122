// [[skill_repository]]: what the table of keys cannot say.
#include "config/reader/reader.h"

namespace host::config {

void Reader::read_skill_repositories(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "skill_repository", "[[skill_repository]]")) continue;
    SkillRepository repository;
    read_section(entry, skill_repository_keys(repository), "[[skill_repository]]");
    for (const SkillRepository& other : into.skill_repositories) {
      if (repository.name.empty() || other.name != repository.name) continue;
      report_.error(entry.find("name")->at, "C015",
                    "a second skill_repository \"" + repository.name + "\"",
                    "give each repository a name of its own");
    }
    const Node* const every = entry.find("pull_every_s");
    if (every && repository.pull_every.count() > 0 && repository.pull_every < Seconds(1000)) {
      report_.error(every->at, "C012",
                    "pull_every_s in [[skill_repository]]: expected 0 or at least 1 second");
    }
    into.skill_repositories.push_back(std::move(repository));
  }
}

}  // namespace host::config
