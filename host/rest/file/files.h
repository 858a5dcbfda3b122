// Serves /v1/files, which lists, shows and removes the files that a client uploaded for its calls,
// and makes upload URLs. Each principal sees only its own files. Clients transfer the contents by
// signed URLs (file_content.h).
#pragma once

#include "file/signed_url.h"
#include "rest/route/route.h"

namespace host::rest {

class FileRoutes {
 public:
  explicit FileRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/files", "GET", Scope::Call, &FileRoutes::list, {}, Takes::Query},
        Route{
            "/v1/files/presign-upload", "POST", Scope::Call, &FileRoutes::presign, {}, Takes::Body},
        Route{"/v1/files/*", "GET", Scope::Call, &FileRoutes::show},
        Route{"/v1/files/*", "DELETE", Scope::Call, &FileRoutes::remove},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> presign(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> remove(const Asked& asked);

  std::string origin(const Asked& asked) const;

  const Services& services_;
};

}  // namespace host::rest
