#include "identity/oauth/key_set.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "json/json.h"

namespace host::identity {
namespace {

constexpr std::uint32_t kMostKeys = 64;
constexpr std::size_t kLongestKeyId = 256;
constexpr json::Limits kLimitsOfKeySet{8, 8192, 64u << 10u, 256};

Error unusable(std::string why) {
  return {ErrorKind::InvalidArgument, std::move(why)};
}

Result<std::string> number_in(const json::Value& jwk, const char* name) {
  auto bytes = from_base64url(json::find_text(jwk, name));
  if (bytes && !bytes->empty()) return *std::move(bytes);
  return unusable("\"" + std::string(name) + "\" is missing or no base64url");
}

Result<PublicKey> key_in(const json::Value& jwk) {
  const std::string_view type = json::find_text(jwk, "kty");
  const std::string_view curve = json::find_text(jwk, "crv");
  if (type == "RSA") {
    HOST_TRY_ASSIGN(const std::string n, number_in(jwk, "n"));
    HOST_TRY_ASSIGN(const std::string e, number_in(jwk, "e"));
    return PublicKey::rsa(n, e);
  }
  if (type == "EC" && curve == "P-256") {
    HOST_TRY_ASSIGN(const std::string x, number_in(jwk, "x"));
    HOST_TRY_ASSIGN(const std::string y, number_in(jwk, "y"));
    return PublicKey::p256(x, y);
  }
  if (type == "OKP" && curve == "Ed25519") {
    HOST_TRY_ASSIGN(const std::string x, number_in(jwk, "x"));
    return PublicKey::ed25519(x);
  }
  return unusable("its type or curve checks none of RS256, PS256, ES256 and EdDSA");
}

// RFC 7517, 4.2 and 4.3.
bool is_for_signatures(const json::Value& jwk) {
  const json::Value* const use = json::find(jwk, "use");
  if (use && json::text(*use) != "sig") return false;
  const json::Value* const acts = json::find(jwk, "key_ops");
  if (!acts) return true;
  if (!acts->IsArray()) return false;
  const auto list = acts->GetArray();
  return std::any_of(list.begin(), list.end(),
                     [](const json::Value& act) { return json::text(act) == "verify"; });
}

// Who publishes these has no secret left to sign with.
bool has_private_part(const json::Value& jwk) {
  return json::find(jwk, "d") || json::find(jwk, "k") || json::find(jwk, "p");
}

Result<SigningKey> signing_key_in(const json::Value& jwk) {
  if (!jwk.IsObject()) return unusable("it is no object");
  if (!is_for_signatures(jwk)) return unusable("it is not for signatures");
  if (has_private_part(jwk)) return unusable("it holds its private part, or is symmetric");
  std::optional<Algorithm> only;
  if (const json::Value* const named = json::find(jwk, "alg")) {
    only = algorithm_from(json::text(*named));
    if (!only) return unusable("its \"alg\" is not RS256, PS256, ES256 or EdDSA");
  }
  std::optional<std::string> id;
  if (const json::Value* const named = json::find(jwk, "kid")) {
    if (!named->IsString() || json::text(*named).size() > kLongestKeyId)
      return unusable("its \"kid\" is no text, or too long");
    id = json::text(*named);
  }
  HOST_TRY_ASSIGN(PublicKey key, key_in(jwk));
  return SigningKey{std::move(id), only, std::move(key)};
}

}  // namespace

Result<KeySet> KeySet::read(std::string_view text) {
  const auto tree = json::parse(text, kLimitsOfKeySet);
  if (!tree) return unusable("the key set is not JSON: " + tree.error().message);
  const json::Value* const list = json::find(tree->root(), "keys");
  if (!list || !list->IsArray()) return unusable("the key set has no list \"keys\"");
  if (list->Size() > kMostKeys)
    return unusable("the key set has more than " + std::to_string(kMostKeys) + " keys");
  KeySet made;
  for (const json::Value& jwk : list->GetArray()) {
    auto key = signing_key_in(jwk);
    if (key) {
      made.keys_.push_back(*std::move(key));
    } else {
      made.left_out_.push_back("key \"" + std::string(json::find_text(jwk, "kid")) +
                               "\": " + key.error().message);
    }
  }
  return made;
}

std::vector<const SigningKey*> KeySet::find(const std::optional<std::string>& id,
                                            Algorithm algorithm) const {
  std::vector<const SigningKey*> found;
  for (const SigningKey& one : keys_) {
    if (one.fits(algorithm) && (!id || one.id == id)) found.push_back(&one);
  }
  if (!id && found.size() > 1) found.clear();
  return found;
}

}  // namespace host::identity
