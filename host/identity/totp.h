// One-time codes of RFC 6238, as authenticator apps make them: SHA-1, six digits, a step of 30 s.
// A code is good in its own step and the two beside it, once; none older than a good one is good
// again. Five wrong ones within 15 minutes lock the principal out of giving any for 15. A code that
// was good and is used up is refused, but is not a wrong one: calls at the same moment may give the
// same. Nor is what has the form of a recovery code, which nobody can guess.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/totp_store.h"

namespace host::identity {

// What a person takes with them from an enrolment; it is shown this once.
struct Enrolment {
  std::string uri;                    // otpauth://totp/..., as in the QR code
  std::string secret;                 // base32, for who types it
  std::vector<std::string> recovery;  // each good once, in place of a code
};

// In place of one that was never confirmed. It is valid from confirm() on. InvalidArgument: the
// principal has confirmed codes, which are removed first.
Result<Enrolment> enroll(store::TotpStore& enrolments, const std::string& principal, WallTime now);

// What came of a code, for the audit.
enum class CodeVerdict { NotJudged, Good, Wrong, Used, Locked, NotEnrolled };
std::string_view to_string(CodeVerdict verdict);

struct JudgedCode {
  CodeVerdict verdict = CodeVerdict::NotJudged;
  std::optional<WallTime> locks_until;  // this wrong one began a lock
};

inline bool is_refused(const JudgedCode& judged) {
  return judged.verdict != CodeVerdict::NotJudged && judged.verdict != CodeVerdict::Good;
}

// Of a code that is judged on another thread: read once that is done.
using SharedJudgement = std::shared_ptr<JudgedCode>;

// Uses a code, or a recovery code, up. Denied: it is wrong or was used, or the principal is locked
// out or has not enrolled; the message says which, and never the code.
// `judged`, here and below: gets what came of the code; nullptr: nobody wants to know.
Result<void> use_code(store::TotpStore& enrolments, const std::string& principal,
                      std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// The first code proves that the person has it.
Result<void> confirm(store::TotpStore& enrolments, const std::string& principal,
                     std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// The same for a person who does it alone, in steps, so that nothing is lost by a page that is
// closed: recovery codes come with the first code, and codes that count are not replaced, which
// would take no more than a login. Nothing: the principal has such.
Result<std::optional<Enrolment>> enroll_first(store::TotpStore& enrolments,
                                              const std::string& principal, WallTime now);
// confirm(), and the recovery codes, which are told this once.
Result<std::vector<std::string>> confirm_with_recovery(store::TotpStore& enrolments,
                                                       const std::string& principal,
                                                       std::string_view code, WallTime now,
                                                       JudgedCode* judged = nullptr);
// use_code(), and recovery codes in place of those that were left.
Result<std::vector<std::string>> renew_recovery(store::TotpStore& enrolments,
                                                const std::string& principal, std::string_view code,
                                                WallTime now, JudgedCode* judged = nullptr);
// Ends an enrolment by a code; one that was never confirmed counts for nothing and takes none.
Result<void> remove_by_code(store::TotpStore& enrolments, const std::string& principal,
                            std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// The operator's way out of a lock. False: the principal has no codes.
Result<bool> unlock(store::TotpStore& enrolments, const std::string& principal);

Error not_enrolled(const std::string& principal);

// The code of one step, for a secret of bytes.
std::string code_of(std::string_view secret, std::uint64_t step);

}  // namespace host::identity
