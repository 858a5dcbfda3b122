// StoredOffers reads the stored lists of one upstream: the lists from before the host's start, or
// before the upstream's section changed. The lists of all upstreams together can be many megabytes
// long, so a JobThread reads them in steps.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "upstream/offer/offer_writer.h"
#include "upstream/provider/served_offer.h"

namespace host::upstream {

inline constexpr OfferKind kOfferKinds[] = {OfferKind::Resources, OfferKind::Templates,
                                            OfferKind::Prompts};
// kCompletions is the name of the stored list that says whether the upstream completes arguments.
inline constexpr const char* kCompletions = "completions";
inline constexpr const char* kCompletes = "true\n";  // the list if the upstream completes arguments
// kSince is the name of the stored list that says since when the upstream has offered its resources
// and templates, see tool::Resource::since.
inline constexpr const char* kSince = "since";

// Returns the name under which the store keeps a list of this kind.
const char* stored_name_of(OfferKind kind);

// Returns a digest of the settings that decide which entries of the lists are served.
std::string filters_of(const config::Upstream& upstream);

// kNoTime marks an entry without a stored time, in a list that has stored times.
inline constexpr WallTime kNoTime = WallTime::max();

// Returns a line for the stored list `kSince`, with the times of `entries`. The line contains the
// name of `kind`. For each run of entries with the same time, the line also contains the time in
// milliseconds and the number of entries.
std::string since_line(OfferKind kind, const std::vector<tool::Resource>& entries);

// Any thread can call the functions of StoredOffers, but only one thread at a time.
class StoredOffers {
 public:
  // Reads at most `most` entries of each list.
  StoredOffers(std::shared_ptr<const config::Upstream> upstream, std::size_t most)
      : upstream_(std::move(upstream)), most_(most) {}

  void add(OfferWriter::Record record);
  bool empty() const { return count_ == 0; }
  bool step();  // returns false when all entries are read
  bool is_done() const { return is_done_; }

  // `lists`, `completions` and `since` are the results, which are valid after the last step.
  struct List {
    OfferWriter::Record record;         // null: the store has no such list
    Sha256 digest{};                    // the digest of the record's entries
    std::unique_ptr<OfferMaker> maker;  // null: the store has no such list
    std::string times;                  // see since_line(); empty: not stored
  };
  std::array<List, std::size(kOfferKinds)> lists;
  std::optional<OfferWriter::Fresh> completions;
  std::optional<OfferWriter::Fresh> since;

 private:
  void set_times(List& list, OfferKind kind) const;

  const std::shared_ptr<const config::Upstream> upstream_;
  const std::size_t most_;
  std::size_t count_ = 0;  // number of records
  std::size_t next_ = 0;   // index of the next list
  bool is_done_ = false;
};

}  // namespace host::upstream
