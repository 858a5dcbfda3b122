#include "identity/totp.h"

#include <liboath/oath.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "identity/oauth/subject.h"
#include "identity/secret.h"

namespace host::identity {
namespace {

using namespace std::chrono_literals;
using store::TotpRecord;

constexpr std::uint64_t kStepSeconds = 30;
constexpr unsigned kDigits = 6;
constexpr std::size_t kSeedBytes = 20;  // the length that RFC 4226 recommends for HMAC-SHA-1
constexpr std::uint32_t kMostFailures = 5;
constexpr auto kLockWindow = 15min;
constexpr std::size_t kRecoveryCodes = 8;
constexpr std::size_t kRecoveryBytes = 16;

std::uint64_t step_of(WallTime time) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since_epoch, 0)) / kStepSeconds;
}

// The step near `now` that a code belongs to.
std::optional<std::uint64_t> step_with(std::string_view secret, std::string_view code,
                                       WallTime now) {
  const std::uint64_t current = step_of(now);
  std::optional<std::uint64_t> found;
  for (std::uint64_t step = current - 1; step <= current + 1; ++step) {
    if (equal_constant_time(code_of(secret, step), code)) found = step;
  }
  return found;
}

CodeVerdict failed(TotpRecord& record, WallTime now) {
  // A time to come is one of a clock that was wrong: its window would not end before that time.
  record.failing_since = std::min(record.failing_since, now);
  if (record.failures == 0 || now - record.failing_since >= kLockWindow) {
    record.failures = 0;
    record.failing_since = now;
  }
  if (++record.failures >= kMostFailures) {
    record.locked_until = now + kLockWindow;
    record.failures = 0;
  }
  return CodeVerdict::Wrong;
}

// Recovery codes have 128 bits: a wrong one is used up or mistyped, never a promising guess.
bool is_like_recovery(std::string_view code) {
  constexpr std::size_t kLetters = (kRecoveryBytes * 8 + 5) / 6;  // of base64
  return code.size() == kLetters;
}

CodeVerdict judge(TotpRecord& record, std::string_view code, WallTime now, UsedCode& used) {
  if (is_locked(record, now)) return CodeVerdict::Locked;
  // The first code proves that the app has the secret. A recovery code proves nothing about it.
  const auto last = record.confirmed ? record.recovery.end() : record.recovery.begin();
  const auto spare = std::find(record.recovery.begin(), last, digest_of_secret(code));
  if (spare != last) {
    used.recovery = *spare;
    record.recovery.erase(spare);
    used.recovery_left = record.recovery;
    record.failures = 0;
    return CodeVerdict::Good;
  }
  const auto step = step_with(record.secret, code, now);
  if (!step) {
    return is_like_recovery(code) ? CodeVerdict::Wrong : failed(record, now);
  }
  if (*step <= record.last_step) return CodeVerdict::Used;
  used.step_before = std::exchange(record.last_step, *step);
  used.step = *step;
  record.failures = 0;
  return CodeVerdict::Good;
}

Error refused(CodeVerdict how, const std::string& principal) {
  const std::string whose = "the one-time code of \"" + principal + "\"";
  switch (how) {
    case CodeVerdict::Used:
      return {ErrorKind::Denied, whose + " was used before: wait for the next one"};
    case CodeVerdict::Locked:
      return {ErrorKind::Denied,
              "too many wrong codes of \"" + principal +
                  "\": none is taken for 15 minutes; `toolpost totp unlock` ends that"};
    default:
      return {ErrorKind::Denied, whose + " is wrong"};
  }
}

std::string base32(std::string_view bytes) {
  char* text = nullptr;
  std::size_t length = 0;
  if (oath_base32_encode(bytes.data(), bytes.size(), &text, &length) != OATH_OK) return {};
  std::string out(text, length);
  std::free(text);
  return out;
}

// A principal of a token can have characters that no URI has, such as `|`. A colon in the label
// would begin the account.
std::string in_label(std::string_view principal) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : principal) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4u], kHex[byte & 15u]};
    }
  }
  return out;
}

// An enrolment without recovery codes, and its stored record.
struct Fresh {
  Enrolment told;
  TotpRecord kept;
};

Result<Fresh> fresh_of(const std::string& principal, WallTime now) {
  if (!is_principal_of_subject(principal)) HOST_TRY(check_principal(principal));
  std::array<std::uint8_t, kSeedBytes> bytes{};
  random_bytes(bytes);
  Fresh fresh;
  fresh.kept.principal = principal;
  fresh.kept.secret.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  fresh.kept.enrolled = now;
  fresh.told.secret = base32(fresh.kept.secret);
  if (fresh.told.secret.empty()) {
    return Error{ErrorKind::Internal, "the secret could not be written"};
  }
  fresh.told.uri = "otpauth://totp/Toolpost:" + in_label(principal) +
                   "?secret=" + fresh.told.secret +
                   "&issuer=Toolpost&algorithm=SHA1&digits=6&period=30";
  return fresh;
}

// False: the principal has confirmed codes, and nothing changed.
Result<bool> put_unless_confirmed(store::TotpStore& enrolments, const TotpRecord& fresh) {
  bool confirmed = false;
  const auto replace = [&](TotpRecord& record) {
    confirmed = record.confirmed;
    if (!confirmed) record = fresh;
  };
  HOST_TRY_ASSIGN(const bool there, enrolments.change(fresh.principal, replace));
  if (!there) HOST_TRY(enrolments.put(fresh));
  return !confirmed;
}

// Replaces the remaining recovery codes.
std::vector<std::string> give_recovery(TotpRecord& record) {
  std::vector<std::string> codes;
  record.recovery.clear();
  for (std::size_t i = 0; i < kRecoveryCodes; ++i) {
    codes.push_back(random_id(kRecoveryBytes));
    record.recovery.push_back(digest_of_secret(codes.back()));
  }
  return codes;
}

// The checks of a first code and of later ones. `recovery`: receives new recovery codes if the code
// is valid; nullptr: the existing ones stay.
Result<void> use(store::TotpStore& enrolments, const std::string& principal, std::string_view code,
                 WallTime now, bool confirms, JudgedCode* judged,
                 std::vector<std::string>* recovery = nullptr) {
  JudgedCode found{CodeVerdict::NotEnrolled, {}, {}};
  const auto look = [&](TotpRecord& record) {
    if (record.confirmed == confirms) return;
    const WallTime locked_before = record.locked_until;
    found.verdict = judge(record, code, now, found.used);
    if (record.locked_until != locked_before) found.locks_until = record.locked_until;
    if (found.verdict != CodeVerdict::Good) return;
    found.used.enrolled = record.enrolled;
    record.confirmed = true;
    if (recovery) *recovery = give_recovery(record);
  };
  HOST_TRY(enrolments.change(principal, look));
  if (judged) *judged = found;
  if (found.verdict == CodeVerdict::NotEnrolled) return not_enrolled(principal);
  if (found.verdict == CodeVerdict::Good) return {};
  return refused(found.verdict, principal);
}

}  // namespace

// A lock that is longer than any is one of a clock that was wrong. The bound is two windows, so
// that a clock that is set back a little lifts no lock.
bool is_locked(const TotpRecord& record, WallTime now) {
  return now < record.locked_until && record.locked_until - now <= 2 * kLockWindow;
}

std::string_view to_string(CodeVerdict verdict) {
  switch (verdict) {
    case CodeVerdict::NotJudged:
      return "not_judged";
    case CodeVerdict::Good:
      return "good";
    case CodeVerdict::Wrong:
      return "wrong";
    case CodeVerdict::Used:
      return "used";
    case CodeVerdict::Locked:
      return "locked";
    case CodeVerdict::NotEnrolled:
      return "not_enrolled";
  }
  return "";
}

Error not_enrolled(const std::string& principal) {
  return {ErrorKind::Denied, "\"" + principal +
                                 "\" has no one-time codes: an operator enrols them by `toolpost "
                                 "totp enroll " +
                                 principal + "`"};
}

std::string code_of(std::string_view secret, std::uint64_t step) {
  std::array<char, kDigits + 1> code{};
  const auto time = static_cast<std::time_t>(step * kStepSeconds);
  const int failed = oath_totp_generate(secret.data(), secret.size(), time, kStepSeconds,
                                        OATH_TOTP_DEFAULT_START_TIME, kDigits, code.data());
  return failed == OATH_OK ? std::string(code.data()) : std::string();
}

Result<Enrolment> enroll(store::TotpStore& enrolments, const std::string& principal, WallTime now) {
  HOST_TRY_ASSIGN(Fresh fresh, fresh_of(principal, now));
  fresh.told.recovery = give_recovery(fresh.kept);
  HOST_TRY_ASSIGN(const bool stored, put_unless_confirmed(enrolments, fresh.kept));
  if (stored) return fresh.told;
  return Error{
      ErrorKind::InvalidArgument,
      "\"" + principal +
          "\" has one-time codes that are valid; remove them first: toolpost totp remove " +
          principal};
}

Result<std::optional<Enrolment>> enroll_first(store::TotpStore& enrolments,
                                              const std::string& principal, WallTime now) {
  HOST_TRY_ASSIGN(const Fresh fresh, fresh_of(principal, now));
  HOST_TRY_ASSIGN(const bool stored, put_unless_confirmed(enrolments, fresh.kept));
  return stored ? std::optional<Enrolment>(fresh.told) : std::nullopt;
}

Result<std::vector<std::string>> confirm_with_recovery(store::TotpStore& enrolments,
                                                       const std::string& principal,
                                                       std::string_view code, WallTime now,
                                                       JudgedCode* judged) {
  std::vector<std::string> recovery;
  HOST_TRY(use(enrolments, principal, code, now, true, judged, &recovery));
  return recovery;
}

Result<std::vector<std::string>> renew_recovery(store::TotpStore& enrolments,
                                                const std::string& principal, std::string_view code,
                                                WallTime now, JudgedCode* judged) {
  std::vector<std::string> recovery;
  HOST_TRY(use(enrolments, principal, code, now, false, judged, &recovery));
  return recovery;
}

Result<void> remove_by_code(store::TotpStore& enrolments, const std::string& principal,
                            std::string_view code, WallTime now, JudgedCode* judged) {
  HOST_TRY_ASSIGN(const auto record, enrolments.find(principal));
  if (!record) return not_enrolled(principal);
  if (record->confirmed) HOST_TRY(use_code(enrolments, principal, code, now, judged));
  HOST_TRY(enrolments.remove(principal));
  return {};
}

Result<bool> unlock(store::TotpStore& enrolments, const std::string& principal) {
  return enrolments.change(principal, [](TotpRecord& record) {
    record.failures = 0;
    record.locked_until = {};
  });
}

Result<void> confirm(store::TotpStore& enrolments, const std::string& principal,
                     std::string_view code, WallTime now, JudgedCode* judged) {
  return use(enrolments, principal, code, now, true, judged);
}

Result<void> use_code(store::TotpStore& enrolments, const std::string& principal,
                      std::string_view code, WallTime now, JudgedCode* judged) {
  return use(enrolments, principal, code, now, false, judged);
}

Result<void> give_code_back(store::TotpStore& enrolments, const std::string& principal,
                            const UsedCode& used) {
  HOST_TRY(enrolments.change(principal, [&](TotpRecord& record) {
    if (!record.confirmed || record.enrolled != used.enrolled) return;
    if (used.step > 0 && record.last_step == used.step) record.last_step = used.step_before;
    const bool others =
        std::any_of(record.recovery.begin(), record.recovery.end(), [&](const Sha256& one) {
          return std::find(used.recovery_left.begin(), used.recovery_left.end(), one) ==
                 used.recovery_left.end();
        });
    if (used.recovery && !others) record.recovery.push_back(*used.recovery);
  }));
  return {};
}

}  // namespace host::identity
