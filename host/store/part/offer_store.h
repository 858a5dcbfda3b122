// Stores the lists of resources, templates and prompts that each upstream offered last. Every
// function blocks. Only one thread at a time may use the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::store {

// An OfferRecord is one list of an upstream.
struct OfferRecord {
  std::string upstream;
  std::string list;  // "resources", "templates", "prompts", "completions", "since", or kUnread
  // `source` identifies the server that gave the list. The text of `source` is derived from secrets
  // in the configuration, so the database contains `source` in sealed form (secret_box.h).
  std::string source;
  std::string filters;  // identifies the settings that selected the entries
  std::string entries;  // JSON texts of the entries, each followed by a newline

  bool operator==(const OfferRecord&) const = default;
};

// kUnread is the value of `list` for an upstream whose lists were forgotten. An OfferRecord with
// the list kUnread has no source and no entries.
inline constexpr const char* kUnread = "unread";

class OfferStore {
 public:
  virtual ~OfferStore() = default;

  // Returns the records of these upstreams, ordered by upstream and list. If the host lacks the key
  // that decrypts OfferRecord::source, `source` is empty.
  virtual Result<std::vector<OfferRecord>> of(const std::vector<std::string>& upstreams) = 0;
  // Adds or replaces the record of one list. If `record` has no entries, the function removes the
  // record of this list.
  virtual Result<void> put(const OfferRecord& record) = 0;
  // forget() replaces all records of an upstream by one record of the list kUnread, so the host
  // reads the upstream's lists again if the upstream is configured again. forget_all_but() does
  // this for all upstreams that have lists or definitions (pin_store.h), except for `upstreams`.
  virtual Result<void> forget(std::string_view upstream) = 0;
  virtual Result<void> forget_all_but(const std::vector<std::string>& upstreams) = 0;
};

}  // namespace host::store
