// Makes the resources and prompts that this host serves for an upstream, from the upstream's lists
// and settings.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "config/upstream.h"
#include "tool/definition/offer.h"
#include "tool/definition/uri_template.h"
#include "tool/provider/offers.h"

namespace host::upstream {

// OfferKind is the kind of a list that an upstream has in addition to its tools.
enum class OfferKind { Resources, Templates, Prompts };

struct ServedOffer {
  tool::Offer offer;
  // `is_stored` is true if at least one of the lists is from the store, and the host has not read
  // that list from the upstream since the host's start.
  bool is_stored = false;
  std::map<std::string, std::string, std::less<>> prompt_names;  // served name -> upstream's name
  // `patterns` contains the valid templates of `offer`. `patterns` is null if no template is valid.
  std::shared_ptr<const std::vector<tool::UriTemplate>> patterns;
};

// kMostEntryBytes is the maximum size of one entry of a list. The host does not serve an entry that
// is larger than kMostEntryBytes.
inline constexpr std::size_t kMostEntryBytes = 64u << 10u;

// An OfferMaker reads the entries of one list, one entry in each step. The entries are untrusted
// JSON texts, and each is checked independently. Any thread can call the functions of OfferMaker,
// but only one thread at a time.
class OfferMaker {
 public:
  OfferMaker(std::shared_ptr<const config::Upstream> upstream, OfferKind kind,
             std::vector<std::string> entries)
      : shared_upstream_(std::move(upstream)), kind_(kind), entries_(std::move(entries)) {}

  bool step();  // reads the next entry; returns false if no entry is left
  // `made` is complete when step() has returned false. In `made`, only the list of the kind `kind`
  // has entries.
  ServedOffer made;
  std::vector<tool::Refusal> refusals;
  std::string taken;      // the entries in `made` as JSON texts, each followed by a newline
  Sha256 taken_digest{};  // the digest of `taken`
  std::vector<std::size_t> places;  // for each resource or template in `made`: its entry's index
  bool is_done = false;

 private:
  // Returns false if the upstream's settings exclude the entry.
  Result<bool> take(const std::string& entry, std::string& name);
  Result<bool> take_resource(const json::Value& entry, std::string& name);
  Result<bool> take_prompt(const json::Value& entry, std::string& name);
  void end();

  const std::shared_ptr<const config::Upstream> shared_upstream_;
  const config::Upstream& upstream_ = *shared_upstream_;
  const OfferKind kind_;
  const std::vector<std::string> entries_;
  std::size_t next_ = 0;
  std::set<std::string> uris_;
  std::vector<tool::UriTemplate> patterns_;
  Sha256Stream digest_;
};

}  // namespace host::upstream
