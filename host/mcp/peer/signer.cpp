#include "mcp/peer/signer.h"

#include <array>
#include <cstdint>

#include "base/digest.h"
#include "base/text/encoding.h"
#include "tool/provider/offers.h"

namespace host::mcp {
namespace {

constexpr std::string_view kVersion = "v1.";
// The longest payload is a URI with what stands beside it; base64url takes four bytes for three.
constexpr std::size_t kMaxSignedBytes = tool::kMaxUriBytes / 3 * 4 + 1024;

}  // namespace

void append_bound(std::string_view part, std::string& out) {
  out += std::to_string(part.size());
  out += ':';
  out += part;
}

Signer::Signer() {
  std::array<std::uint8_t, 32> key;
  random_bytes(key);
  key_.assign(reinterpret_cast<const char*>(key.data()), key.size());
}

std::string Signer::mac(std::string_view payload, std::string_view context) const {
  std::string bound;
  append_bound(payload, bound);
  append_bound(context, bound);
  const Sha256 mac = hmac_sha256(key_, bound);
  return base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

std::string Signer::sign(std::string_view payload, std::string_view context) const {
  return std::string(kVersion) + base64url(payload) + "." + mac(payload, context);
}

std::optional<std::string> Signer::open(std::string_view text, std::string_view context) const {
  if (text.size() > kMaxSignedBytes || !text.starts_with(kVersion)) return std::nullopt;
  text.remove_prefix(kVersion.size());
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto payload = from_base64url(text.substr(0, dot));
  if (!payload) return std::nullopt;
  if (!equal_constant_time(mac(*payload, context), text.substr(dot + 1))) return std::nullopt;
  return payload;
}

}  // namespace host::mcp
