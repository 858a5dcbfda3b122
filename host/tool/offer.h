// What a provider offers beside tools: resources, templates of resources, prompts, completions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace host::tool {

// One resource, or, where uri is a template of RFC 6570, a family of them. JSON members are texts,
// kept verbatim.
struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::optional<std::uint64_t> size;  // bytes
  std::string icons;                  // JSON array; empty: none
  std::string annotations;            // JSON object; empty: none
  std::string meta;                   // JSON object; empty: none

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
  std::string icons;  // JSON array; empty: none
  std::string meta;   // JSON object; empty: none

  bool operator==(const Prompt&) const = default;
};

// Function::ReadResource answers with {"contents": [...]}, GetPrompt with {"description"?,
// "messages": [...]}, Complete with {"values": [...], "total"?, "hasMore"?}, each as the newest
// protocol version has it. A resource that does not exist is ErrorKind::NotFound.
struct Offer {
  std::vector<Resource> resources;
  std::vector<Resource> templates;
  std::vector<Prompt> prompts;
  bool completes = false;  // has Function::Complete

  bool operator==(const Offer&) const = default;
};

}  // namespace host::tool
