// A chain of digests that binds each line of the audit log to all earlier lines. Each line of the
// audit log ends with its number and a digest (SHA-256, base64url), like
// "seq":12,"chain":"mIBk...". The digest covers the previous line's digest and the line's own text.
//
//   {"time":...,"outcome":"ok","seq":12,"chain":"mIBk..."}
//
// A digest also covers text without a digest that precedes its line. Text without a digest is a
// line that was cut off when a host was killed, or lines that an older version of the host wrote.
// Only one thread at a time may call the functions of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace host::store {

// The end of a chain: the number of its lines, and the last digest.
struct AuditEnd {
  std::uint64_t lines = 0;
  Sha256 digest{};
};

// The number and the digest at the end of an audit line, and the text before them.
struct AuditLink {
  std::uint64_t number = 0;
  Sha256 digest{};
  std::string_view text;  // the part of the line that the digest covers
};
std::optional<AuditLink> read_audit_link(std::string_view line);

class AuditChain {
 public:
  AuditChain() = default;
  explicit AuditChain(const AuditEnd& end) : end_(end) {}

  const AuditEnd& end() const { return end_; }

  // Appends `line`, a JSON object, with its number, its digest and a line feed to `append_to`.
  void link(std::string_view line, std::string& append_to);

  // If `link` is the next link of this chain, the function makes it the end of the chain and
  // returns true.
  bool follow(const AuditLink& link);
  // Call take_loose() for a line whose digest is missing or wrong, so that the next digest covers
  // the line.
  void take_loose(std::string_view line);

 private:
  AuditEnd end_;
};

}  // namespace host::store
