#include "identity/oauth/algorithm.h"

#include <utility>

namespace host::identity {
namespace {

constexpr std::pair<std::string_view, Algorithm> kAlgorithms[] = {{"RS256", Algorithm::Rs256},
                                                                  {"PS256", Algorithm::Ps256},
                                                                  {"ES256", Algorithm::Es256},
                                                                  {"EdDSA", Algorithm::EdDsa},
                                                                  {"Ed25519", Algorithm::EdDsa}};

}  // namespace

std::optional<Algorithm> algorithm_from(std::string_view name) {
  for (const auto& [known, algorithm] : kAlgorithms) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

}  // namespace host::identity
