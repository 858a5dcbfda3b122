#include "services.h"

namespace {

toolpost::PluginOptions about() {
  return {.id = "org.toolpost.test.services",
          .name = "Services",
          .version = "1.0.0",
          .vendor = "Example Ltd",
          .license = "Apache-2.0",
          .build_info = "made by a test",
          .concurrent = true,
          .permissions = {"net:https://example.org", "fs:ro:/srv/\x1b[1mdata"}};
}

}  // namespace

TOOLPOST_PLUGIN(with_args(with_attachments(
    with_calls(with_history(with_http(with_kv(with_local(with_metrics(Services(about()))))))))))
