#include "store/audit/audit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "base/process/spawn.h"
#include "json/json.h"
#include "store/audit/events.h"
#include "store/audit/verify.h"
#include "support/passports.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

struct Auditing : testing::Test {
  fs::path folder;
  Auditing() {
    std::string name = (fs::temp_directory_path() / "toolpost-audit-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~Auditing() override { fs::remove_all(folder); }

  static tool::Call call(std::string name) {
    tool::Call made;
    made.passport = test::passport("c1");
    made.name = std::move(name);
    made.arguments.root().SetObject();
    return made;
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

mode_t mode_of(const fs::path& path) {
  struct stat facts {};
  ::stat(path.c_str(), &facts);
  return facts.st_mode & 0777;
}

TEST_F(Auditing, KeepsItsFileAndFolderForTheOwnerAlone) {
  const fs::path file = folder / "state/toolpost/audit.jsonl";
  ASSERT_TRUE(Audit::open(file, system_clock()).has_value());
  EXPECT_EQ(mode_of(file), 0600u);
  EXPECT_EQ(mode_of(file.parent_path()), 0700u);
}

TEST_F(Auditing, WritesNothingBeforeTheFlushAndEveryLineAtIt) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  audit->record(call("one"), tool::CallResult::text("ok"));
  audit->record(call("two"), Error{ErrorKind::NotFound, "unknown"});
  EXPECT_EQ(text_of(file), "");
  audit->flush();
  const std::string text = text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(Auditing, NamesTheContextOfACallAndNoneOfItsContents) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  auto sent = std::make_shared<tool::CallContext>();
  sent->values["tenant"] = "secret-7";
  sent->entries["app.User"] = R"({"id":"secret-anna"})";
  auto passport = std::make_shared<tool::Passport>();
  tool::give_context(*passport, std::move(sent));
  tool::Call with = call("one");
  with.passport = std::move(passport);
  audit->record(with, tool::CallResult::text("ok"));
  audit->record(call("two"), tool::CallResult::text("ok"));
  audit->flush();
  const std::string text = text_of(file);
  EXPECT_NE(text.find(R"("context":["app.User","tenant"])"), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("context", text.find('\n')), std::string::npos) << text;
}

TEST_F(Auditing, NamesTheFirstNamesOfALargeContext) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  auto sent = std::make_shared<tool::CallContext>();
  for (int i = 10; i < 74; ++i) sent->values["n" + std::to_string(i)] = "x";
  auto passport = std::make_shared<tool::Passport>();
  tool::give_context(*passport, std::move(sent));
  tool::Call with = call("one");
  with.passport = std::move(passport);
  audit->record(with, tool::CallResult::text("ok"));
  audit->flush();
  const std::string text = text_of(file);
  EXPECT_NE(text.find(R"x("n24","n25","... (64 names)"])x"), std::string::npos) << text;
}

TEST_F(Auditing, ALongNameTakesNoMoreThanItsBeginAndItsDigest) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  const std::string same(1'000'000, 'x');
  audit->record(call(same), Error{ErrorKind::NotFound, "unknown"});
  audit->record(call(same + "y"), Error{ErrorKind::NotFound, "unknown"});
  audit->note(AuditEvent::Approval, {{"id", same}});
  audit->flush();
  const std::string text = text_of(file);
  EXPECT_LT(text.size(), 6000u);
  EXPECT_NE(text.find("xxx... (1000000 bytes, xxh3 "), std::string::npos);
  EXPECT_NE(text.find("xxx... (1000001 bytes, xxh3 "), std::string::npos);
}

TEST_F(Auditing, CannotBeForgedByANameWithNewlines) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  audit->record(call("x\",\"outcome\":\"ok\"}\n{\"call\":\"forged\x1b"),
                Error{ErrorKind::NotFound, "unknown"});
  audit->flush();
  const std::string text = text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const auto line = json::parse(text);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(json::find_text(line->root(), "outcome"), "not_found");
}

TEST_F(Auditing, AppendsToWhatIsThere) {
  const fs::path file = folder / "audit.jsonl";
  for (int i = 0; i < 2; ++i) {
    auto audit = Audit::open(file, system_clock());
    audit->record(call("again"), tool::CallResult::text("ok"));
    audit->flush();
  }
  const std::string text = text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(Auditing, DoesNotEndALineThatAKilledHostBegan) {
  const fs::path file = folder / "audit.jsonl";
  std::ofstream(file) << R"({"time":"2026-)";
  for (int i = 0; i < 2; ++i) {
    auto audit = Audit::open(file, system_clock());
    audit->note(AuditEvent::Login, {});
    audit->flush();
  }
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(json::parse(lines[1]).has_value());
  EXPECT_TRUE(json::parse(lines[2]).has_value());
}

TEST_F(Auditing, TellsThatItFlushedWhereItWroteSomething) {
  auto audit = Audit::open(folder / "audit.jsonl", system_clock());
  int told = 0;
  audit->on_flush([&told] { ++told; });
  audit->flush();
  EXPECT_EQ(told, 0);
  audit->note(AuditEvent::Login, {});
  audit->flush();
  audit->flush();
  EXPECT_EQ(told, 1);
}

TEST_F(Auditing, RefusesAPathThatItCannotWriteAndASymbolicLink) {
  EXPECT_EQ(Audit::open(folder, system_clock()).error().kind, ErrorKind::Denied);
  fs::create_symlink(folder / "elsewhere", folder / "link");
  EXPECT_FALSE(Audit::open(folder / "link", system_clock()).has_value());
}

TEST_F(Auditing, OfAnEmptyPathKeepsNothing) {
  auto audit = Audit::open({}, system_clock());
  ASSERT_TRUE(audit.has_value());
  audit->record(call("one"), tool::CallResult::text("ok"));
  audit->flush();
}

// Files end where the limit says, as on a full disk.
TEST_F(Auditing, LosesNoLineWhileTheDiskRefusesThem) {
  const fs::path file = folder / "audit.jsonl";
  auto audit = Audit::open(file, system_clock());
  audit->note(AuditEvent::Login, {});
  audit->flush();
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{fs::file_size(file) + 200, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    audit->record(call("one"), tool::CallResult::text("ok"));
    audit->flush();
  }
  const std::string told = testing::internal::GetCapturedStderr();
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  audit->flush();
  const auto verdict = verify_audit(file);
  EXPECT_EQ(verdict->fault, "");
  EXPECT_EQ(verdict->last, 102u);  // and one that says that it was failing
  EXPECT_NE(text_of(file).find(R"("event":"audit","outcome":"writable_again")"), std::string::npos);
  EXPECT_TRUE(check_audit_outcome("writable_again")) << "it can be searched for";
  EXPECT_NE(text_of(file).find(R"("lost":0)"), std::string::npos);
  EXPECT_EQ(verdict->loose, 0u);
}

boost::asio::awaitable<void> begin_one(Audit& audit, const tool::Call& call, int& begun,
                                       int& refused) {
  const auto recorded = co_await audit.begin(call);
  ++(recorded ? begun : refused);
}

// Several wait for the disk at once, on another thread. The file is renamed while they wait.
TEST_F(Auditing, BeginsManyCallsAtOnceInWhicheverFileIsThere) {
  const fs::path file = folder / "audit.jsonl";
  boost::asio::io_context io;
  std::promise<void> renamed;
  std::shared_future<void> go_on = renamed.get_future().share();
  auto audit = Audit::open(file, system_clock(), {}, Audit::Required::Yes, [go_on](int fd) {
    go_on.wait();
    return ::fdatasync(fd);
  });
  const tool::Call made = call("one");
  int begun = 0;
  int refused = 0;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 48; ++i) {
      spawn(io.get_executor(), {"test", "begins a call"}, begin_one(*audit, made, begun, refused));
    }
    io.poll();  // all wait for the disk
    EXPECT_EQ(begun, 0);
    if (round == 0) fs::rename(file, folder / "away");
  }
  renamed.set_value();
  io.run();
  EXPECT_EQ(begun, 96);
  EXPECT_EQ(refused, 0);
  const std::string text = text_of(folder / "away") + text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 96);
  EXPECT_TRUE(text.starts_with(R"({"time":)"));
  EXPECT_NE(text.find(R"("event":"begin","call":"c1")"), std::string::npos);
}

TEST_F(Auditing, BeginsNothingThatItCannotWriteAndKeepsNoLineOfIt) {
  const fs::path file = folder / "audit.jsonl";
  boost::asio::io_context io;
  auto audit = Audit::open(file, system_clock(), {}, Audit::Required::Yes);
  const tool::Call made = call("one");
  int begun = 0;
  int refused = 0;
  const auto begin = [&] {
    spawn(io.get_executor(), {"test", "begins a call"}, begin_one(*audit, made, begun, refused));
    io.run();
    io.restart();
  };
  fs::permissions(folder, fs::perms::all);
  begin();
  begin();
  EXPECT_EQ(refused, 2);
  EXPECT_NE(audit->fault(), "");
  fs::permissions(folder, fs::perms::owner_all);
  begin();
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(audit->fault(), "");
  const std::string text = text_of(file);  // that it failed, and the one that began
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(verify_audit(file)->fault, "");
}

// Begins calls with syncs that fail where `fails` says so.
struct FailingSync : Auditing {
  const fs::path file = folder / "audit.jsonl";
  boost::asio::io_context io;
  std::atomic<bool> fails{false};
  std::atomic<int> syncs{0};
  Result<Audit> audit = Audit::open(file, system_clock(), {}, Audit::Required::Yes, [this](int fd) {
    ++syncs;
    if (!fails) return ::fdatasync(fd);
    errno = EIO;
    return -1;
  });
  const tool::Call made = call("one");
  int begun = 0;
  int refused = 0;

  void run(int calls) {
    for (int i = 0; i < calls; ++i)
      spawn(io.get_executor(), {"test", "begins a call"}, begin_one(*audit, made, begun, refused));
    io.run();
    io.restart();
  }
  void recover() {
    spawn(io.get_executor(), {"test", "recovers"}, audit->recover());
    io.run();
    io.restart();
  }
  bool says_writable_again() const {
    return text_of(file).find("writable_again") != std::string::npos;
  }
};

TEST_F(FailingSync, IsNotForgottenByTheNextFlush) {
  fails = true;
  run(1);
  EXPECT_EQ(refused, 1);
  audit->record(made, tool::CallResult::text("refused"));
  audit->flush();  // as the reply does, and this is written
  fails = false;   // but nothing was synced
  EXPECT_NE(audit->fault(), "");
  EXPECT_FALSE(says_writable_again());
  run(1);
  EXPECT_EQ(refused, 2);
  fails = true;
  recover();
  EXPECT_NE(audit->fault(), "");
  EXPECT_FALSE(says_writable_again());
  fails = false;
  recover();
  EXPECT_EQ(audit->fault(), "");
  EXPECT_TRUE(says_writable_again());
  run(1);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(verify_audit(file)->fault, "");
}

TEST_F(FailingSync, RefusesAllThatWaitedForTheFile) {
  run(1);
  const int before = syncs;
  fails = true;
  run(8);
  EXPECT_EQ(syncs, before + 1);  // after which the kernel takes the lost pages for written
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(refused, 8);
  fails = false;
  recover();
  run(1);
  EXPECT_EQ(begun, 2);
}

TEST_F(FailingSync, MayBeginSaysSoWithoutALine) {
  EXPECT_TRUE(audit->may_begin());
  fails = true;
  run(1);
  const std::string text = text_of(file);
  EXPECT_EQ(audit->may_begin().error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(text_of(file), text);
}

TEST_F(FailingSync, RecoversOnceThereAreDescriptorsAgain) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::dup(2);  // the lowest free one
  ::close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  run(1);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(refused, 1);
  EXPECT_NE(audit->fault(), "");
  recover();
  EXPECT_EQ(audit->fault(), "");
  run(1);
  EXPECT_EQ(begun, 1);
}

TEST(AuditEvents, KnowsItsOwnWordsAndNoOthers) {
  for (int event = 0; event <= static_cast<int>(AuditEvent::Totp); ++event)
    EXPECT_TRUE(check_audit_event(to_string(static_cast<AuditEvent>(event))));
  EXPECT_EQ(to_string(AuditEvent::Lockout), "lockout");
  EXPECT_EQ(to_string(AuditEvent::Start), "start");
  EXPECT_TRUE(check_audit_event(""));
  EXPECT_TRUE(check_audit_event("call"));
  EXPECT_EQ(check_audit_event("logn").error().kind, ErrorKind::InvalidArgument);
}

}  // namespace
}  // namespace host::store
