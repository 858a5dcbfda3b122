// Stores approval requests and the decisions about them. The approval requests survive the end of
// the host, and a different process can decide about them. An approval covers exactly one run of
// its call. Every function blocks. Only one thread at a time may use the store. When a function of
// the store has returned, its changes survive the end of the process.
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

// An approval is valid only for a call with the same ApprovalKey.
struct ApprovalKey {
  std::string principal;
  std::string agent;  // the agent profile of the call; empty: none
  std::string tool;
  std::string definition;  // digest of the tool's declaration
  // The digests of the builds of the tool and of the post_ tools that the approval covers.
  std::string build;
  // The digest of the call's arguments (as text), and of the context and files that the client sent
  // with them.
  Sha256 arguments{};

  bool operator==(const ApprovalKey&) const = default;
};

// The database stores the states of approval requests as numbers. The state Approved means that no
// run of the call has used the approval yet.
enum class ApprovalState : std::uint8_t { Pending, Approved, Rejected, Expired, Withdrawn, Used };

std::string_view to_string(ApprovalState state);  // pending, approved, ...

struct ApprovalRecord {
  std::string id;
  ApprovalKey key;
  std::string session;  // empty: none
  std::string provider;
  // The arguments of the call, as a JSON object. When a request is withdrawn or expires,
  // `arguments` becomes empty if it is larger than kKeptArgumentsBytes.
  std::string arguments;
  // The context that the client sent with the call, as tool::text_of() writes it. `context` is
  // empty if the client sent no context. When a request is withdrawn or expires, `context` becomes
  // empty if it is larger than kKeptArgumentsBytes.
  std::string context;
  // The JSON Schema for arguments that a reviewer enters, while the request is pending.
  // `input_schema` is empty if the tool has no schema or its schema is unknown.
  std::string input_schema;
  std::string presets;
  std::string reason;
  std::vector<std::string> suggestions;  // rules that would make the approval unnecessary
  std::vector<std::string> rules;        // `suggestions` in the form of RuleRecord
  std::vector<std::string> covered;      // post_ tools that the approval covers
  bool needs_code = false;               // true: an approval needs a one-time code of the principal
  // `is_question` is true if the request is a question that the tool ask_user asks. A question
  // needs an answer instead of an approval. The answer to a question is the result of the call of
  // ask_user.
  bool is_question = false;
  WallTime created{};
  WallTime expires{};  // when the request expires; if Approved: when the approval expires
  ApprovalState state = ApprovalState::Pending;
  // The members below describe the reviewer's decision.
  WallTime decided{};
  std::string decided_by;  // who decided; empty: nobody, the request expired
  std::string note;        // the reason, shown to the caller
  std::string edited;      // JSON object that replaces `arguments`; empty: they are unchanged
  std::string answer;      // the answer to the question; empty: none yet
};

// Returns the word for the record's state that users see, such as "answered" for an answered
// question.
std::string_view state_of(const ApprovalRecord& record);

// The calls to which a rule applies after a reviewer has stored the rule with "always". A rule with
// Principal (the default) applies to calls of the same principal with the same agent, or with no
// agent. A rule with Session applies to calls of the same session. A rule with Agent applies to all
// calls with the same agent. A rule with Host applies to all calls.
enum class Reach : std::uint8_t { Principal, Session, Agent, Host };

std::optional<Reach> reach_from(std::string_view word);  // principal, session, agent, host

struct ApprovalDecision {
  bool approved = false;
  std::string by;
  std::string note;
  std::string edited;
  std::chrono::milliseconds good_for{0};  // how long an approval is valid
  std::optional<Reach> always = {};       // nullopt: the approval stores no rules
  // The store calls `spend` as the last step in the transaction of the decision, when no other
  // check can refuse the decision. The changes that `spend` makes are stored together with the
  // decision. If `spend` returns an Error, the store refuses the decision and drops the changes
  // that `spend` made. If `spend` returns the Error Denied, the store refuses the decision, but
  // keeps the changes that `spend` made.
  std::function<Result<void>()> spend = {};
  std::string answer = {};  // the answer to a question; then `approved` is true
};

struct UsedUp {
  std::vector<std::string> used;  // ids of the approvals that became Used
  bool withdrew = false;          // true: use_up() withdrew a pending request
};

struct ApprovalAnswer {
  bool by_this = false;           // false: the request was no longer pending, and nothing changed
  std::vector<RuleRecord> rules;  // the rules that "always" stored
};

// The maximum size of the arguments, and of the context, that the store keeps when a request is
// withdrawn or expires. Larger arguments and contexts are removed then, so that a caller cannot
// fill the store with withdrawn requests.
constexpr std::size_t kKeptArgumentsBytes = 4096;

// The time for which the store keeps decided requests, counted from the creation of the request.
constexpr std::chrono::hours kKeepApprovals{24 * 90};

struct ApprovalBounds {
  std::chrono::milliseconds keep = kKeepApprovals;  // how long decided requests are stored
  // The limits on the approval requests of one principal.
  std::uint32_t pending = 64;
  // The maximum number of stored approval requests of one principal that ended without a decision.
  // Beyond the maximum, the store removes the oldest ones.
  std::uint32_t settled = 1000;
};

// is_full() returns true if list() ended early, because its records reached kApprovalListBytes
// (arguments and contexts together). If is_full() returns true, the store can contain more records
// than `list`.
constexpr std::size_t kApprovalListBytes = 1u << 20u;
bool is_full(const std::vector<ApprovalRecord>& list);

class ApprovalStore {
 public:
  virtual ~ApprovalStore() = default;

  // Finds the approval request for this call. A record matches if it has the call's key, its id is
  // not in `taken` (the ids reserved for other calls), and it has one of these states:
  //   - Approved;
  //   - Rejected, if the rejection is not older than `no_since`;
  //   - Pending.
  //
  // If several records match, meet() returns an Approved record, or else a Rejected record. If no
  // record matches, the function stores `fresh` and returns it. If the store contains an approval
  // of the same call for a different build, the `reason` of the new record mentions this approval.
  // If the principal already has ApprovalBounds::pending pending requests, meet() stores nothing
  // and returns nullopt.
  //
  // `spend` uses up the one-time code that the client sent with the call. meet() calls `spend` in
  // its transaction if it stores a new approval request. meet() also calls `spend` if the matching
  // record is Pending or Approved, and neither a reviewer nor a call of this session has given a
  // code for it. A pending approval request for which meet() has called `spend` needs no further
  // code, and belongs to the session of `fresh`. If `spend` returns an Error, the record stays
  // unchanged. A call that needs a one-time code gets an approval that needed no code only within
  // the same session.
  virtual Result<std::optional<ApprovalRecord>> meet(
      const ApprovalRecord& fresh, const std::set<std::string>& taken, WallTime no_since,
      const std::function<Result<void>()>& spend = {}) = 0;

  // Returns the record in its current state. Returns nullopt if there is no such record.
  virtual Result<std::optional<ApprovalRecord>> look(std::string_view id) = 0;

  // Marks an approval as Used, because its call is about to run. use() also accepts an approval
  // that has expired since the call found it. Returns false if the record is in any other state,
  // for example because another call has used the approval. If use() returns false, the call must
  // not run with this approval.
  virtual Result<bool> use(std::string_view id) = 0;
  // Call use_up() when the call with this key runs without approval. Every approval of this call
  // whose id is not in `taken` becomes Used, because it was for the run that now begins. use_up()
  // also withdraws the call's pending approval requests, except those in `taken`.
  virtual Result<UsedUp> use_up(const ApprovalKey& key, const std::set<std::string>& taken) = 0;
  // Undoes use(), because the call did not run. The record is Approved again until the approval
  // expires.
  virtual Result<void> give_back(std::string_view id) = 0;

  // Decides about a pending approval request. The Error NotFound means that there is no such
  // record. The Error InvalidArgument means that "always" is impossible: no rule would make this
  // approval unnecessary, or the call had no session or agent.
  virtual Result<ApprovalAnswer> decide(std::string_view id, const ApprovalDecision& decision) = 0;
  // Withdraws a request, because its call no longer waits for the decision. Returns false if the
  // request was no longer pending.
  virtual Result<bool> withdraw(std::string_view id) = 0;
  // Withdraws a request only if another pending request has the same ApprovalKey, and if no
  // one-time code was given for the withdrawn request. Returns false if the function withdrew no
  // request.
  virtual Result<bool> withdraw_if_twin(std::string_view id) = 0;

  virtual Result<ApprovalRecord> find(std::string_view id) = 0;
  // Lists only pending records or all records, the newest first. `after` is the id after
  // which the list continues. If `after` is empty, the list begins with the newest record. If
  // is_full() returns true for the list, the store can have further records that are not in the
  // list. The Error InvalidArgument means that no record has the id `after`.
  virtual Result<std::vector<ApprovalRecord>> list(bool pending_only, std::uint32_t limit,
                                                   std::string_view after) = 0;

  // Returns true if a different process has written to the database since the last call.
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
