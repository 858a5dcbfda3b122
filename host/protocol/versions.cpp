#include "protocol/versions.h"

#include <array>
#include <cstddef>

namespace host::protocol {
namespace {

// In the order of Version.
constexpr std::array<Features, kVersions> kFeatures = {{
    {.name = "2024-11-05",
     .stateless = false,
     .batches = false,
     .titles = false,
     .icons = false,
     .audio = false,
     .resource_links = false,
     .structured = Structured::None,
     .sse_priming = false,
     .progress_message = false,
     .elicitation = false,
     .elicitation_modes = false,
     .elicitation_ids = false,
     .sampling_tools = false,
     .completions = false,
     .task_requests = false,
     .no_such_resource = -32002,
     .timeout_is_rpc_error = true},
    {.name = "2025-03-26",
     .stateless = false,
     .batches = true,
     .titles = false,
     .icons = false,
     .audio = true,
     .resource_links = false,
     .structured = Structured::None,
     .sse_priming = false,
     .progress_message = true,
     .elicitation = false,
     .elicitation_modes = false,
     .elicitation_ids = false,
     .sampling_tools = false,
     .completions = true,
     .task_requests = false,
     .no_such_resource = -32002,
     .timeout_is_rpc_error = true},
    {.name = "2025-06-18",
     .stateless = false,
     .batches = false,
     .titles = true,
     .icons = false,
     .audio = true,
     .resource_links = true,
     .structured = Structured::Object,
     .sse_priming = false,
     .progress_message = true,
     .elicitation = true,
     .elicitation_modes = false,
     .elicitation_ids = false,
     .sampling_tools = false,
     .completions = true,
     .task_requests = false,
     .no_such_resource = -32002,
     .timeout_is_rpc_error = true},
    {.name = "2025-11-25",
     .stateless = false,
     .batches = false,
     .titles = true,
     .icons = true,
     .audio = true,
     .resource_links = true,
     .structured = Structured::Object,
     .sse_priming = true,
     .progress_message = true,
     .elicitation = true,
     .elicitation_modes = true,
     .elicitation_ids = true,
     .sampling_tools = true,
     .completions = true,
     .task_requests = true,
     .no_such_resource = -32002,
     .timeout_is_rpc_error = true},
    {.name = "2026-07-28",
     .stateless = true,
     .batches = false,
     .titles = true,
     .icons = true,
     .audio = true,
     .resource_links = true,
     .structured = Structured::Any,
     .sse_priming = false,
     .progress_message = true,
     .elicitation = true,
     .elicitation_modes = true,
     .elicitation_ids = false,
     .sampling_tools = true,
     .completions = true,
     .task_requests = false,
     .no_such_resource = -32602,
     .timeout_is_rpc_error = false},
}};

}  // namespace

const Features& features(Version version) {
  return kFeatures[static_cast<std::size_t>(version)];
}

std::string_view to_string(Version version) {
  return features(version).name;
}

std::optional<Version> version_from(std::string_view name) {
  for (std::size_t i = 0; i < kFeatures.size(); ++i) {
    if (kFeatures[i].name == name) return static_cast<Version>(i);
  }
  return std::nullopt;
}

std::optional<Version> legacy_version_from(std::string_view name) {
  const auto version = version_from(name);
  return version && !features(*version).stateless ? version : std::nullopt;
}

bool is_modern_name(std::string_view name) {
  const auto version = version_from(name);
  return version && features(*version).stateless;
}

std::string_view supported_modern() {
  return R"(["2026-07-28"])";
}

std::string_view supported_over_http() {
  return R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26"])";
}

}  // namespace host::protocol
