// An offer contains the things that a provider offers in addition to tools: resources, resource
// templates, prompts and completions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace host::tool {

// A Resource is one resource, or a family of resources if `uri` is an RFC 6570 template. The
// members of a Resource that are JSON contain the provider's text unchanged.
struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::optional<std::uint64_t> size;  // the size in bytes
  std::string icons;                  // JSON array; empty: no icons
  std::string annotations;            // JSON object; empty: no annotations
  std::string meta;                   // JSON object; empty: no `_meta`
  // `since` is the time since which the upstream has offered the URI without a break. `since` is
  // set only for resources of upstreams.
  WallTime since{};

  bool operator==(const Resource&) const = default;
};

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool required = false;

  bool operator==(const PromptArgument&) const = default;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::string icons;  // JSON array; empty: no icons
  std::string meta;   // JSON object; empty: no `_meta`

  bool operator==(const Prompt&) const = default;
};

// Says which functions of the extension tp.interceptor/1 a provider has.
struct Intercepts {
  bool before = false;  // true: the provider has Function::BeforeCall
  bool enter = false;
  bool message = false;
  bool leave = false;
  bool nonblocking = false;
  bool no_arguments = false;  // true: `before` and `enter` do not read the call's arguments

  bool any() const { return before || enter || message || leave; }
  bool operator==(const Intercepts&) const = default;
};

// An Offer contains everything that a provider offers in addition to tools. The results of the
// provider's functions have the form of the newest protocol version. Function::ReadResource returns
// {"contents": [...]}. Function::GetPrompt returns {"description"?, "messages": [...]}.
// Function::Complete returns {"values": [...], "total"?, "hasMore"?}.
//
// If a client requests a resource that does not exist, ReadResource returns an Error with
// ErrorKind::NotFound.
struct Offer {
  std::vector<Resource> resources;
  std::vector<Resource> templates;
  std::vector<Prompt> prompts;
  bool completes = false;  // true: the provider has Function::Complete
  Intercepts intercepts;   // the functions that run around calls of other providers' tools

  bool operator==(const Offer&) const = default;
};

}  // namespace host::tool
