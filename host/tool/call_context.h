// What whoever stands behind a call gave along with it, for the plugin's eyes alone: never the
// model's, and in no schema. Fronts that are trusted to speak for an agent fill it in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace host::tool {

// A file, held open: what its name stands for later is of no matter.
struct Attachment {
  std::string id;            // by which the plugin asks for it; among those of its call
  std::string name;          // as its giver calls it
  std::string content_type;  // as its giver says
  std::uint64_t bytes = 0;   // when it was given
  std::shared_ptr<const UniqueFd> file;

  bool operator==(const Attachment&) const = default;
};

struct CallContext {
  std::string agent;                                        // the profile that calls; empty: none
  std::map<std::string, std::string, std::less<>> values;   // plain texts by name
  std::map<std::string, std::string, std::less<>> entries;  // JSON by the name of their type
  std::vector<Attachment> attachments;                      // stay with the host

  bool operator==(const CallContext&) const = default;
};

}  // namespace host::tool
