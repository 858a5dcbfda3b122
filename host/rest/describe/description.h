// Serves /v1/openapi.json, the OpenAPI description of the REST interface.
#pragma once

#include <optional>
#include <string>

#include "rest/route/route.h"

namespace host::rest {

class DescriptionRoutes {
 public:
  explicit DescriptionRoutes(const Services&) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/openapi.json", "GET", Scope::Call, &DescriptionRoutes::show,
              identity::kEveryScope},
    };
  }

 private:
  awaitable<void> show(const Asked& asked);

  std::optional<Result<std::string>> document_;  // made at the first request
};

}  // namespace host::rest
