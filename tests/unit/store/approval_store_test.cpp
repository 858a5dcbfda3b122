// The contract of store::ApprovalStore: what any store of approvals has to hold.
#include "store/part/approval_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using State = ApprovalState;

class SetClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

class ApprovalStoreTest : public ::testing::Test {
 protected:
  ApprovalStoreTest() {
    std::string name = (fs::temp_directory_path() / "approvals-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~ApprovalStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<Store> open_all() {
    return open_sqlite_store(folder_ / "toolpost.db", clock_).value();
  }
  std::shared_ptr<ApprovalStore> open() {
    const auto all = open_all();
    return {all, &all->approvals()};
  }
  ApprovalRecord fresh(const std::string& id, const std::string& arguments = R"({"n":1})") const {
    ApprovalRecord record;
    record.id = id;
    record.key = {"anna", "", "pre_move", "v1", "b1", sha256(arguments)};
    record.session = "s1";
    record.provider = "warehouse";
    record.arguments = arguments;
    record.context = R"({"values":{"tenant":"7"}})";
    record.reason = "it \"moves\"\nstock";
    record.suggestions = {"[[rule]] a", ""};
    record.covered = {"post_move"};
    record.created = clock_.now;
    record.expires = clock_.now + 300s;
    return record;
  }
  ApprovalRecord meet(const ApprovalRecord& record, const std::set<std::string>& taken = {}) {
    return store_->meet(record, taken, clock_.now - 60s).value().value();
  }
  bool decide(const std::string& id, bool approved, const std::string& edited = {}) {
    return store_->decide(id, {approved, "cli:anna", "a note", edited, 300s}).value().by_this;
  }
  State state_of(const std::string& id) { return store_->find(id).value().state; }

  fs::path folder_;
  SetClock clock_;
  std::shared_ptr<ApprovalStore> store_;
};

TEST_F(ApprovalStoreTest, KeepsAllOfAQuestionOverItsOwnEnd) {
  meet(fresh("a"));
  store_.reset();
  store_ = open();
  const ApprovalRecord kept = store_->find("a").value();
  const ApprovalRecord asked = fresh("a");
  EXPECT_EQ(kept.key, asked.key);
  EXPECT_EQ(kept.session, "s1");
  EXPECT_EQ(kept.provider, "warehouse");
  EXPECT_EQ(kept.arguments, asked.arguments);
  EXPECT_EQ(kept.context, asked.context);
  EXPECT_EQ(kept.reason, asked.reason);
  EXPECT_EQ(kept.suggestions, asked.suggestions);
  EXPECT_EQ(kept.covered, asked.covered);
  EXPECT_EQ(kept.created, asked.created);
  EXPECT_EQ(kept.expires, asked.expires);
  EXPECT_EQ(kept.state, State::Pending);
  EXPECT_EQ(store_->find("b").error().kind, ErrorKind::NotFound);
}

TEST_F(ApprovalStoreTest, TheSameCallMeetsItsQuestionAndThenItsYesOnce) {
  meet(fresh("a"));
  EXPECT_EQ(meet(fresh("b")).id, "a");
  EXPECT_TRUE(decide("a", true));
  const ApprovalRecord yes = meet(fresh("c"));
  EXPECT_EQ(yes.id, "a");
  EXPECT_EQ(yes.state, State::Approved);
  EXPECT_EQ(yes.decided_by, "cli:anna");
  EXPECT_EQ(yes.note, "a note");
  EXPECT_EQ(state_of("a"), State::Approved) << "no call has run by it yet";
  EXPECT_EQ(meet(fresh("d"), {"a"}).id, "d") << "another call has met it";
  EXPECT_TRUE(store_->use("a").value());
  EXPECT_EQ(state_of("a"), State::Used);
  EXPECT_FALSE(store_->use("a").value()) << "it was for one run";
}

TEST_F(ApprovalStoreTest, AYesOfACallThatDidNotRunIsGivenBack) {
  meet(fresh("a"));
  ASSERT_TRUE(store_->give_back("a"));
  EXPECT_EQ(state_of("a"), State::Pending);
  decide("a", true);
  EXPECT_TRUE(store_->use("a").value());
  ASSERT_TRUE(store_->give_back("a"));
  EXPECT_EQ(meet(fresh("b")).id, "a");
  EXPECT_EQ(state_of("a"), State::Approved);
  clock_.now += 301s;
  EXPECT_EQ(state_of("a"), State::Expired);
}

TEST_F(ApprovalStoreTest, AYesThatACallHasMetInTimeIsGoodForItsRun) {
  meet(fresh("a"));
  decide("a", true);
  clock_.now += 301s;
  EXPECT_EQ(meet(fresh("b")).id, "b");  // which notes that it has expired
  EXPECT_TRUE(store_->use("a").value());
  clock_.now += 301s;
  meet(fresh("c"));
  EXPECT_FALSE(store_->use("b").value()) << "nobody decided it";
}

TEST_F(ApprovalStoreTest, ACallThatRunsWithoutItsYesUsesItUp) {
  meet(fresh("a"));
  const std::vector<std::string> none;
  const std::vector<std::string> only_a = {"a"};
  EXPECT_TRUE(decide("a", true));
  EXPECT_EQ(store_->use_up(fresh("x", R"({"n":2})").key, {}).value().used, none)
      << "of another call";
  EXPECT_EQ(store_->use_up(fresh("x").key, {"a"}).value().used, none) << "another call holds it";
  EXPECT_EQ(state_of("a"), State::Approved);
  EXPECT_EQ(store_->use_up(fresh("x").key, {}).value().used, only_a);
  EXPECT_EQ(state_of("a"), State::Used);
  EXPECT_EQ(store_->use_up(fresh("x").key, {}).value().used, none);
  EXPECT_EQ(meet(fresh("b")).state, State::Pending);
}

TEST_F(ApprovalStoreTest, ACallThatRunsWithoutAnAnswerWithdrawsItsQuestion) {
  meet(fresh("a"));
  EXPECT_FALSE(store_->use_up(fresh("x", R"({"n":2})").key, {}).value().withdrew) << "another call";
  EXPECT_FALSE(store_->use_up(fresh("x").key, {"a"}).value().withdrew) << "a call waits for it";
  EXPECT_EQ(state_of("a"), State::Pending);
  const UsedUp up = store_->use_up(fresh("x").key, {}).value();
  EXPECT_TRUE(up.withdrew);
  EXPECT_TRUE(up.used.empty()) << "it is no yes";
  EXPECT_EQ(state_of("a"), State::Withdrawn);
}

TEST_F(ApprovalStoreTest, AYesThatHasExpiredIsNotUsedUp) {
  meet(fresh("a"));
  decide("a", true);
  clock_.now += 301s;
  EXPECT_TRUE(store_->use_up(fresh("x").key, {}).value().used.empty());
  EXPECT_EQ(state_of("a"), State::Expired);
}

TEST_F(ApprovalStoreTest, WhoWaitsForOneSeesItsYes) {
  meet(fresh("a"));
  EXPECT_EQ(store_->look("a").value()->state, State::Pending);
  EXPECT_TRUE(decide("a", true, R"({"n":2})"));
  const auto yes = store_->look("a").value();
  EXPECT_EQ(yes->state, State::Approved);
  EXPECT_EQ(yes->edited, R"({"n":2})");
  EXPECT_FALSE(store_->look("b").value().has_value());
}

TEST_F(ApprovalStoreTest, AQuestionThatSomebodyWaitsForIsNotSharedByItsTwin) {
  meet(fresh("a"));
  EXPECT_EQ(meet(fresh("b"), {"a"}).id, "b");
  EXPECT_TRUE(decide("b", true));
  EXPECT_EQ(meet(fresh("c"), {"a"}).id, "b");
  EXPECT_EQ(state_of("a"), State::Pending);
}

TEST_F(ApprovalStoreTest, AYesServesNoOtherCall) {
  meet(fresh("a"));
  decide("a", true);
  ApprovalRecord other = fresh("b", R"({"n":1 })");  // another byte
  EXPECT_EQ(meet(other).state, State::Pending);
  other = fresh("c");
  other.key.principal = "bert";
  EXPECT_EQ(meet(other).state, State::Pending);
  other = fresh("d");
  other.key.tool = "pre_remove";
  EXPECT_EQ(meet(other).state, State::Pending);
  other = fresh("e");
  other.key.definition = "v2";  // the plugin was built again, and the tool is another
  EXPECT_EQ(meet(other).state, State::Pending);
  other = fresh("f");
  other.key.build = "sha256:02";  // built again, and says the same of itself
  EXPECT_EQ(meet(other).state, State::Pending);
  EXPECT_EQ(meet(other).key.build, "sha256:02");
  EXPECT_EQ(state_of("a"), State::Approved);
}

TEST_F(ApprovalStoreTest, TheFirstAnswerCounts) {
  meet(fresh("a"));
  EXPECT_TRUE(decide("a", false));
  EXPECT_FALSE(decide("a", true));
  EXPECT_EQ(state_of("a"), State::Rejected);
  EXPECT_EQ(store_->decide("b", {}).error().kind, ErrorKind::NotFound);
}

TEST_F(ApprovalStoreTest, OfTwoProcessesOneAnswers) {
  for (int round = 0; round < 20; ++round) {
    const std::string id = "a" + std::to_string(round);
    meet(fresh(id, "{\"n\":" + std::to_string(round) + "}"));
    std::atomic<int> said = 0;
    const auto answer = [&](bool approved) {
      const auto store = open();
      if (store->decide(id, {approved, "x", "", "", 300s}).value().by_this) ++said;
    };
    std::thread one(answer, true), two(answer, false);
    one.join();
    two.join();
    EXPECT_EQ(said, 1);
  }
}

TEST_F(ApprovalStoreTest, ANoIsTheSameCallsAnswerForAWhile) {
  meet(fresh("a"));
  decide("a", false);
  clock_.now += 59s;
  EXPECT_EQ(meet(fresh("b")).id, "a");
  clock_.now += 2s;
  EXPECT_EQ(meet(fresh("c")).id, "c");
}

TEST_F(ApprovalStoreTest, WhatNobodyAnswersExpires) {
  meet(fresh("a"));
  clock_.now += 299s;
  EXPECT_EQ(state_of("a"), State::Pending);
  clock_.now += 1s;
  EXPECT_EQ(state_of("a"), State::Expired);
  EXPECT_FALSE(decide("a", true));
  EXPECT_EQ(meet(fresh("b")).state, State::Expired);  // a no, for a while
  clock_.now += 61s;
  EXPECT_EQ(meet(fresh("c")).state, State::Pending);
}

TEST_F(ApprovalStoreTest, AYesThatNothingRanByExpiresAndIsNoNo) {
  meet(fresh("a"));
  clock_.now += 200s;
  decide("a", true);
  clock_.now += 299s;
  EXPECT_EQ(state_of("a"), State::Approved);
  clock_.now += 1s;
  EXPECT_EQ(state_of("a"), State::Expired);
  EXPECT_EQ(meet(fresh("b")).id, "b");
}

TEST_F(ApprovalStoreTest, AClockThatIsSetBackGivesNobodyMoreThanHeHad) {
  meet(fresh("a"));
  decide("a", true);
  clock_.now -= 1000s;
  EXPECT_EQ(meet(fresh("b")).id, "a");
  EXPECT_TRUE(store_->use("a").value());
  EXPECT_EQ(meet(fresh("c")).id, "c");
}

TEST_F(ApprovalStoreTest, WhatIsWithdrawnCannotBeAnswered) {
  meet(fresh("a"));
  EXPECT_TRUE(store_->withdraw("a").value());
  EXPECT_FALSE(decide("a", true));
  EXPECT_FALSE(store_->withdraw("a").value());
  EXPECT_EQ(meet(fresh("b")).id, "b");
}

TEST_F(ApprovalStoreTest, AQuestionIsLeftToItsTwinAndToNoOther) {
  meet(fresh("a"));
  meet(fresh("other", R"({"n":2})"));
  EXPECT_FALSE(store_->withdraw_if_twin("a").value());
  EXPECT_EQ(store_->meet(fresh("b"), {"a"}, clock_.now).value()->id, "b");
  EXPECT_TRUE(store_->withdraw_if_twin("a").value());
  EXPECT_EQ(state_of("a"), State::Withdrawn);
  EXPECT_FALSE(store_->withdraw_if_twin("b").value());
  EXPECT_EQ(state_of("b"), State::Pending);
}

TEST_F(ApprovalStoreTest, ThereIsABoundToWhatAPrincipalMayAsk) {
  const auto nth = [this](std::uint64_t n) {
    return fresh("a" + std::to_string(n), "{\"n\":" + std::to_string(n) + "}");
  };
  constexpr std::uint64_t kMost = ApprovalBounds{}.pending;
  for (std::uint64_t n = 0; n < kMost; ++n) meet(nth(n));
  const auto refused = [&] { return !store_->meet(nth(kMost), {}, clock_.now - 60s).value(); };
  EXPECT_TRUE(refused());
  EXPECT_EQ(store_->find("a" + std::to_string(kMost)).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(meet(nth(7)).id, "a7");  // what is there is met all the same
  ApprovalRecord other = nth(kMost);
  other.id = "b";
  other.key.principal = "bert";
  EXPECT_EQ(meet(other).state, State::Pending);
  decide("a3", true);  // answered: it does not wait any more
  EXPECT_EQ(meet(nth(kMost + 1)).state, State::Pending);
  EXPECT_TRUE(refused());
  clock_.now += 301s;
  EXPECT_EQ(meet(nth(kMost)).state, State::Pending);
}

TEST_F(ApprovalStoreTest, ThereIsABoundToWhatIsKeptOfAPrincipalAndNobodyAnswered) {
  store_.reset();
  const std::shared_ptr<Store> all =
      open_sqlite_store(folder_ / "toolpost.db", clock_, {.approvals = {.settled = 3}}).value();
  store_ = {all, &all->approvals()};
  ApprovalRecord other = fresh("other");
  other.key.principal = "bert";
  meet(other);
  store_->withdraw("other").value();
  meet(fresh("answered", R"({"n":9})"));
  decide("answered", false);
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    clock_.now += 1s;
    meet(fresh(id, std::string("{\"id\":\"") + id + "\"}"));
    if (id[0] != 'a') store_->withdraw(id).value();
  }
  EXPECT_EQ(state_of("b"), State::Withdrawn);
  clock_.now += 1s;
  meet(fresh("f"));
  EXPECT_EQ(state_of("a"), State::Pending);  // it waits, however old it is
  EXPECT_EQ(store_->find("b").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(state_of("c"), State::Withdrawn);
  EXPECT_EQ(state_of("other"), State::Withdrawn);
  EXPECT_EQ(state_of("answered"), State::Rejected);
}

TEST_F(ApprovalStoreTest, AQuestionNamesAYesThatIsForAnotherBuild) {
  meet(fresh("a"));
  decide("a", true);
  ApprovalRecord rebuilt = fresh("b");
  rebuilt.key.build = "b2";
  EXPECT_NE(meet(rebuilt).reason.find("Approval a does not apply: the plugin's build has changed"),
            std::string::npos);
  EXPECT_EQ(store_->find("b").value().reason.find(rebuilt.reason), 0u);
  ApprovalRecord unlike = fresh("c", R"({"n":2})");
  unlike.key.build = "b2";
  EXPECT_EQ(meet(unlike).reason, unlike.reason);
}

TEST_F(ApprovalStoreTest, WhatIsSpentForAnAnswerGoesWithItOrStays) {
  const auto all = open_all();
  const auto put = [&](const char* principal) -> Result<void> {
    TotpRecord record;
    record.principal = principal;
    record.secret = "12345678901234567890";
    HOST_TRY(all->codes().put(record));
    HOST_TRY(all->codes().change(principal, [](TotpRecord& one) { one.failures = 1; }));
    return Result<void>();
  };
  ApprovalDecision yes{true, "cli:anna", "", "", 300s, Reach::Principal};
  int spent = 0;
  yes.spend = [&]() -> Result<void> {
    ++spent;
    HOST_TRY(put("first"));
    return Error{ErrorKind::Denied, "wrong"};
  };
  ApprovalRecord record = fresh("a");
  all->approvals().meet(record, {}, clock_.now).value();
  EXPECT_EQ(all->approvals().decide("a", yes).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(spent, 0);  // no rule would spare it, which is known before
  yes.always = std::nullopt;
  EXPECT_EQ(all->approvals().decide("a", yes).error().kind, ErrorKind::Denied);
  EXPECT_EQ(state_of("a"), State::Pending);
  EXPECT_TRUE(all->codes().find("first").value());  // a wrong code is counted
  yes.spend = [&]() -> Result<void> {
    HOST_TRY(put("second"));
    return Error{ErrorKind::Io, "the disk"};
  };
  EXPECT_EQ(all->approvals().decide("a", yes).error().kind, ErrorKind::Io);
  EXPECT_FALSE(all->codes().find("second").value());
  yes.spend = [&] { return put("third"); };
  EXPECT_TRUE(all->approvals().decide("a", yes).value().by_this);
  EXPECT_TRUE(all->codes().find("third").value());
  yes.spend = [&] { return put("fourth"); };
  EXPECT_FALSE(all->approvals().decide("a", yes).value().by_this);
  EXPECT_FALSE(all->codes().find("fourth").value());
}

// A call of a priv_ tool comes without a code, with a code, or while an earlier code of its session
// applies.
class ApprovalCodeTest : public ApprovalStoreTest {
 protected:
  ApprovalRecord of(const std::string& id, const std::string& session, bool needs_code) const {
    ApprovalRecord record = fresh(id);
    record.session = session;
    record.needs_code = needs_code;
    return record;
  }
  ApprovalRecord without_code(const std::string& id, const std::string& session = "s1") {
    return meet(of(id, session, true));
  }
  ApprovalRecord in_grace(const std::string& id, const std::string& session = "s1") {
    return meet(of(id, session, false));
  }
  Result<std::optional<ApprovalRecord>> with_code(const std::string& id,
                                                  const std::string& session = "s1") {
    return store_->meet(of(id, session, false), {}, clock_.now - 60s, [this]() -> Result<void> {
      ++spent_;
      if (code_is_good_) return {};
      return Error{ErrorKind::Denied, "the code was used before"};
    });
  }

  bool code_is_good_ = true;
  int spent_ = 0;
};

TEST_F(ApprovalCodeTest, ARequestThatWaitsForACodeTakesThatOfTheRepeatedCall) {
  EXPECT_TRUE(without_code("a").needs_code);
  code_is_good_ = false;
  EXPECT_FALSE(with_code("b"));
  EXPECT_TRUE(store_->find("a").value().needs_code) << "the code was refused";
  code_is_good_ = true;
  const ApprovalRecord met = with_code("c", "s2").value().value();
  EXPECT_EQ(met.id, "a");
  EXPECT_FALSE(met.needs_code);
  EXPECT_FALSE(store_->find("a").value().needs_code) << "the reviewer is asked for another code";
  EXPECT_EQ(store_->find("a").value().session, "s2");
  EXPECT_EQ(without_code("d", "s2").id, "a");
}

TEST_F(ApprovalCodeTest, ARepeatedCallUsesNoSecondCode) {
  EXPECT_EQ(with_code("a").value().value().id, "a");
  EXPECT_EQ(spent_, 1);
  code_is_good_ = false;  // it is the same code
  const auto pending = with_code("b");
  ASSERT_TRUE(pending) << pending.error().message;
  EXPECT_EQ(pending.value().value().id, "a");
  EXPECT_TRUE(decide("a", true));
  const auto approved = with_code("c");
  ASSERT_TRUE(approved) << approved.error().message;
  EXPECT_EQ(approved.value().value().state, State::Approved);
  EXPECT_EQ(spent_, 1);
}

TEST_F(ApprovalCodeTest, AReviewersCodeIsTheOnlyCodeOfARun) {
  without_code("a");
  EXPECT_TRUE(decide("a", true));  // with a code, see approval::decide()
  EXPECT_EQ(with_code("b").value().value().state, State::Approved);
  EXPECT_EQ(spent_, 0);
}

TEST_F(ApprovalCodeTest, TheCodeOfOneSessionServesNoOtherSession) {
  in_grace("a");
  const ApprovalRecord other = without_code("b", "s2");
  EXPECT_EQ(other.id, "b");
  EXPECT_TRUE(other.needs_code);
  EXPECT_EQ(without_code("c").id, "a") << "the request of its own session";
  EXPECT_TRUE(store_->withdraw("b").value());
  EXPECT_TRUE(decide("a", true));
  EXPECT_EQ(without_code("d", "s2").id, "d") << "an approval of the other session";
  code_is_good_ = false;
  EXPECT_FALSE(with_code("e", "s3")) << "its code was not checked";
  code_is_good_ = true;
  EXPECT_EQ(with_code("f", "s3").value().value().id, "a");
}

TEST_F(ApprovalCodeTest, ARejectionIsForCallsOfAllSessions) {
  in_grace("a");
  EXPECT_TRUE(decide("a", false));
  EXPECT_EQ(without_code("b", "s2").id, "a");
  EXPECT_EQ(with_code("c", "s2").value().value().state, State::Rejected);
  EXPECT_EQ(spent_, 0);
}

TEST_F(ApprovalCodeTest, ARequestIsLeftOnlyToATwinThatItsCallWouldFind) {
  in_grace("a");
  meet(of("b", "s2", true), {"a"});
  EXPECT_FALSE(store_->withdraw_if_twin("a").value()) << "its code would be lost";
  EXPECT_FALSE(store_->withdraw_if_twin("b").value()) << "the other one is of another session";
  EXPECT_TRUE(store_->withdraw("b").value());
  meet(of("c", "s1", true), {"a"});
  EXPECT_TRUE(store_->withdraw_if_twin("c").value());
}

TEST_F(ApprovalCodeTest, ARequestThatHasHadItsCodeIsNotLeftToATwinOfAnotherSession) {
  const auto asked = [this](const std::string& id, const std::string& tool,
                            const std::string& session, const std::set<std::string>& taken) {
    ApprovalRecord record = of(id, session, false);
    record.key.tool = tool;
    EXPECT_EQ(meet(record, taken).id, id);
  };
  asked("a", "priv_move", "s1", {});
  asked("b", "priv_move", "s2", {"a"});
  EXPECT_FALSE(store_->withdraw_if_twin("a").value()) << "its session would need a second code";
  EXPECT_FALSE(store_->withdraw_if_twin("b").value());
  asked("c", "priv_move", "s1", {"a", "b"});
  EXPECT_TRUE(store_->withdraw_if_twin("a").value()) << "its call finds the other one";
  asked("d", "pre_move", "s1", {});
  asked("e", "pre_move", "s2", {"d"});
  EXPECT_TRUE(store_->withdraw_if_twin("d").value()) << "it needs no codes";
}

TEST_F(ApprovalStoreTest, AListEndsWhereItsArgumentsAreLarge) {
  const std::string large = "{\"x\":\"" + std::string(kApprovalListBytes / 2, 'x') + "\"}";
  for (const char* id : {"a", "b", "c"}) {
    clock_.now += 1s;
    meet(fresh(id, "{\"id\":\"" + std::string(id) + "\"," + large.substr(1)));
  }
  const auto first = store_->list(true, 10, "").value();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(is_full(first));
  const auto rest = store_->list(true, 10, first.back().id).value();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].id, "a");
  EXPECT_FALSE(is_full(rest));
}

TEST_F(ApprovalStoreTest, LargeArgumentsThatNobodyAnsweredAreForgotten) {
  const std::string large = "{\"x\":\"" + std::string(kKeptArgumentsBytes, 'x') + "\"}";
  for (const char* id : {"withdrawn", "expired", "approved"}) {
    meet(fresh(id, "{\"id\":\"" + std::string(id) + "\"," + large.substr(1)));
  }
  meet(fresh("small", "{}"));
  decide("approved", true);
  EXPECT_TRUE(store_->withdraw("withdrawn").value());
  EXPECT_TRUE(store_->withdraw("small").value());
  clock_.now += 24h;
  meet(fresh("next", "{\"next\":1}"));  // what has expired is marked
  EXPECT_EQ(store_->find("withdrawn").value().arguments, "");
  EXPECT_EQ(store_->find("expired").value().arguments, "");
  EXPECT_NE(store_->find("approved").value().arguments, "");
  EXPECT_EQ(store_->find("small").value().arguments, "{}");
}

TEST_F(ApprovalStoreTest, ALargeContextThatNobodyAnsweredIsForgotten) {
  ApprovalRecord large = fresh("large", "{}");
  large.context = R"({"values":{"x":")" + std::string(kKeptArgumentsBytes, 'x') + R"("}})";
  meet(large);
  EXPECT_EQ(store_->find("large").value().context, large.context);
  EXPECT_TRUE(store_->withdraw("large").value());
  EXPECT_EQ(store_->find("large").value().context, "");
  EXPECT_EQ(store_->find("large").value().arguments, "{}");
}

TEST_F(ApprovalStoreTest, ListsTheNewestFirst) {
  for (const char* id : {"a", "b", "c"}) {
    clock_.now += 1s;
    meet(fresh(id, std::string("{\"id\":\"") + id + "\"}"));
  }
  decide("b", false);
  const auto ids = [this](bool pending, std::uint32_t limit, std::string_view after = {}) {
    std::string out;
    const auto listed = store_->list(pending, limit, after);
    for (const ApprovalRecord& one : listed.value()) out += one.id;
    return out;
  };
  EXPECT_EQ(ids(false, 10), "cba");
  EXPECT_EQ(ids(false, 2), "cb");
  EXPECT_EQ(ids(true, 10), "ca");
  EXPECT_EQ(ids(false, 1, "c"), "b");
  EXPECT_EQ(ids(true, 10, "b"), "a");
  EXPECT_EQ(ids(false, 10, "a"), "");
  EXPECT_EQ(store_->list(true, 10, "none").error().kind, ErrorKind::InvalidArgument);
  clock_.now += 299s;
  EXPECT_EQ(ids(true, 10), "c");
}

TEST_F(ApprovalStoreTest, TellsThatAnotherProcessHasWritten) {
  static_cast<void>(store_->changed_by_others());
  EXPECT_FALSE(store_->changed_by_others().value());
  meet(fresh("a"));
  EXPECT_FALSE(store_->changed_by_others().value());
  open()->decide("a", {true, "x", "", "", 300s}).value();
  EXPECT_TRUE(store_->changed_by_others().value());
  EXPECT_FALSE(store_->changed_by_others().value());
}

// A question that is still open is never forgotten, however old.
TEST_F(ApprovalStoreTest, ForgetsWhatWasSettledLongAgo) {
  ApprovalRecord open_question = fresh("ap_open", R"({"n":0})");
  open_question.expires = clock_.now + kKeepApprovals * 3;
  meet(open_question);
  meet(fresh("ap_1"));
  decide("ap_1", false);
  clock_.now += kKeepApprovals - 1h;
  meet(fresh("ap_2", R"({"n":2})"));
  decide("ap_2", false);
  EXPECT_EQ(state_of("ap_1"), State::Rejected);
  clock_.now += 2h;
  meet(fresh("ap_3", R"({"n":3})"));
  EXPECT_EQ(store_->find("ap_1").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(state_of("ap_2"), State::Rejected);
  EXPECT_EQ(state_of("ap_open"), State::Pending);
}

TEST_F(ApprovalStoreTest, AlwaysStoresTheRulesWithTheYesOrNeither) {
  const auto all = open_all();
  RuleStore* const rules = &all->rules();
  ApprovalRecord record = fresh("ap_1");
  record.rules = {R"({"tool":"a"})", R"({"tool":"b"})"};
  meet(record);
  meet(fresh("ap_2", R"({"n":2})"));
  ApprovalDecision always{true, "cli:anna", "", "", 300s, Reach::Principal};
  EXPECT_EQ(store_->decide("ap_2", always).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(state_of("ap_2"), State::Pending);
  const ApprovalAnswer answer = store_->decide("ap_1", always).value();
  EXPECT_TRUE(answer.by_this);
  EXPECT_EQ(answer.rules.size(), 2u);
  const ApprovalAnswer again = store_->decide("ap_1", always).value();
  EXPECT_FALSE(again.by_this);
  EXPECT_TRUE(again.rules.empty());
  const auto stored = rules->list().value();
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_TRUE(std::is_permutation(stored.begin(), stored.end(), answer.rules.begin()));
  std::set<std::string> texts;
  for (const RuleRecord& rule : stored) {
    texts.insert(rule.rule);
    EXPECT_EQ(rule.source, "always, by cli:anna to ap_1");
  }
  EXPECT_EQ(texts, std::set<std::string>(record.rules.begin(), record.rules.end()));
  EXPECT_EQ(stored[0].principal, record.key.principal);
  EXPECT_EQ(rules->remove(stored[0].id).value(), stored[0]);
  EXPECT_EQ(rules->remove(stored[0].id).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(rules->list().value().size(), 1u);
}

TEST_F(ApprovalStoreTest, AlwaysHoldsForWhomItWasSaid) {
  const auto all = open_all();
  RuleStore* const rules = &all->rules();
  const auto ask = [&](const char* id, const char* agent, const char* session) {
    ApprovalRecord record = fresh(id, R"({"n":)" + std::string(id + 3) + "}");
    record.rules = {R"({"tool":"a"})"};
    record.key.agent = agent;
    record.session = session;
    meet(record);
  };
  const auto say = [&](const char* id, Reach reach) {
    return store_->decide(id, {true, "cli:anna", "", "", 300s, reach});
  };
  const auto last = [&] { return rules->list().value().back(); };
  ask("ap_1", "", "");
  EXPECT_EQ(say("ap_1", Reach::Agent).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(say("ap_1", Reach::Session).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(state_of("ap_1"), State::Pending);
  EXPECT_TRUE(say("ap_1", Reach::Principal).value().by_this);
  EXPECT_EQ(last().agent + last().session, "");
  EXPECT_EQ(last().principal, fresh("ap_1").key.principal);
  clock_.now += 1s;
  ask("ap_2", "coder", "s1");
  EXPECT_TRUE(say("ap_2", Reach::Principal).value().by_this);
  EXPECT_EQ(last().agent, "coder");
  EXPECT_EQ(last().session, "");
  EXPECT_EQ(last().principal, fresh("ap_2").key.principal);
  clock_.now += 1s;
  ask("ap_3", "coder", "s1");
  EXPECT_TRUE(say("ap_3", Reach::Session).value().by_this);
  EXPECT_EQ(last().session, "s1");
  clock_.now += 1s;
  ask("ap_4", "coder", "s1");
  EXPECT_TRUE(say("ap_4", Reach::Host).value().by_this);
  EXPECT_EQ(last().agent + last().session + last().principal, "");
  clock_.now += 1s;
  ask("ap_6", "coder", "s1");
  EXPECT_TRUE(say("ap_6", Reach::Agent).value().by_this);
  EXPECT_EQ(last().agent, "coder");
  EXPECT_EQ(last().session + last().principal, "");
  SessionRecord lives;
  lives.id = "lives";
  ASSERT_TRUE(all->sessions().add(lives));
  ask("ap_7", "coder", "lives");
  EXPECT_TRUE(say("ap_7", Reach::Session).value().by_this);
  clock_.now += std::chrono::hours(24 * 31);
  ask("ap_5", "coder", "s2");
  EXPECT_TRUE(say("ap_5", Reach::Host).value().by_this);
  const auto left = rules->list().value();
  std::set<std::string> sessions;
  for (const RuleRecord& rule : left) sessions.insert(rule.session);
  EXPECT_EQ(sessions, (std::set<std::string>{"", "lives"}));
}

TEST_F(ApprovalStoreTest, AYesIsForTheAgentThatWasAskedFor) {
  ApprovalRecord asked = fresh("ap_1");
  asked.key.agent = "coder";
  meet(asked);
  EXPECT_TRUE(store_->decide("ap_1", {true, "cli:anna", "", "", 300s, {}}).value().by_this);
  EXPECT_EQ(meet(fresh("ap_2")).state, State::Pending);
  ApprovalRecord again = fresh("ap_3");
  again.key.agent = "coder";
  EXPECT_EQ(meet(again).id, "ap_1");
}

}  // namespace
}  // namespace host::store
