// A temporary folder of skills.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace host::skill {

class SkillTree {
 public:
  SkillTree() {
    // Use a file system in memory if there is one: on a disk, ten thousand folders take most of a
    // minute.
    std::error_code none;
    const bool memory = std::filesystem::is_directory("/dev/shm", none);
    const std::filesystem::path parent =
        memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "skill_test.XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~SkillTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  SkillTree(const SkillTree&) = delete;
  SkillTree& operator=(const SkillTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

  std::filesystem::path write(const std::filesystem::path& path, std::string_view text) const {
    const auto at = root_ / path;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at, std::ios::binary) << text;
    return at;
  }

  // Writes a valid SKILL.md in `folder`, with the folder's name.
  void add(const std::string& folder, std::string_view description = "Does things.",
           std::string_view body = "Do.\n") const {
    const std::string name = std::filesystem::path(folder).filename().string();
    write(folder + "/SKILL.md", "---\nname: " + name + "\ndescription: " +
                                    std::string(description) + "\n---\n" + std::string(body));
  }

 private:
  std::filesystem::path root_;
};

}  // namespace host::skill
