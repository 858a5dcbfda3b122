#include "identity/totp_json.h"

#include "identity/totp.h"
#include "json/object_text.h"

namespace host::identity {

std::string_view state_of(const store::TotpRecord& record, WallTime now) {
  if (!record.confirmed) return "to be confirmed";
  return is_locked(record, now) ? "locked" : "valid";
}

std::string as_json(const store::TotpRecord& record, WallTime now) {
  std::string out = "{";
  json::add_text(out, "principal", record.principal);
  json::add_text(out, "state", state_of(record, now));
  json::add_text(out, "enrolled", to_rfc3339(record.enrolled));
  json::add_member(out, "recovery_codes", std::to_string(record.recovery.size()));
  return out + "}";
}

}  // namespace host::identity
