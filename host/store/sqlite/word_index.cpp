#include "store/sqlite/word_index.h"

#include <algorithm>
#include <array>
#include <utility>

namespace host::store {
namespace {

constexpr std::size_t kMostWords = 32;  // of a query

constexpr std::array<std::string_view, 60> kCommon = {
    "a",     "about", "all",  "an",    "and",  "any",   "are",    "as",    "at",   "be",
    "by",    "can",   "do",   "does",  "for",  "from",  "give",   "has",   "have", "how",
    "i",     "in",    "into", "is",    "it",   "its",   "let",    "me",    "my",   "need",
    "of",    "on",    "one",  "or",    "our",  "out",   "please", "some",  "that", "the",
    "their", "them",  "then", "there", "this", "to",    "tool",   "tools", "up",   "use",
    "want",  "was",   "we",   "what",  "when", "where", "which",  "with",  "you",  "your"};

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
// Bytes of a word: letters and digits, also those beyond ASCII.
bool is_of_word(char c) {
  return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// "getOpenOrders" is three words: the index splits at other characters itself.
std::string with_camel_humps_apart(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && is_upper(text[i]) && is_lower(text[i - 1])) out += ' ';
    out += text[i];
  }
  return out;
}

std::vector<std::string> query_words(std::string_view query) {
  const std::string text = with_camel_humps_apart(query);
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_of_word(text[i])) {
      word += is_upper(text[i]) ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    } else if (!word.empty()) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
      word.clear();
    }
  }
  return words;
}

bool is_common(const std::string& word) {
  return std::find(kCommon.begin(), kCommon.end(), word) != kCommon.end();
}

// In quotes, so that no word is an operator of the query language.
std::string match_of(std::string_view query) {
  std::vector<std::string> words = query_words(query);
  if (!std::all_of(words.begin(), words.end(), is_common)) std::erase_if(words, is_common);
  if (words.size() > kMostWords) words.resize(kMostWords);
  std::string match;
  for (const std::string& word : words) match += (match.empty() ? "\"" : " OR \"") + word + "\"";
  return match;
}

}  // namespace

Result<std::unique_ptr<WordIndex>> WordIndex::build(const std::vector<Document>& documents) {
  HOST_TRY_ASSIGN(std::unique_ptr<Sqlite> database, Sqlite::open_in_memory());
  HOST_TRY(
      database->run("CREATE VIRTUAL TABLE document USING fts5(name, text, labels, content = '', "
                    "tokenize = 'porter unicode61')"));
  {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(*database));
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::string name = with_camel_humps_apart(documents[i].name);
      HOST_TRY_ASSIGN(Statement put,
                      database->prepare("INSERT INTO document (rowid, name, text, labels) VALUES "
                                        "(?1, ?2, ?3, ?4)"));
      put.bind(std::uint64_t{i}).bind(name).bind(documents[i].text).bind(documents[i].labels);
      HOST_TRY(put.run());
    }
    HOST_TRY(transaction.commit());
  }
  HOST_TRY(database->run("INSERT INTO document (document) VALUES ('optimize')"));
  return std::unique_ptr<WordIndex>(new WordIndex(std::move(database)));
}

Result<std::vector<std::uint32_t>> WordIndex::search(std::string_view query, std::size_t most) {
  std::vector<std::uint32_t> found;
  const std::string match = match_of(query);
  if (match.empty()) return found;
  HOST_TRY_ASSIGN(Statement rows,
                  database_->prepare("SELECT rowid FROM document WHERE document MATCH ?1 "
                                     "ORDER BY bm25(document, 5.0, 1.0, 2.0), rowid LIMIT ?2"));
  rows.bind(match).bind(std::uint64_t{most});
  for (;;) {
    HOST_TRY_ASSIGN(const bool row, rows.step());
    if (!row) return found;
    found.push_back(static_cast<std::uint32_t>(rows.number(0)));
  }
}

}  // namespace host::store
