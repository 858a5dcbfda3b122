#include "cli/access/open_store.h"

#include <filesystem>
#include <system_error>

#include "app/core/webhook_settings.h"
#include "store/sqlite/schema_look.h"

namespace host::cli {
namespace {

Result<std::unique_ptr<store::Store>> open_file(const config::Config& config) {
  return store::open_sqlite_store(
      config.store.file, system_clock(),
      {.approvals = {.keep = config.approval.keep}, .webhooks = app::webhook_bounds(config)});
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_store(const config::Config& config,
                                                 const std::string& without) {
  if (config.store.file.empty())
    return Error{ErrorKind::Unavailable, "store.file is empty: " + without};
  return open_file(config);
}

Result<std::unique_ptr<store::Store>> look_into_store(const config::Config& config) {
  std::error_code error;
  const bool there =
      !config.store.file.empty() && std::filesystem::exists(config.store.file, error);
  return there ? open_file(config) : std::unique_ptr<store::Store>();
}

bool awaits_migration(const std::filesystem::path& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return false;
  const auto schema = store::look_at_schema(file);
  return !schema || schema->found < schema->known;
}

}  // namespace host::cli
