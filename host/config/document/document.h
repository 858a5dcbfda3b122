// A TOML file as text and as a tree, within limits. config.toml and side files are read with it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/diagnostic.h"
#include "config/document/node.h"
#include "config/document/report.h"

namespace host::config {

constexpr std::size_t kMostConfigBytes = 1u << 20u;  // of config.toml

// The text of a regular file of at most `most` bytes. Never waits for a writer, as a FIFO would
// need. Blocking; any thread.
Result<std::string> read_document(const std::filesystem::path& file, std::size_t most);

// nullopt: the text is not TOML 1.0, or nests deeper than 32. Then `report` has the reason (C002).
std::optional<Node> parse_document(std::string_view text, Report& report);

// The order of the lines. A tree is in the order of its keys.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
