// Work on the definitions of an upstream's tools can take too long for the I/O thread, because a
// list of definitions can consist of many megabytes of hostile JSON. A JobThread does the work on
// definitions in steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "store/part/pin_store.h"
#include "tool/provider/offers.h"
#include "upstream/connection/list_fetch.h"
#include "upstream/connection/secrets.h"
#include "upstream/manager/status.h"
#include "upstream/pins/definition.h"
#include "upstream/pins/difference.h"

namespace host::upstream {

// A DefinitionReader reads the entries of a list, one in each step. Any thread can call the
// functions of DefinitionReader, but only one thread at a time.
class DefinitionReader {
 public:
  explicit DefinitionReader(FetchedList list) : list_(std::move(list)) {}

  bool step();  // returns false when all entries are read
  // `definitions` and `refusals` are the results, which are valid after the last step.
  std::vector<Definition> definitions;
  // `refusals` contains the entries that have no name, are too long, or have the name of an earlier
  // entry.
  std::vector<tool::Refusal> refusals;
  const std::string& cut() const { return list_.cut; }
  std::chrono::nanoseconds spent() const { return spent_; }

 private:
  FetchedList list_;
  std::set<std::string> names_;
  std::size_t next_ = 0;
  std::chrono::nanoseconds spent_{0};
};

// kMostReviewBytes is the limit for the differences that a reviewer sees, for all waiting
// definitions of one upstream together. When kMostReviewBytes is reached, further definitions are
// listed without their differences.
inline constexpr std::size_t kMostReviewBytes = 1u << 20u;

// A Review contains the waiting definitions of one upstream, as a reviewer sees them.
struct Review {
  std::vector<HeldChange> held;
  std::string digest;  // see Pins::digest_held()
};

// A Reviewer compares one definition in each step. Any thread can call the functions of Reviewer,
// but only one thread at a time.
class Reviewer {
 public:
  // The review hides `secrets` in the definitions.
  Reviewer(std::vector<store::PinRecord> held, Secrets secrets)
      : held_(std::move(held)), secrets_(secrets.of_operator()) {}

  bool step();
  Review review;  // complete after the last step

 private:
  Difference difference_in(const store::PinRecord& record) const;

  std::vector<store::PinRecord> held_;
  const Secrets secrets_;
  std::size_t next_ = 0;
  std::size_t shown_ = 0;  // bytes of the lines in `review`
};

}  // namespace host::upstream
