// Checks one-time codes (RFC 6238) of authenticator apps, with SHA-1, six digits and a step of 30
// s. A code is valid only once, during its own step of 30 s and during the steps directly before
// and after. After a code was accepted, older codes are no longer valid. Five wrong codes within 15
// minutes lock the principal for 15 minutes.
//
// The host refuses a used code but does not count it as wrong, because simultaneous calls can send
// the same code. A wrong recovery code does not count as a failed attempt, because recovery codes
// cannot be guessed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "store/part/totp_store.h"

namespace host::identity {

// An Enrolment contains the data that a user gets when the enrolment begins. The host shows the
// data of an enrolment only once.
struct Enrolment {
  std::string uri;     // otpauth://totp/..., the content of the QR code
  std::string secret;  // base32, for typing
  // Each recovery code is valid once, in place of a one-time code.
  std::vector<std::string> recovery;
};

// Starts an enrolment, which replaces an enrolment that was never confirmed. The enrolment becomes
// valid when confirm() succeeds. The Error InvalidArgument means that the principal already has
// confirmed codes, which must be removed first.
Result<Enrolment> enroll(store::TotpStore& enrolments, const std::string& principal, WallTime now);

// Returns true if wrong codes have locked the principal at `now`.
bool is_locked(const store::TotpRecord& record, WallTime now);

// CodeVerdict is the result of the check of a one-time code, for the audit log.
enum class CodeVerdict { NotJudged, Good, Wrong, Used, Locked, NotEnrolled };
std::string_view to_string(CodeVerdict verdict);

// A UsedCode contains the changes that use_code() has made and that give_code_back() can undo.
struct UsedCode {
  WallTime enrolled{};     // when the code's enrolment was begun
  std::uint64_t step = 0;  // time step of the code; 0: a recovery code
  std::uint64_t step_before = 0;
  std::optional<Sha256> recovery;     // digest of the recovery code
  std::vector<Sha256> recovery_left;  // digests of the other recovery codes
};

struct JudgedCode {
  CodeVerdict verdict = CodeVerdict::NotJudged;
  std::optional<WallTime> locks_until;  // the end of the lock that this wrong code began
  UsedCode used;                        // if the verdict is Good: the used code
};

inline bool is_refused(const JudgedCode& judged) {
  return judged.verdict != CodeVerdict::NotJudged && judged.verdict != CodeVerdict::Good;
}

// A SharedJudgement gets the result of the check of a one-time code on another thread. Read the
// result only after the check ended.
using SharedJudgement = std::shared_ptr<JudgedCode>;

// Checks a code or a recovery code, and uses it up. The Error Denied means that the code is wrong
// or was used, or that the principal is locked or has not enrolled. The Error's message names the
// reason, and never contains the code. A function with a parameter `judged` stores the result of
// the code's check in it. `judged` can be nullptr.
Result<void> use_code(store::TotpStore& enrolments, const std::string& principal,
                      std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// Makes a used code valid again, because its call did not run. The function give_code_back() has no
// effect if the principal has used a later code, or has replaced the recovery codes.
Result<void> give_code_back(store::TotpStore& enrolments, const std::string& principal,
                            const UsedCode& used);

// Confirms an enrolment. confirm() does not accept a recovery code, because the first code must
// prove that the user has the secret.
Result<void> confirm(store::TotpStore& enrolments, const std::string& principal,
                     std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// enroll_first() is enroll() for users who enrol themselves. The user can close the enrolment page
// without a loss, because recovery codes are shown only after the first valid code. enroll_first()
// does not replace a confirmed enrolment, because a login alone must not suffice for the
// replacement. If the principal has a confirmed enrolment, the function returns nullopt.
Result<std::optional<Enrolment>> enroll_first(store::TotpStore& enrolments,
                                              const std::string& principal, WallTime now);
// Confirms an enrolment as confirm() does, and returns the recovery codes, which are shown only
// once.
Result<std::vector<std::string>> confirm_with_recovery(store::TotpStore& enrolments,
                                                       const std::string& principal,
                                                       std::string_view code, WallTime now,
                                                       JudgedCode* judged = nullptr);
// Calls use_code(), and replaces the remaining recovery codes by new ones.
Result<std::vector<std::string>> renew_recovery(store::TotpStore& enrolments,
                                                const std::string& principal, std::string_view code,
                                                WallTime now, JudgedCode* judged = nullptr);
// Removes an enrolment if the code is valid. An enrolment that was never confirmed needs no code.
Result<void> remove_by_code(store::TotpStore& enrolments, const std::string& principal,
                            std::string_view code, WallTime now, JudgedCode* judged = nullptr);

// Ends the lock of a principal, for the operator. Returns false if the principal has no enrolment.
Result<bool> unlock(store::TotpStore& enrolments, const std::string& principal);

Error not_enrolled(const std::string& principal);

// Returns the code that belongs to one time step. `secret` contains the bytes of the secret.
std::string code_of(std::string_view secret, std::uint64_t step);

}  // namespace host::identity
