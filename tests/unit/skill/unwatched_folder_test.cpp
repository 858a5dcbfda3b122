// A folder of skills where the system allows no watch.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "skill/folder_repository.h"
#include "support/skill_tree.h"

namespace host::skill {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<FolderRepository> unwatched(const std::filesystem::path& folder) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  auto made = std::make_unique<FolderRepository>(folder);
  ::setrlimit(RLIMIT_NOFILE, &before);
  return made;
}

TEST(UnwatchedFolder, IsNotScannedWithEachUse) {
  const SkillTree tree;
  tree.add("one");
  const auto repository = unwatched(tree.root());
  EXPECT_LT(repository->change_fd(), 0);
  bool changed = true;
  SteadyTime began{};
  do {  // a machine that is slow says nothing
    began = steady_now();
    EXPECT_EQ(repository->list().skills.size(), 1u);
    changed = repository->changed();
  } while (steady_now() - began >= 1s);
  EXPECT_FALSE(changed);
}

TEST(UnwatchedFolder, ShowsAnEditALittleLater) {
  const SkillTree tree;
  tree.add("one");
  const auto repository = unwatched(tree.root());
  repository->list();
  tree.add("one", "Does other things.");  // which no stamp of the outer folder shows
  const SteadyTime began = steady_now();
  while (!repository->changed() && steady_now() - began < 1min) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(repository->list().skills.front()->description, "Does other things.");
}

}  // namespace
}  // namespace host::skill
