// Makes this host's resources and prompts of what an upstream lists, by its settings.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/upstream.h"
#include "tool/definition/offer.h"
#include "tool/provider/offers.h"

namespace host::upstream {

// One list of an upstream, beside its tools.
enum class OfferKind { Resources, Templates, Prompts };

struct ServedOffer {
  tool::Offer offer;
  std::map<std::string, std::string, std::less<>> prompt_names;  // served -> the upstream's own
};

// Bytes of one entry.
inline constexpr std::size_t kMostEntryBytes = 64u << 10u;

// Reads the entries of one list, one in each step: JSON texts, untrusted, each judged for itself.
// Any thread, one at a time.
class OfferMaker {
 public:
  OfferMaker(const config::Upstream& upstream, OfferKind kind, std::vector<std::string> entries)
      : upstream_(upstream), kind_(kind), entries_(std::move(entries)) {}

  bool step();  // false: all are read
  // After the last step. Of the kind that was read alone; the others are empty.
  ServedOffer made;
  std::vector<tool::Refusal> refusals;

 private:
  Result<void> take(const std::string& entry, std::string& name);
  Result<void> take_resource(const json::Value& entry, std::string& name);
  Result<void> take_prompt(const json::Value& entry, std::string& name);

  const config::Upstream upstream_;
  const OfferKind kind_;
  const std::vector<std::string> entries_;
  std::size_t next_ = 0;
  std::set<std::string> uris_;
};

}  // namespace host::upstream
