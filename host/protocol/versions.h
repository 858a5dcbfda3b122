// Defines the differences between the protocol versions. Other code must use features() and never
// compare protocol versions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace host::protocol {

enum class Version { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::size_t kVersions = 5;

// The enumeration Structured says which kinds of values `structuredContent` can have.
enum class Structured { None, Object, Any };

struct Features {
  std::string_view name;      // the version as messages name it, for example "2025-11-25"
  bool stateless;             // true: no `initialize`; each request has the client's data
  bool batches;               // the host accepts a JSON array of messages (a JSON-RPC batch)
  bool titles;                // definitions have `title` in addition to `name`
  bool icons;                 // tools, resources and prompts can have `icons`
  bool audio;                 // content can have audio blocks
  bool resource_links;        // content can have resource_link blocks
  Structured structured;      // which values structuredContent and outputSchema allow
  bool sse_priming;           // the host sends events without data, only for their ids
  bool progress_message;      // progress notifications can have a `message`
  bool elicitation;           // clients can be asked with elicitation/create
  bool elicitation_modes;     // the capability `elicitation` has the parts form and url
  bool elicitation_ids;       // a URL question has an id; a notification reports its end
  bool sampling_tools;        // sampling/createMessage may offer tools
  bool completions;           // servers declare `completions`; all versions have the method
  bool task_requests;         // tools/call can request a task
  int no_such_resource;       // the error code of resources/read for an unknown URI
  bool timeout_is_rpc_error;  // true: a timeout is the JSON-RPC error -32003
                              // (call.timeout_error = "by-protocol")
};

const Features& features(Version version);

std::string_view to_string(Version version);
std::optional<Version> version_from(std::string_view name);
std::optional<Version> legacy_version_from(std::string_view name);
bool is_modern_name(std::string_view name);

// kLatestLegacy is the protocol version that the host offers in the response to initialize if the
// client asks for an unknown version.
inline constexpr Version kLatestLegacy = Version::v2025_11_25;
// kAssumed is the protocol version that the host assumes for a client that states no version.
inline constexpr Version kAssumed = Version::v2025_03_26;

// Returns the protocol versions that a request can name in `_meta`, as a JSON array. The array
// contains no protocol version with `initialize`, because a client can name each version of the
// array in its next request.
std::string_view supported_modern();
// Returns the protocol versions that an HTTP request can name in MCP-Protocol-Version, the newest
// first, as a JSON array.
std::string_view supported_over_http();

}  // namespace host::protocol
