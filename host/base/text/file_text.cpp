#include "base/text/file_text.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace host {

std::optional<std::string> file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace host
