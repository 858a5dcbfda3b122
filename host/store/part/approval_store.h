// Approval requests and decisions: records that survive the host, and that a different process may
// decide. An approval covers exactly one run of its call. Every call blocks; one thread at a time.
// A change survives the process once its call has returned.
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
#include "store/part/rule_store.h"

namespace host::store {

// An approval is valid only for a call with the same key.
struct ApprovalKey {
  std::string principal;
  std::string agent;  // the call's agent profile; empty: none
  std::string tool;
  std::string definition;  // digest of the tool's declaration
  // Digests of the builds of the tool and of the post_ tools that the approval covers.
  std::string build;
  Sha256 arguments{};  // digest of the arguments' text

  bool operator==(const ApprovalKey&) const = default;
};

// The database has these numbers. Approved: no run has used the approval yet.
enum class ApprovalState : std::uint8_t { Pending, Approved, Rejected, Expired, Withdrawn, Used };

std::string_view to_string(ApprovalState state);  // pending, approved, ...

struct ApprovalRecord {
  std::string id;
  ApprovalKey key;
  std::string session;  // empty: none
  std::string provider;
  // JSON object. Empty: it was larger than kKeptArgumentsBytes, and nobody decided.
  std::string arguments;
  // JSON Schema for the reviewer's arguments, while the request is pending. Empty: unknown or none.
  std::string input_schema;
  std::string presets;
  std::string reason;
  std::vector<std::string> suggestions;  // rules that would make the approval unnecessary
  std::vector<std::string> rules;        // the same, in the form of RuleRecord
  std::vector<std::string> covered;      // post_ tools that the approval covers
  bool needs_code = false;               // approving needs a one-time code of the principal
  // A question of ask_user. Instead of an approval it needs an answer, which is the call's result.
  bool is_question = false;
  WallTime created{};
  WallTime expires{};  // expiry of the request, then of the approval
  ApprovalState state = ApprovalState::Pending;
  // About the decision.
  WallTime decided{};
  std::string decided_by;  // who decided; empty: the request expired
  std::string note;        // the reason, shown to the caller
  std::string edited;      // JSON object that replaces `arguments`; empty: they are unchanged
  std::string answer;      // to a question; empty: none yet
};

// The state in words for users: the state of an answered question is "answered".
std::string_view state_of(const ApprovalRecord& record);

// The calls to which an "always" applies.
//   Principal  calls of the same principal with the same agent, or without one (the default)
//   Session    calls of the same session
//   Agent      all calls with the same agent
//   Host       all calls
enum class Reach : std::uint8_t { Principal, Session, Agent, Host };

std::optional<Reach> reach_from(std::string_view word);  // principal, session, agent, host

struct ApprovalDecision {
  bool approved = false;
  std::string by;
  std::string note;
  std::string edited;
  std::chrono::milliseconds good_for{0};  // how long an approval is valid
  std::optional<Reach> always = {};       // an approval that also stores the record's rules
  // Called last, within the transaction, when nothing else can refuse the decision. Its writes are
  // stored with the decision. An error refuses the decision and drops the writes, except that
  // Denied keeps them.
  std::function<Result<void>()> spend = {};
  std::string answer = {};  // to a question, which is then `approved`
};

struct UsedUp {
  std::vector<std::string> used;  // ids of approvals
  bool withdrew = false;          // a pending request
};

struct ApprovalAnswer {
  bool by_this = false;           // false: it was no longer pending, and nothing changed
  std::vector<RuleRecord> rules;  // that "always" stored
};

// Larger arguments are forgotten when a request is withdrawn or expires. So a caller cannot fill
// the store with requests that it withdraws.
constexpr std::size_t kKeptArgumentsBytes = 4096;

// How long decided requests are kept after they were made.
constexpr std::chrono::hours kKeepApprovals{24 * 90};

struct ApprovalBounds {
  std::chrono::milliseconds keep = kKeepApprovals;  // how long decided requests are kept
  // The limits of one principal.
  std::uint32_t pending = 64;
  std::uint32_t settled = 1000;  // ended without a decision; the oldest are removed first
};

// True if a list has ended because its arguments together reach kApprovalListBytes. There may be
// more records.
constexpr std::size_t kApprovalListBytes = 1u << 20u;
bool is_full(const std::vector<ApprovalRecord>& list);

class ApprovalStore {
 public:
  virtual ~ApprovalStore() = default;

  // Finds the record for this call. A record matches if it has the call's key, is not among
  // `taken`, and is
  //   1. Approved, or
  //   2. Rejected since `no_since`, or
  //   3. Pending.
  //
  // If several match, this order decides. If none matches, `fresh` is stored and returned; its
  // reason says if an approval exists for a different build. nullopt, and nothing stored: the
  // principal already has ApprovalBounds::pending pending requests. `spend` is called for a pending
  // or approved record, see ApprovalDecision; an error leaves both unchanged.
  virtual Result<std::optional<ApprovalRecord>> meet(
      const ApprovalRecord& fresh, const std::set<std::string>& taken, WallTime no_since,
      const std::function<Result<void>()>& spend = {}) = 0;

  // The current record. nullopt: there is no such record.
  virtual Result<std::optional<ApprovalRecord>> look(std::string_view id) = 0;

  // The call runs with this approval, which becomes Used. The call found the approval in time, so
  // it may have expired since. False: the approval is not Approved any more, and the call must not
  // run with it.
  virtual Result<bool> use(std::string_view id) = 0;
  // This call runs without approval. Every approval of it that is not among `taken` becomes Used,
  // because it was for a run of this call. Its pending requests that are not among `taken` are
  // withdrawn: nobody has to decide about them any more.
  virtual Result<UsedUp> use_up(const ApprovalKey& key, const std::set<std::string>& taken) = 0;
  // The call did not run after all: what became Used by it is Approved again, until it expires.
  virtual Result<void> give_back(std::string_view id) = 0;

  // NotFound: there is no such record. InvalidArgument: "always" is impossible, because no rule
  // would make this approval unnecessary, or because the call had no session or agent.
  virtual Result<ApprovalAnswer> decide(std::string_view id, const ApprovalDecision& decision) = 0;
  // The call no longer waits for the decision. False: it was no longer pending.
  virtual Result<bool> withdraw(std::string_view id) = 0;
  // Same, but only if a second request with its key is pending. False: there is none.
  virtual Result<bool> withdraw_if_twin(std::string_view id) = 0;

  virtual Result<ApprovalRecord> find(std::string_view id) = 0;
  // The newest first: only pending records, or all. `after`: the id after which the list continues;
  // empty: from the newest. The list ends early if it is_full(). InvalidArgument: there is no such
  // id.
  virtual Result<std::vector<ApprovalRecord>> list(bool pending_only, std::uint32_t limit,
                                                   std::string_view after) = 0;

  // True if a different process has written since the last call of this function.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
