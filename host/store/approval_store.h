// What people are asked about calls, and what they said: records that outlive the host, and that
// another process may answer. A yes is a receipt: it serves one run of the call that it was given
// for, and no other. Every call blocks; one thread at a time. What was answered survives the
// process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "store/rule_store.h"

namespace host::store {

// What a yes is bound to.
struct ApprovalKey {
  std::string principal;
  std::string agent;  // as which it calls; empty: none
  std::string tool;
  std::string definition;  // digest of what the tool is
  std::string build;       // of what would run it, and of the post_ tools that the same yes covers
  Sha256 arguments{};      // of the text that will run

  bool operator==(const ApprovalKey&) const = default;
};

// Stored as these numbers. Approved: a yes that nothing has run by yet.
enum class ApprovalState : std::uint8_t { Pending, Approved, Rejected, Expired, Withdrawn, Used };

std::string_view to_string(ApprovalState state);  // pending, approved, ...

struct ApprovalRecord {
  std::string id;
  ApprovalKey key;
  std::string session;  // empty: none
  std::string provider;
  std::string arguments;  // JSON object
  // What the reviewer's arguments must satisfy, while it is pending: JSON; empty: not known, none.
  std::string input_schema;
  std::string presets;
  std::string reason;
  std::vector<std::string> suggestions;  // rules that would make the question unnecessary
  std::vector<std::string> rules;        // the same as RuleRecord has them
  std::vector<std::string> covered;      // post_ tools that the same yes covers
  bool needs_code = false;               // a yes needs a one-time code of its principal
  WallTime created{};
  WallTime expires{};  // of the question; then of the yes
  ApprovalState state = ApprovalState::Pending;
  // Of the decision.
  WallTime decided{};
  std::string decided_by;  // a person or program, by the way it came; empty: time
  std::string note;        // why, for the caller to read
  std::string edited;      // JSON object that is to run in place of `arguments`; empty: those
};

// What an "always" holds for: calls of the question's principal as the same agent, or as none,
// which is what a reviewer says who says no more; of its session; of its agent, whoever calls as
// that; all.
enum class Reach : std::uint8_t { Principal, Session, Agent, Host };

std::optional<Reach> reach_from(std::string_view word);  // principal, session, agent, host

struct ApprovalDecision {
  bool approved = false;
  std::string by;
  std::string note;
  std::string edited;
  std::chrono::milliseconds good_for{0};  // of a yes
  std::optional<Reach> always = {};       // a yes that makes the record's rules hold from now on
  // Called last, when nothing else can refuse the answer, and within its transaction: what it
  // writes is kept if the answer is. An error refuses the answer; what it wrote is kept where that
  // is Denied.
  std::function<Result<void>()> spend = {};
};

struct ApprovalAnswer {
  bool by_this = false;           // false: it was not pending any more, and nothing changed
  std::vector<RuleRecord> rules;  // that "always" stored
};

// What was settled is kept so long since it was asked.
constexpr std::chrono::hours kKeepApprovals{24 * 90};

struct ApprovalBounds {
  std::chrono::milliseconds keep = kKeepApprovals;  // of settled ones
  // Of one principal.
  std::uint32_t pending = 64;
  std::uint32_t settled = 1000;  // that nobody answered; the oldest go first
};

class ApprovalStore {
 public:
  virtual ~ApprovalStore() = default;

  // The record that this call has to do with: one of its key that is not among `taken` and is
  // pending, is a yes, which is Used from here on, or was a no since `no_since`; a yes before a no
  // before a question. Where there is none `fresh` is stored and given back, with a word in its
  // reason where a yes exists for another build. Nothing, and nothing stored:
  // ApprovalBounds::pending of its principal are pending. `spend` is called for a question or a
  // yes, see ApprovalDecision: an error leaves both as they were.
  virtual Result<std::optional<ApprovalRecord>> meet(
      const ApprovalRecord& fresh, const std::set<std::string>& taken, WallTime no_since,
      const std::function<Result<void>()>& spend = {}) = 0;

  // The same for one record: a yes is Used from here on. Nothing: there is none of this id.
  virtual Result<std::optional<ApprovalRecord>> look(std::string_view id) = 0;

  // This call runs without a yes: each yes for it is Used from here on, for it was for a run of
  // this very call. False: there was none.
  virtual Result<bool> use_up(const ApprovalKey& key) = 0;

  // NotFound: there is none of this id. InvalidArgument: no rule would spare this question, or it
  // came from no such session or agent, so "always" means nothing.
  virtual Result<ApprovalAnswer> decide(std::string_view id, const ApprovalDecision& decision) = 0;
  // Nobody waits for an answer any more. False: it was not pending any more.
  virtual Result<bool> withdraw(std::string_view id) = 0;
  // The same, where another question of its key is pending. False: there is none.
  virtual Result<bool> withdraw_if_twin(std::string_view id) = 0;

  virtual Result<ApprovalRecord> find(std::string_view id) = 0;
  // The newest first; those that are pending alone, or all. `after`: an id, the list goes on
  // after it; empty: from the newest. InvalidArgument: there is none of this id.
  virtual Result<std::vector<ApprovalRecord>> list(bool pending_only, std::uint32_t limit,
                                                   std::string_view after) = 0;

  // Whether another process has written since the last time that this was asked.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
