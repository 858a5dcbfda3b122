#include "store/sqlite/secret_box.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class SecretBoxTest : public testing::Test {
 protected:
  SecretBoxTest() {
    std::string name = (fs::temp_directory_path() / "secret-box-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = folder_ / "toolpost.db";
    key_ = folder_ / "toolpost.db.key";
    ::unsetenv("CREDENTIALS_DIRECTORY");
  }
  ~SecretBoxTest() override {
    ::unsetenv("CREDENTIALS_DIRECTORY");
    fs::remove_all(folder_);
  }

  Result<std::unique_ptr<Store>> open() const { return open_sqlite_store(store_, system_clock()); }
  void enroll(const std::string& principal, const std::string& seed) const {
    TotpRecord record;
    record.principal = principal;
    record.secret = seed;
    ASSERT_TRUE((*open())->codes().put(record));
  }
  std::string seed_of(const std::string& principal) const {
    return (*open())->codes().find(principal).value()->secret;
  }
  static std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    ::chmod(file.c_str(), 0600);
  }
  // In the database or its log.
  bool is_on_disk(const std::string& bytes) const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.is_regular_file() && content(entry.path()).find(bytes) != std::string::npos)
        return true;
    }
    return false;
  }
  void refuse(const std::string& part) const {
    const auto refused = open();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  }

  fs::path folder_;
  fs::path store_;
  fs::path key_;
  const std::string seed_ = "12345678901234567890";
};

TEST_F(SecretBoxTest, SealsWhatTheStoreKeepsWithAKeyBesideIt) {
  ASSERT_TRUE(open());
  EXPECT_FALSE(fs::exists(key_)) << "made with the first secret";
  enroll("anna", seed_);
  EXPECT_EQ(fs::status(key_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(is_on_disk(seed_));
  EXPECT_EQ(seed_of("anna"), seed_);
}

TEST_F(SecretBoxTest, RefusesWithoutItsKeyOrWithAnother) {
  enroll("anna", seed_);
  const std::string key = content(key_);
  fs::remove(key_);
  refuse("toolpost.db.key is missing");
  EXPECT_FALSE(fs::exists(key_)) << "no new key in the place of the one that is missed";
  put(key_, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n");
  refuse("does not have the key");
  put(key_, "no key\n");
  refuse("is not valid");
  put(key_, "");
  refuse("is empty");
  put(key_, key);
  ::chmod(key_.c_str(), 0640);
  refuse("chmod 600");
  ::chmod(key_.c_str(), 0600);
  EXPECT_EQ(seed_of("anna"), seed_);
}

TEST_F(SecretBoxTest, ChangesKeysByANewFirstLine) {
  enroll("anna", seed_);
  const std::string old_key = content(key_);
  const std::string new_key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
  put(key_, new_key + old_key);
  EXPECT_EQ(seed_of("anna"), seed_);
  put(key_, new_key);  // the old one is needed no more
  EXPECT_EQ(seed_of("anna"), seed_);
  put(key_, old_key);
  refuse("does not have the key");
}

TEST_F(SecretBoxTest, TakesTheKeyThatSystemdGives) {
  enroll("anna", seed_);
  fs::create_directory(folder_ / "credentials");
  put(folder_ / "credentials/toolpost.key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n");
  ::setenv("CREDENTIALS_DIRECTORY", (folder_ / "credentials").c_str(), 1);
  EXPECT_EQ(seed_of("anna"), seed_);
  fs::remove(key_);
  EXPECT_EQ(seed_of("anna"), seed_);
  enroll("ben", seed_);
  EXPECT_FALSE(fs::exists(key_));
  ::unsetenv("CREDENTIALS_DIRECTORY");
  refuse("is missing");
}

TEST_F(SecretBoxTest, SealsWhatAnOlderHostLeftInClear) {
  {
    const auto made = open();
    const auto database = Sqlite::open(store_).value();
    ASSERT_TRUE(
        database->run("INSERT INTO totp (principal, secret, confirmed, enrolled, last_step, "
                      "failures, failing_since, locked_until, recovery) VALUES ('anna', "
                      "CAST('12345678901234567890' AS BLOB), 1, 1, 7, 0, 0, 0, x'')"));
  }
  ASSERT_TRUE(is_on_disk(seed_));
  EXPECT_EQ(seed_of("anna"), seed_);
  EXPECT_FALSE(is_on_disk(seed_));
  EXPECT_EQ((*open())->codes().find("anna").value()->last_step, 7u);
}

TEST_F(SecretBoxTest, ASeedMovedToAnotherPrincipalOpensNothing) {
  enroll("anna", seed_);
  enroll("mallory", "mallory's own seed..");
  const auto database = Sqlite::open(store_).value();
  ASSERT_TRUE(
      database->run("UPDATE totp SET secret = (SELECT secret FROM totp WHERE principal = "
                    "'mallory') WHERE principal = 'anna'"));
  refuse("was changed by another program");
}

TEST_F(SecretBoxTest, SealingIsBoundToEveryByte) {
  SealKey key{};
  const std::string sealed = host::seal(key, "secret", "about");
  EXPECT_EQ(host::unseal(key, sealed, "about"), "secret");
  EXPECT_NE(host::seal(key, "secret", "about"), sealed);
  EXPECT_EQ(host::unseal(key, sealed, "other"), std::nullopt);
  EXPECT_EQ(host::unseal(key, sealed.substr(1), "about"), std::nullopt);
  EXPECT_EQ(host::unseal(key, "", "about"), std::nullopt);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(host::unseal(key, changed, "about"), std::nullopt) << i;
  }
  key[0] = 1;
  EXPECT_EQ(host::unseal(key, sealed, "about"), std::nullopt);
}

}  // namespace
}  // namespace host::store
