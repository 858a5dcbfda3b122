// Serves /v1/skills: the skills that the caller can see, and the same list in the form that a model
// gets.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class SkillRoutes {
 public:
  explicit SkillRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/skills", "GET", Scope::Call, &SkillRoutes::list, {}, Takes::Query},
        Route{"/v1/skills/prompt", "GET", Scope::Call, &SkillRoutes::show_prompt, {}, Takes::Query},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> show_prompt(const Asked& asked);
  // Returns the skills of the sender, or of the session that the query names. If the result is
  // null, the function has answered the request with an error.
  std::shared_ptr<skill::Catalog> skills_for(const Asked& asked) const;

  const Services& services_;
};

}  // namespace host::rest
