// The one place that says what differs between the protocol versions. Everything else asks
// features() and never compares versions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace host::protocol {

enum class Version { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::size_t kVersions = 5;

// What `structuredContent` may hold.
enum class Structured { None, Object, Any };

struct Features {
  std::string_view name;      // as it stands on the wire
  bool stateless;             // no initialize, no session: every request says who it is
  bool batches;               // arrays of messages are served
  bool titles;                // `title` beside `name`
  bool icons;                 // `icons` of tools
  bool audio;                 // audio content blocks
  bool resource_links;        // resource_link content blocks
  Structured structured;      // structuredContent and outputSchema
  bool sse_priming;           // events without data tell a client where to come back
  bool progress_message;      // `message` of a progress notification
  bool elicitation;           // a client may be asked by elicitation/create
  bool elicitation_modes;     // the capability tells form from url
  bool elicitation_ids;       // a URL question has an id, by which its end is told
  bool sampling_tools;        // sampling/createMessage may offer tools
  bool completions;           // the capability of this name; the method is in all versions
  int no_such_resource;       // the code of resources/read for a URI that nobody serves
  bool timeout_is_rpc_error;  // -32003, where the configuration leaves it to the protocol
};

const Features& features(Version version);

std::string_view to_string(Version version);
std::optional<Version> version_from(std::string_view name);
std::optional<Version> legacy_version_from(std::string_view name);
bool is_modern_name(std::string_view name);

// What initialize answers to a version that it does not know.
inline constexpr Version kLatestLegacy = Version::v2025_11_25;
// What a client speaks that never said so.
inline constexpr Version kAssumed = Version::v2025_03_26;

// The versions that requests may claim in `_meta`, as a JSON array. Those of initialize are left
// out, for a client picks one of these and claims it next.
std::string_view supported_modern();
// Those that an HTTP request may name in MCP-Protocol-Version, the newest first, as a JSON array.
std::string_view supported_over_http();

}  // namespace host::protocol
