// Stores the last lists of resources, templates and prompts that upstreams offered. Every function
// blocks. Only one thread at a time may use the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::store {

// One list of an upstream.
struct OfferRecord {
  std::string upstream;
  std::string list;  // "resources", "templates", "prompts", or "completions"
  // Identifies the server that gave the list. The text is derived from secrets of the
  // configuration, so the database has it sealed (secret_box.h).
  std::string source;
  std::string filters;  // identifies the settings that chose the entries
  std::string entries;  // JSON texts, each followed by a newline

  bool operator==(const OfferRecord&) const = default;
};

class OfferStore {
 public:
  virtual ~OfferStore() = default;

  // Returns the records of these upstreams, ordered by upstream and list. `source` is empty if the
  // host does not have the key with which it was sealed.
  virtual Result<std::vector<OfferRecord>> of(const std::vector<std::string>& upstreams) = 0;
  // Adds or replaces the record of one list.
  virtual Result<void> put(const OfferRecord& record) = 0;
  virtual Result<void> forget(std::string_view upstream) = 0;
  virtual Result<void> forget_all_but(const std::vector<std::string>& upstreams) = 0;
};

}  // namespace host::store
