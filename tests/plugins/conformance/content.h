// Tools that give content of each kind, or tell how they get on.
#pragma once

#include <toolpost/toolpost.hpp>

std::string simple_text();
toolpost::Content image_content();
toolpost::Content audio_content();
toolpost::Content embedded_resource();
toolpost::Content multiple_content_types();
std::string error_handling();
std::string tool_with_progress(toolpost::Context& call);
std::string tool_with_logging(toolpost::Context& call);
std::string logging_tool(toolpost::Context& call);
std::string reconnection(toolpost::Context& call);

// JSON Schema 2020-12 with whatever it has; it is listed as it stands here.
toolpost::Json schema_2020_12();

struct Routed {
  std::string region;
  int limit = 10;
  TOOLPOST_FIELDS(Routed, TOOLPOST_FIELD(region, "Where to run it", toolpost::header("Region")),
                  TOOLPOST_FIELD(limit, "How many rows"))
};
std::string routed(const Routed& args);
