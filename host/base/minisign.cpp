#include "base/minisign.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "base/digest.h"
#include "base/text/encoding.h"

namespace host {
namespace {

constexpr std::size_t kMostBytes = 16u << 10u;  // minisign's own comments have 8 KiB at most
constexpr std::size_t kAlgorithmBytes = 2;
constexpr std::string_view kEd25519 = "Ed";
constexpr std::string_view kPrehashed = "ED";
constexpr std::string_view kUntrusted = "untrusted comment: ";
constexpr std::string_view kTrusted = "trusted comment: ";

using PublicKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Verification = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Error invalid(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

void need(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("cryptography failed: ") + what);
}

const std::uint8_t* octets(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

template <std::size_t Size>
void take(std::string_view& from, std::array<std::uint8_t, Size>& to) {
  std::copy_n(octets(from), Size, to.begin());
  from.remove_prefix(Size);
}

// The next line without its end; nothing where there is none.
std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Bytes in base64, which have to be this many.
std::optional<std::string> decoded(std::optional<std::string_view> line, std::size_t size) {
  auto bytes = line ? from_base64(*line) : std::nullopt;
  if (bytes && bytes->size() != size) bytes.reset();
  return bytes;
}

bool verify(const MinisignKey& key, std::span<const std::uint8_t> signature,
            std::string_view bytes) {
  const PublicKey parsed(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()),
      &EVP_PKEY_free);
  const Verification context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  need(parsed && context, "Ed25519");
  need(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, parsed.get()) == 1,
       "Ed25519");
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), octets(bytes),
                          bytes.size()) == 1;
}

std::string blake2b_512(std::string_view bytes) {
  std::string digest(64, '\0');
  unsigned size = 0;
  auto* const out = reinterpret_cast<std::uint8_t*>(digest.data());
  need(EVP_Digest(bytes.data(), bytes.size(), out, &size, EVP_blake2b512(), nullptr) == 1 &&
           size == digest.size(),
       "BLAKE2b-512");
  return digest;
}

}  // namespace

Result<MinisignKey> read_minisign_key(std::string_view text) {
  MinisignKey key;
  const auto bytes = decoded(text, kAlgorithmBytes + key.id.size() + key.bytes.size());
  if (!bytes || !bytes->starts_with(kEd25519)) return invalid("is no public key of minisign");
  std::string_view rest(*bytes);
  rest.remove_prefix(kAlgorithmBytes);
  take(rest, key.id);
  take(rest, key.bytes);
  return key;
}

Result<MinisignSignature> read_minisign_signature(std::string_view text) {
  if (text.size() > kMostBytes) return invalid("is longer than 16 KiB");
  MinisignSignature made;
  const auto untrusted = next_line(text);
  if (!untrusted || !untrusted->starts_with(kUntrusted))
    return invalid("line 1 does not begin with \"untrusted comment: \"");
  const auto signature =
      decoded(next_line(text), kAlgorithmBytes + made.key.size() + made.signature.size());
  if (!signature) return invalid("line 2 is no signature: expected 74 bytes in base64");
  made.prehashed = signature->starts_with(kPrehashed);
  if (!made.prehashed && !signature->starts_with(kEd25519))
    return invalid("line 2 names an unknown algorithm: expected Ed or ED");
  std::string_view rest(*signature);
  rest.remove_prefix(kAlgorithmBytes);
  take(rest, made.key);
  take(rest, made.signature);
  const auto trusted = next_line(text);
  if (!trusted || !trusted->starts_with(kTrusted))
    return invalid("line 3 does not begin with \"trusted comment: \"");
  made.trusted_comment = trusted->substr(kTrusted.size());
  const auto global = decoded(next_line(text), made.global_signature.size());
  if (!global) return invalid("line 4 is no signature: expected 64 bytes in base64");
  rest = *global;
  take(rest, made.global_signature);
  if (next_line(text)) return invalid("has more than 4 lines");
  return made;
}

// The id is a number whose lowest byte comes first.
std::string to_string(const MinisignKeyId& id) {
  MinisignKeyId reversed = id;
  std::reverse(reversed.begin(), reversed.end());
  std::string hex = to_hex(reversed);
  for (char& c : hex) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  return hex;
}

bool is_signed_by(const MinisignKey& key, const MinisignSignature& signature,
                  std::string_view bytes) {
  if (key.id != signature.key) return false;
  if (!signature.prehashed) return verify(key, signature.signature, bytes);
  return verify(key, signature.signature, blake2b_512(bytes));
}

bool vouches_for_comment(const MinisignKey& key, const MinisignSignature& signature) {
  std::string covered(signature.signature.begin(), signature.signature.end());
  covered += signature.trusted_comment;
  return verify(key, signature.global_signature, covered);
}

}  // namespace host
