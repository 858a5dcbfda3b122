// Serves /v1/skill-repositories, which lists the Git repositories of skills. An operator can pull a
// repository, view the waiting changes, and accept them.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class SkillRepositoryRoutes {
 public:
  explicit SkillRepositoryRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/skill-repositories", "GET", Scope::Admin, &SkillRepositoryRoutes::list},
        Route{"/v1/skill-repositories/*/changes", "GET", Scope::Admin,
              &SkillRepositoryRoutes::show_changes},
        Route{"/v1/skill-repositories/*/pull", "POST", Scope::Admin, &SkillRepositoryRoutes::pull},
        Route{"/v1/skill-repositories/*/accept",
              "POST",
              Scope::Admin,
              &SkillRepositoryRoutes::accept,
              {},
              Takes::Body},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> show_changes(const Asked& asked);
  awaitable<void> pull(const Asked& asked);
  awaitable<void> accept(const Asked& asked);

  // `digest` is the digest of the accepted change. For a pull, `digest` is empty.
  void answer(const Asked& asked, std::string_view action, const std::string& about,
              const std::string& digest, const Result<void>& done);

  const Services& services_;
};

}  // namespace host::rest
