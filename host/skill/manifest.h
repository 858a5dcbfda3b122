// Lists the files of a skill, each with its size and digest. Clients of the skills extension check
// the files of a skill against its manifest.
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
  std::string digest;  // SHA-256 of the file, in hex
};

struct Manifest {
  std::vector<ManifestFile> files;  // all files, also SKILL.md, ordered by path
  bool complete = true;             // false: a file exceeds a limit, or cannot be read
};

// A Manifests object makes manifests, and caches the digest of each file until the file changes.
// The functions of Manifests are called on the I/O thread. The first use of a skill reads all its
// files, at most 16 MiB, on the I/O thread.
class Manifests {
 public:
  explicit Manifests(Catalog& catalog) : catalog_(catalog) {}

  Manifest of(const Skill& skill);

 private:
  struct Known {
    std::string digest;  // digest of the served SKILL.md
    FileList files;
    Manifest manifest;
  };
  Manifest read(const Skill& skill, const FileList& files);

  Catalog& catalog_;
  std::map<std::string, Known> known_;  // by repository and folder
};

}  // namespace host::skill
