// The logins of this host at its upstreams: registrations and tokens. Callers see them as plain
// text; the database has them sealed (secret_box.h). Every call blocks; one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::store {

class UpstreamLoginStore {
 public:
  virtual ~UpstreamLoginStore() = default;

  // `login`: a text that means nothing to the store. Replaces the upstream's earlier one.
  virtual Result<void> put(std::string_view upstream, std::string_view login) = 0;
  // nullopt: the upstream has none.
  virtual Result<std::optional<std::string>> find(std::string_view upstream) = 0;
};

}  // namespace host::store
