#include "store/part/offer_store.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class OfferStoreTest : public ::testing::Test {
 protected:
  OfferStoreTest() {
    std::string name = (fs::temp_directory_path() / "offer-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~OfferStoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static OfferRecord record(const std::string& upstream, const std::string& list) {
    return {upstream, list, "the-source", "the-filters", "{\"name\":\"a\"}\n"};
  }

  fs::path folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(OfferStoreTest, KeepsTheLastListsOfEachUpstream) {
  OfferRecord changed = record("u", "prompts");
  ASSERT_TRUE(store_->offers().put(changed));
  ASSERT_TRUE(store_->offers().put(record("u", "resources")));
  ASSERT_TRUE(store_->offers().put(record("v", "prompts")));
  ASSERT_TRUE(store_->offers().put(record("w", "prompts")));
  changed.source = "another";
  changed.filters = "others";
  changed.entries = "{}\n";
  ASSERT_TRUE(store_->offers().put(changed));
  store_ = open();
  EXPECT_THAT(store_->offers().of({"v", "u", "x\"]"}).value(),
              ElementsAre(changed, record("u", "resources"), record("v", "prompts")));
  EXPECT_THAT(store_->offers().of({}).value(), IsEmpty());
}

TEST_F(OfferStoreTest, AListWithoutEntriesHasNoRecord) {
  ASSERT_TRUE(store_->offers().put(record("u", "prompts")));
  ASSERT_TRUE(store_->offers().put(record("u", "resources")));
  OfferRecord none = record("u", "prompts");
  none.entries = "";
  ASSERT_TRUE(store_->offers().put(none));
  EXPECT_THAT(store_->offers().of({"u"}).value(), ElementsAre(record("u", "resources")));
}

TEST_F(OfferStoreTest, ForgetsUpstreamsAndSaysThatTheirListsHaveToBeRead) {
  const auto unread = [](const char* name) { return OfferRecord{name, kUnread, "", "", ""}; };
  for (const char* const name : {"u", "v", "w"})
    ASSERT_TRUE(store_->offers().put(record(name, "prompts")));
  ASSERT_TRUE(store_->offers().forget("u"));
  const std::vector<std::string> all = {"u", "v", "w", "x"};
  EXPECT_THAT(store_->offers().of(all).value(),
              ElementsAre(unread("u"), record("v", "prompts"), record("w", "prompts")));
  PinRecord seen;
  seen.upstream = "x";  // it has tools alone
  ASSERT_TRUE(store_->pins().put({seen}));
  ASSERT_TRUE(store_->offers().forget_all_but({"w", "other"}));
  EXPECT_THAT(store_->offers().of(all).value(),
              ElementsAre(unread("u"), unread("v"), record("w", "prompts"), unread("x")));
  ASSERT_TRUE(store_->offers().forget_all_but({}));
  ASSERT_TRUE(store_->offers().forget("x"));
  EXPECT_THAT(store_->offers().of(all).value(),
              ElementsAre(unread("u"), unread("v"), unread("w"), unread("x")));
  ASSERT_TRUE(store_->offers().put(unread("u")));
  EXPECT_THAT(store_->offers().of({"u"}).value(), IsEmpty()) << "they were read";
}

// It is a digest of secrets, and short secrets can be guessed from a digest.
TEST_F(OfferStoreTest, TheSourceIsSealedAndEmptyWithoutItsKey) {
  ASSERT_TRUE(store_->offers().put(record("u", "prompts")));
  {
    const auto database = Sqlite::open(folder_ / "toolpost.db").value();
    auto row = database->prepare("SELECT source FROM upstream_offer").value();
    ASSERT_TRUE(row.step().value());
    EXPECT_THAT(std::string(row.blob(0)), Not(HasSubstr("the-source")));
  }
  store_.reset();
  fs::remove(folder_ / "toolpost.db.key");
  store_ = open();
  OfferRecord unknown = record("u", "prompts");
  unknown.source = "";
  EXPECT_THAT(store_->offers().of({"u"}).value(), ElementsAre(unknown));
  ASSERT_TRUE(store_->offers().put(record("u", "prompts"))) << "with a new key";
  EXPECT_THAT(store_->offers().of({"u"}).value(), ElementsAre(record("u", "prompts")));
}

}  // namespace
}  // namespace host::store
