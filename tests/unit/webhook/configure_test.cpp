// Webhooks of configuration files, and whose they are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

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
  void start(const std::string& file, const std::vector<std::string>& ids) {
    std::vector<store::WebhookRecord> records;
    for (const std::string& id : ids) {
      store::WebhookRecord& record = records.emplace_back();
      record.id = id;
      record.principal = "anna";
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

TEST(Rotation, AnotherChangeDoesNotMakeASecretFresh) {
  const auto secret = [](char c) {
    Wanted wanted;
    wanted.secret = std::string(32, c);
    wanted.old_secret_lasts = std::chrono::hours(24);
    return wanted;
  };
  const WallTime start = system_clock().wall();
  store::WebhookRecord record = new_record("anna", secret('a'), "rest:anna", start);
  apply(secret('b'), start, record);
  apply(secret('c'), start + std::chrono::seconds(30), record);
  EXPECT_EQ(record.old_secret.front(), 'a') << "the receiver does not have the secret b yet";
  Wanted other;
  other.description = "other words";
  apply(other, start + std::chrono::hours(2), record);
  apply(secret('d'), start + std::chrono::hours(2) + std::chrono::seconds(30), record);
  EXPECT_EQ(record.old_secret.front(), 'c') << "the receiver has it for two hours";
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
