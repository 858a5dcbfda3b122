#include "store/private_folder.h"

#include <sys/stat.h>

namespace host::store {

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::exists(folder, ignored)) return;
  std::filesystem::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
}

}  // namespace host::store
