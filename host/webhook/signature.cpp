#include "webhook/signature.h"

#include <array>
#include <optional>

#include "base/digest.h"
#include "base/text/encoding.h"

namespace host::webhook {

std::string make_secret() {
  std::array<std::uint8_t, 32> bytes{};
  random_bytes(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string secret_text(std::string_view secret) {
  return std::string(kSecretPrefix) + base64(secret);
}

Result<std::string> read_secret(std::string_view text) {
  const bool has_prefix = text.starts_with(kSecretPrefix);
  std::optional<std::string> bytes =
      has_prefix ? from_base64(text.substr(kSecretPrefix.size())) : std::nullopt;
  if (bytes && bytes->size() >= kLeastSecretBytes && bytes->size() <= kMostSecretBytes) {
    return *std::move(bytes);
  }
  return Error{ErrorKind::InvalidArgument,
               "must be whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it"};
}

std::string signature_of(std::string_view id, std::uint64_t timestamp, std::string_view body,
                         const std::vector<std::string>& secrets) {
  std::string content(id);
  content += '.';
  content += std::to_string(timestamp);
  content += '.';
  content += body;
  std::string out;
  for (const std::string& secret : secrets) {
    const Sha256 mac = hmac_sha256(secret, content);
    if (!out.empty()) out += ' ';
    out += "v1,";
    base64({reinterpret_cast<const char*>(mac.data()), mac.size()}, out);
  }
  return out;
}

}  // namespace host::webhook
