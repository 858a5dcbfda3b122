// A library's file, before any loader sees it: its structure, its tables, and what is said of its
// build.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "plugin/file/elf_check.h"
#include "plugin/file/elf_lint.h"

namespace {

void must(bool held) {
  if (!held) std::abort();
}

// Fit for a terminal, a log and a JSON text.
bool is_shown(const std::string& text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

bool has_structure(const std::string& bytes) {
  static const int file = ::memfd_create("library", MFD_CLOEXEC);
  must(file >= 0 && ::ftruncate(file, 0) == 0);
  must(::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  const auto checked = host::plugin::check_elf(file, bytes.size());
  must(checked || !checked.error().message.empty());
  return checked.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace host::plugin;
  static const SystemLibraries none({});
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  has_structure(bytes);
  const Lint lint = lint_plugin(bytes, none);
  for (const LintFinding& finding : lint.findings) must(is_shown(finding.message));
  for (const std::string& name : lint.exports) must(name.empty() || is_shown(name));
  must(!is_plugin(bytes) || lint.refusal() || !lint.exports.empty());
  return 0;
}
