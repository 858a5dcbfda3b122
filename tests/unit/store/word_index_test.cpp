#include "store/sqlite/word_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace host::store {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::unique_ptr<WordIndex> index_of(const std::vector<WordIndex::Document>& documents) {
  auto made = WordIndex::build(documents);
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

std::vector<std::uint32_t> search(WordIndex& index, std::string_view query, std::size_t most = 10) {
  return index.search(query, most).value();
}

TEST(WordIndex, WordsOfTheNameCountMost) {
  const auto index = index_of({{"list_files", "Shows what a folder has", ""},
                               {"read_page", "Reads a page; a list of files is no page", ""},
                               {"clock", "The time", "files"}});
  EXPECT_THAT(search(*index, "list files"), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(search(*index, "list files", 1), ElementsAre(0u));
}

TEST(WordIndex, NamesAreSplitAndWordsComparedByTheirStem) {
  const auto index = index_of({{"getOpenOrders", "", ""}, {"pre_move_stock", "", ""}});
  EXPECT_THAT(search(*index, "order"), ElementsAre(0u));
  EXPECT_THAT(search(*index, "moving"), ElementsAre(1u));
  EXPECT_THAT(search(*index, "OPEN"), ElementsAre(0u));
  EXPECT_THAT(search(*index, "openOrder"), ElementsAre(0u));
}

TEST(WordIndex, CommonWordsCountOnlyAlone) {
  const auto index = index_of({{"one", "the list of all", ""}, {"two", "weather", ""}});
  EXPECT_THAT(search(*index, "what is the weather"), ElementsAre(1u));
  EXPECT_THAT(search(*index, "the"), ElementsAre(0u));
}

TEST(WordIndex, NoTextIsAnOperator) {
  const auto index = index_of({{"near", "a AND b", "größe"}, {"other", "c", ""}});
  for (const char* query :
       {"\"", "name:near", "near*", "NEAR(a b)", "a' OR '1'='1", "-other", "^c"})
    EXPECT_TRUE(index->search(query, 10)) << query;
  EXPECT_THAT(search(*index, "Größe größe"), ElementsAre(0u));
  EXPECT_THAT(search(*index, ""), IsEmpty());
  EXPECT_THAT(search(*index, " !? "), IsEmpty());
  EXPECT_THAT(search(*index, std::string("\0\xff\xfe", 3)), IsEmpty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "w" + std::to_string(i) + " ";
  EXPECT_THAT(search(*index, many), IsEmpty());
}

// What models ask, in a catalog of 200 groups with 50 tools each: the right tool is among the first
// five.
TEST(WordIndex, FindsOneToolOfTenThousand) {
  const std::vector<std::pair<std::string, std::string>> verbs = {
      {"list", "Lists all"},    {"get", "Returns one"},     {"create", "Creates a new"},
      {"delete", "Deletes an"}, {"update", "Changes an"},   {"search", "Searches for an"},
      {"export", "Exports an"}, {"archive", "Archives an"}, {"share", "Shares an"},
      {"print", "Prints an"}};
  const std::vector<std::string> things = {"invoice", "customer", "ticket", "deployment", "branch"};
  std::vector<WordIndex::Document> documents;
  for (int group = 0; group < 200; ++group) {
    const std::string system = "system" + std::to_string(group);
    for (const auto& [verb, words] : verbs) {
      for (const std::string& thing : things) {
        documents.push_back({system + "_" + verb + "_" + thing,
                             words + " existing " + thing + " in " + system, system});
      }
    }
  }
  struct Asked {
    std::size_t at;
    const char* name;
    const char* text;
    const char* labels;
    const char* query;
  };
  const std::vector<Asked> asked = {
      {17, "send_mail", "Sends an e-mail to one or more recipients", "mail",
       "send an email to my colleague"},
      {1200, "get_current_time", "Returns the current time in a time zone", "clock",
       "what time is it in Tokyo"},
      {2345, "convert_currency", "Converts an amount between currencies", "finance",
       "convert 20 dollars to euros currency"},
      {3456, "translateText", "Translates text into another language", "language",
       "translation of a sentence"},
      {4567, "db_query", "Runs a read-only SQL query against the database", "database",
       "run a SQL select on the database"},
      {5678, "weather_forecast", "Forecast of temperature and rain for a place", "weather",
       "will it rain tomorrow in Oslo, weather"},
      {6789, "resize_image", "Changes width and height of a picture", "media",
       "make this picture smaller, resize"},
      {7890, "restart_service", "Restarts a service on a server", "operations",
       "restart the nginx service"},
      {8901, "book_meeting_room", "Reserves a room for a meeting", "office",
       "reserve a room for our meeting"},
      {9999, "rollbackDeployment", "Rolls a deployment back to the previous version", "deploy",
       "roll back the last deployment"}};
  for (const Asked& one : asked) documents[one.at] = {one.name, one.text, one.labels};
  const auto index = index_of(documents);
  for (const Asked& one : asked) {
    EXPECT_THAT(search(*index, one.query, 5), Contains(static_cast<std::uint32_t>(one.at)))
        << one.query;
  }
}

}  // namespace
}  // namespace host::store
