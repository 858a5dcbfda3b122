#include "base/process.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace host {
namespace {

constexpr int kFieldsBeforeStart = 19;  // proc(5), stat: from the state, which follows the name

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string mark_of_process(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < kFieldsBeforeStart; ++i) fields >> field;
  std::string started;
  if (!(fields >> started)) return {};
  std::istringstream boot(text_of("/proc/sys/kernel/random/boot_id"));
  std::string boot_id;
  boot >> boot_id;
  return boot_id + "/" + started;
}

}  // namespace host
