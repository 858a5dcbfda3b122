#include "permission/decision/narrowing.h"

#include <algorithm>
#include <array>

#include "permission/path/real_path.h"

namespace host::permission {
namespace {

constexpr std::array kFromStrict = {Mode::Explore, Mode::DontAsk, Mode::Default, Mode::AcceptEdits,
                                    Mode::Bypass};

std::size_t rank(Mode mode) {
  return static_cast<std::size_t>(std::find(kFromStrict.begin(), kFromStrict.end(), mode) -
                                  kFromStrict.begin());
}

}  // namespace

Mode stricter(Mode a, Mode b) {
  return rank(a) < rank(b) ? a : b;
}

std::vector<std::string> inside(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& allowed) {
  std::vector<std::string> real;
  for (const std::string& folder : allowed) real.push_back(real_path(folder));
  std::vector<std::string> kept;
  for (const std::string& folder : wanted) {
    const std::string at = real_path(folder);
    if (std::any_of(real.begin(), real.end(),
                    [&](const std::string& each) { return is_inside(at, each); })) {
      kept.push_back(at);
    }
  }
  return kept;
}

}  // namespace host::permission
