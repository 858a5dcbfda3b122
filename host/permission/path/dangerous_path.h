// Paths that nobody should touch unasked: what shells and tools run by themselves, and secrets. An
// entry without a slash is the name of a file or folder anywhere in a path; `a/b` are neighbours
// anywhere;
// `/a/b` and `~/a` are that very place and all below. Secrets are also known by the form of their
// name: `*.pem`, `id_rsa_*`. Letter case does not matter. plugins/files has the same list, so that
// its searches show no more than its reads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "permission/path/real_path.h"

namespace host::permission {

// The entries with `~` replaced and without slashes at their ends, for who compares them with
// paths.
std::vector<std::string> places(const std::vector<std::string>& entries, const Place& place);

class DangerousPaths {
 public:
  // The built-in list and `extra` entries.
  explicit DangerousPaths(const std::vector<std::string>& extra = {});

  // The entry that `path` meets, as it is written or where its symbolic links lead; `extra` are
  // entries of the tool that takes the path. A path with a NUL byte meets all.
  std::optional<std::string> find(std::string_view path, const Place& place,
                                  std::span<const std::string> extra = {}) const;

  // The entry that `pattern`, a path with shell wildcards, may expand to.
  std::optional<std::string> find_expansion(std::string_view pattern, const Place& place,
                                            std::span<const std::string> extra = {}) const;

 private:
  std::optional<std::string> find_normal(std::string_view normal, const Place& place,
                                         std::span<const std::string> extra) const;

  std::unordered_set<std::string> names_;  // lower case, without a slash
  std::vector<std::string> places_;        // with one
};

}  // namespace host::permission
