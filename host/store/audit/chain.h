// What binds each line of the audit to all lines before it. A line ends with its number and a
// digest (SHA-256, base64url) of the digest of the line before it and of its own text:
//
//   {"time":...,"outcome":"ok","seq":12,"chain":"mIBk..."}
//
// What stands between two such lines without a digest (a line that a kill cut off, lines of an
// older host) goes into the digest of the next one. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace host::store {

// Where a chain ends.
struct AuditEnd {
  std::uint64_t lines = 0;
  Sha256 digest{};
};

// The end of a line, as it says of itself.
struct AuditLink {
  std::uint64_t number = 0;
  Sha256 digest{};
  std::string_view text;  // of the line, what the digest is of
};
std::optional<AuditLink> read_audit_link(std::string_view line);

class AuditChain {
 public:
  AuditChain() = default;
  explicit AuditChain(const AuditEnd& end) : end_(end) {}

  const AuditEnd& end() const { return end_; }

  // Appends `line`, a JSON object, with its number, digest and a line feed.
  void link(std::string_view line, std::string& append_to);

  // Whether `link` is the next of this chain; if so, it ends there.
  bool follow(const AuditLink& link);
  // A line without a digest, or with a wrong one: the next digest is of it too.
  void take_loose(std::string_view line);

 private:
  AuditEnd end_;
};

}  // namespace host::store
