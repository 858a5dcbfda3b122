// A full-text index of short documents, in memory, ranked by BM25 (SQLite's FTS5). Only one thread
// at a time can call the functions of the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

class WordIndex {
 public:
  // A document in the index. In search(), a match in a document's name counts most, then a match in
  // the labels.
  struct Document {
    std::string name;
    std::string text;
    std::string labels;
  };
  static Result<std::unique_ptr<WordIndex>> build(const std::vector<Document>& documents);

  // Returns the positions (from 0) of the documents that have a word of the query. The best match
  // comes first in the result. Words are compared without case and by their English stem. Very
  // common English words are ignored, unless the query has no other words. A query without words
  // finds no documents.
  Result<std::vector<std::uint32_t>> search(std::string_view query, std::size_t most);

 private:
  explicit WordIndex(std::unique_ptr<Sqlite> database) : database_(std::move(database)) {}

  const std::unique_ptr<Sqlite> database_;
};

}  // namespace host::store
