// Webhooks of configuration files, and whose they are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "json/fault.h"
#include "store/store.h"
#include "webhook/webhooks.h"

namespace host::webhook {
namespace {

namespace fs = std::filesystem;

class ConfigureTest : public ::testing::Test {
 protected:
  ConfigureTest() {
    std::string name = (fs::temp_directory_path() / "configure-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = store::open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
    for (const char* const file : {"a.toml", "b.toml"}) std::ofstream(folder_ / file) << "\n";
  }
  ~ConfigureTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  // A host with this file starts.
  void start(const std::string& file, const std::vector<std::string>& ids,
             const std::string& principal = "anna") {
    std::vector<store::WebhookRecord> records;
    for (const std::string& id : ids) {
      store::WebhookRecord& record = records.emplace_back();
      record.id = id;
      record.principal = principal;
      record.url = "https://hooks.example/" + id;
      record.events = 1;
      record.made_by = kConfigured;
      record.secret = std::string(32, 's');
    }
    ASSERT_TRUE(configure(*store_, records, folder_ / file));
  }
  store::WebhookRecord found(const std::string& id) { return *store_->webhooks().find(id).value(); }

  fs::path folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(ConfigureTest, AHostDisablesNothingThatAnotherFileHas) {
  start("a.toml", {"mine", "both"});
  start("b.toml", {"theirs", "both"});
  EXPECT_TRUE(found("mine").enabled);
  start("a.toml", {});
  EXPECT_FALSE(found("mine").enabled);
  EXPECT_EQ(found("mine").reason, "it is not in config.toml any more");
  EXPECT_TRUE(found("both").enabled);
  EXPECT_TRUE(found("theirs").enabled);
  start("b.toml", {});
  EXPECT_FALSE(found("both").enabled);
  EXPECT_FALSE(found("theirs").enabled);
  start("a.toml", {"mine"});
  EXPECT_TRUE(found("mine").enabled);
}

Wanted secret_of(char c, std::chrono::milliseconds old_lasts = std::chrono::hours(24)) {
  Wanted wanted;
  wanted.secret = std::string(32, c);
  wanted.old_secret_lasts = old_lasts;
  return wanted;
}

// The first letter of each secret that signs at this time.
std::string letters_at(WallTime now, const store::WebhookRecord& record) {
  std::string letters;
  for (const std::string& secret : secrets_at(now, record)) letters += secret.front();
  return letters;
}

TEST(Rotation, EachReplacedSecretSignsUntilItsOwnTimeIsOver) {
  using std::chrono::hours;
  const WallTime start = system_clock().wall();
  store::WebhookRecord record = new_record("anna", secret_of('a'), "rest:anna", start);
  EXPECT_EQ(letters_at(start, record), "a");
  ASSERT_TRUE(apply(secret_of('b'), start, record));
  ASSERT_TRUE(apply(secret_of('c', hours(1)), start + hours(2), record));
  EXPECT_EQ(letters_at(start + hours(2), record), "cab") << "the receiver may have b by now";
  EXPECT_EQ(letters_at(start + hours(3), record), "ca");
  EXPECT_EQ(old_secrets_end(record), start + hours(24));
  EXPECT_EQ(letters_at(start + hours(24), record), "c");
  ASSERT_TRUE(apply(secret_of('c'), start + hours(4), record));
  EXPECT_EQ(letters_at(start + hours(4), record), "ca") << "no secret was replaced";
  ASSERT_TRUE(apply(secret_of('a'), start + hours(4), record));
  EXPECT_EQ(letters_at(start + hours(4), record), "ac");
  ASSERT_TRUE(apply(secret_of('d', hours(0)), start + hours(4), record));
  EXPECT_EQ(letters_at(start + hours(4), record), "d");
  EXPECT_EQ(old_secrets_end(record), WallTime{});
}

TEST(Rotation, OneWithTooManyReplacedSecretsSaysWhatToDo) {
  const WallTime start = system_clock().wall();
  store::WebhookRecord record = new_record("anna", secret_of('a'), "rest:anna", start);
  for (char c = 'b'; c < static_cast<char>('b' + kMostOldSecrets); ++c)
    ASSERT_TRUE(apply(secret_of(c), start, record));
  const auto refused = apply(secret_of('z'), start, record);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(json::pointer_of(refused.error()), "/old_secret_lasts_s");
  EXPECT_NE(refused.error().message.find(to_rfc3339(start + std::chrono::hours(24))),
            std::string::npos);
  EXPECT_EQ(letters_at(start, record), "iabcdefgh");
  ASSERT_TRUE(apply(secret_of('z'), start + std::chrono::hours(24), record));
  ASSERT_TRUE(apply(secret_of('y', std::chrono::hours(0)), start, record));
  EXPECT_EQ(letters_at(start, record), "y");
}

TEST_F(ConfigureTest, AnotherPrincipalGetsNoWaitingEvents) {
  start("a.toml", {"mine"});
  store::WebhookEvent event;
  event.id = "evt_1";
  event.type = 1;
  event.principal = "anna";
  event.body = "{}";
  ASSERT_TRUE(store_->webhooks().queue({event}));
  start("a.toml", {"mine"});
  EXPECT_EQ(found("mine").waiting, 1u);
  start("a.toml", {"mine"}, "bob");
  EXPECT_EQ(found("mine").principal, "bob");
  EXPECT_EQ(found("mine").waiting, 0u);
}

TEST_F(ConfigureTest, AFileThatWasMovedKeepsItsWebhooks) {
  start("a.toml", {"ops"});
  fs::remove(folder_ / "a.toml");
  start("b.toml", {"ops"});
  EXPECT_TRUE(found("ops").enabled);
  start("b.toml", {});
  EXPECT_FALSE(found("ops").enabled);
}

TEST_F(ConfigureTest, OneWhoseFileIsGoneCanBeChangedElsewhere) {
  start("a.toml", {"ops"});
  EXPECT_TRUE(is_configured(found("ops")));
  EXPECT_EQ(shown_maker(found("ops")), "config");
  fs::remove(folder_ / "a.toml");
  EXPECT_FALSE(is_configured(found("ops")));
  EXPECT_TRUE(is_of_config(found("ops")));
}

}  // namespace
}  // namespace host::webhook
