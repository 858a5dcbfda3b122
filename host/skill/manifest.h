// What a skill consists of, byte for byte: every file with its size and digest, as clients of the
// skills extension verify them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "skill/catalog.h"

namespace host::skill {

struct ManifestFile {
  std::string path;
  std::uint64_t size = 0;
  std::string digest;  // SHA-256, hex
};

struct Manifest {
  std::vector<ManifestFile> files;  // SKILL.md among them, in the order of their paths
  bool complete = true;             // false: some file is beyond the bounds, or could not be read
};

// Remembers digests while files stay as they are; what it gives follows the disk. I/O thread only:
// the first look at a skill reads all of its files, at most 16 MiB.
class Manifests {
 public:
  explicit Manifests(Catalog& catalog) : catalog_(catalog) {}

  Manifest of(const Skill& skill);

 private:
  struct Known {
    std::string digest;  // of SKILL.md as it was served
    FileList files;
    Manifest manifest;
  };
  Manifest read(const Skill& skill, const FileList& files);

  Catalog& catalog_;
  std::map<std::string, Known> known_;  // by repository and folder
};

}  // namespace host::skill
