#include "store/audit/chain.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text/encoding.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

constexpr std::string_view kNumber = ",\"seq\":";
constexpr std::string_view kDigest = ",\"chain\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigestChars = 43;
constexpr std::size_t kMostDigits = 19;

// `text` begins with the digest before it.
Sha256 next_digest(const Sha256& before, std::string_view text, std::string_view rest = {}) {
  std::string all;
  all.reserve(before.size() + text.size() + rest.size());
  all.append(bytes_of(before)).append(text).append(rest);
  return sha256(all);
}

}  // namespace

std::optional<AuditLink> read_audit_link(std::string_view line) {
  constexpr std::size_t kTail = kDigest.size() + kDigestChars + kEnd.size();
  if (line.size() < kTail || !line.ends_with(kEnd)) return std::nullopt;
  AuditLink link;
  link.text = line.substr(0, line.size() - kTail);
  const std::string_view tail = line.substr(link.text.size());
  if (!tail.starts_with(kDigest)) return std::nullopt;
  const auto digest = from_base64url(tail.substr(kDigest.size(), kDigestChars));
  if (!digest || digest->size() != link.digest.size()) return std::nullopt;
  std::copy(digest->begin(), digest->end(), link.digest.begin());
  const std::size_t at = link.text.rfind(kNumber);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = link.text.substr(at + kNumber.size());
  const char* const end = digits.data() + digits.size();
  const auto [stopped, fault] = std::from_chars(digits.data(), end, link.number);
  if (fault != std::errc() || stopped != end || digits.size() > kMostDigits) return std::nullopt;
  return link;
}

void AuditChain::link(std::string_view line, std::string& append_to) {
  const std::size_t from = append_to.size();
  append_to += line.substr(0, line.size() - 1);  // without its brace
  append_to += kNumber;
  append_to += std::to_string(end_.lines + 1);
  end_ = {end_.lines + 1, next_digest(end_.digest, std::string_view(append_to).substr(from))};
  append_to += kDigest;
  append_to += base64url(bytes_of(end_.digest));
  append_to += kEnd;
  append_to += '\n';
}

bool AuditChain::follow(const AuditLink& link) {
  if (link.number != end_.lines + 1 || next_digest(end_.digest, link.text) != link.digest)
    return false;
  end_ = {link.number, link.digest};
  return true;
}

void AuditChain::take_loose(std::string_view line) {
  end_.digest = next_digest(end_.digest, line, "\n");
}

}  // namespace host::store
