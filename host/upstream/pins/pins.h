// A Pins object decides which definitions of one upstream's tools are served. If a definition
// differs from the accepted definition, or the tool is new, the definition waits for the operator.
// Until the operator accepts a definition, its tool is hidden. The class Pins has no side effects:
// the caller stores the changes.
//
// Two tools can have the same name at this host, because the host replaces characters. Only one of
// several tools with the same name is accepted at a time. If both tools were accepted, the
// operator's rules for one tool would apply to the other tool as soon as the upstream withdraws the
// first tool.
//
// If the upstream no longer offers a tool, the accepted definition is kept. So a withdrawn tool is
// served immediately if the upstream offers it again unchanged. WithdrawnLimits limits the kept
// definitions of tools that the upstream no longer offers. If a kept definition was dropped and the
// upstream offers the tool again, the tool counts as new.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/upstream.h"
#include "store/part/pin_store.h"
#include "upstream/pins/definition.h"

namespace host::upstream {

// WithdrawnLimits are the limits for tools that the upstream no longer offers.
struct WithdrawnLimits {
  std::uint64_t tools = 1000;
  std::uint64_t bytes = 16u << 20u;  // bytes of these tools' definitions together
};

// Returns one digest that covers all waiting definitions and their tools' names. The returned text
// is empty if no definition waits.
std::string digest_of_all(const std::vector<store::PinRecord>& held);
// Returns false if the definition was accepted without a decision, because of the value of `pin`.
bool is_accepted_by_person(const store::PinRecord& record);

class Pins {
 public:
  // Returns the name of a tool at this host.
  using NameHere = std::function<std::string(std::string_view tool)>;
  // If `name_here` is null, the tools of the upstream keep their names.
  Pins(std::string upstream, config::Pin mode, NameHere name_here = nullptr,
       WithdrawnLimits limits = {})
      : upstream_(std::move(upstream)),
        mode_(mode),
        name_here_(std::move(name_here)),
        limits_(limits) {}

  // Loads the stored records of this upstream.
  void load(const std::vector<store::PinRecord>& records);

  // Compares the records with the upstream's current list. Returns the records that changed.
  // If a returned record has no definition, the caller must remove it from the store
  // (store/part/pin_store.h).
  std::vector<store::PinRecord> compare(const std::vector<Definition>& definitions, WallTime now);

  // Accepts the waiting definition of `tool`. If `tool` is empty, accept() accepts all waiting
  // definitions. `digest` is the digest_held() of the definitions that the reviewer saw. If `tool`
  // is empty and only one definition waits, `digest` can also be the digest of this definition. The
  // Error NotFound means that there is no definition to accept. The Error InvalidArgument means
  // that a different definition waits now, or that an offered tool has the same name at this host.
  // If only a withdrawn tool has the same name, accept() drops the withdrawn tool's definition. If
  // `tool` is empty, a definition that cannot be accepted because of its tool's name continues to
  // wait. The time `changed` of an accepted record is later than that of each earlier decision that
  // this host knows, also if `now` is earlier because somebody set the clock back.
  Result<std::vector<store::PinRecord>> accept(std::string_view tool, std::string_view digest,
                                               const std::string& by, WallTime now);
  struct InStore {
    Result<void> accepted;                  // the outcome of accept()
    std::vector<store::PinRecord> records;  // all records of this upstream after that
    WallTime decided{};                     // `changed` of the accepted records
  };
  // Loads the records of `store`, accepts as accept() does, and stores the changed records. A
  // definition that waits at any host with this store can be accepted, except the definitions that
  // held_elsewhere() leaves out because of `last_list`. If the store already has the accepted
  // definition with `digest`, accept_in() stores no records, and the outcome is no Error. An Error
  // is an Error of the store.
  Result<InStore> accept_in(store::PinStore& store, std::string_view tool, std::string_view digest,
                            const std::string& by, WallTime now, WallTime last_list = {});
  // Returns the records in `stored` (PinStore::held()) whose definitions wait only at other hosts
  // with this store.
  // `last_list` is the time of the upstream's last list at this host. A definition that another
  // host read earlier, and that is not in the last list, waits no more.
  std::vector<store::PinRecord> held_elsewhere(const std::vector<store::PinRecord>& stored,
                                               WallTime last_list = {}) const;
  // Remembers the definitions in `stored` that a person accepted and that this host has not read
  // yet, and no others. compare() serves them when the upstream offers them. `stored` contains all
  // records of this upstream. A remembered definition is forgotten when another definition of its
  // tool is accepted.
  void accepted_elsewhere(const std::vector<store::PinRecord>& stored);
  // Also remembers the definitions that `before` remembers.
  void remember_as(const Pins& before);
  // Returns the digest of the waiting definition of `tool`. If `tool` is empty, digest_held()
  // returns one digest that covers all waiting definitions and their tools' names. The returned
  // text is empty if no definition waits.
  std::string digest_held(std::string_view tool) const;
  // Returns the reason why accept() would now refuse `digest`. Returns an empty text if accept()
  // would accept `digest`, or if there is no definition to accept. `diff` is the command that shows
  // the digests.
  std::string digest_fault(std::string_view tool, std::string_view digest,
                           const std::string& diff) const;

  // Returns the accepted definitions that are unchanged in the upstream's last list.
  std::vector<Definition> served() const;
  bool serves(std::string_view tool) const;
  // Returns all known tools, also tools that the upstream no longer offers.
  std::vector<std::string> tools() const;
  // Returns the records with waiting definitions, ordered by the tools' names.
  std::vector<store::PinRecord> held() const;
  // Returns all records of Pins in the form in which the store keeps them.
  std::vector<store::PinRecord> records() const;
  // Returns true if the host has read the upstream's list at least once.
  bool seen() const { return records_.contains(""); }

 private:
  bool accepts_at_once(bool first) const;
  std::string name_here(std::string_view tool) const;
  using Names = std::map<std::string, std::string>;  // name at this host -> tool
  // Returns the names of the tools with an accepted definition.
  Names accepted_names() const;
  // Returns false if a different tool already has the name of `tool` at this host.
  bool take_name(Names& names, const std::string& tool) const;
  std::vector<store::PinRecord> drop_withdrawn();
  void hold_for_others(const std::vector<store::PinRecord>& waiting, std::string_view tool,
                       std::string_view digest, WallTime last_list);
  std::optional<WallTime> acceptance_of(std::string_view tool, std::string_view digest) const;
  WallTime time_of_decision(const store::PinRecord& record, WallTime now) const;
  bool take_from_elsewhere(const Definition& definition, Names& names, store::PinRecord& record);
  bool is_superseded(const store::PinRecord& elsewhere) const;

  const std::string upstream_;
  const config::Pin mode_;
  const NameHere name_here_;
  const WithdrawnLimits limits_;
  std::map<std::string, store::PinRecord, std::less<>> records_;  // by tool; "": see PinRecord
  std::map<std::string, store::PinRecord> elsewhere_;  // by tool; see accepted_elsewhere()
};

}  // namespace host::upstream
