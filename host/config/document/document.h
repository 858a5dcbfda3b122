// Reads a TOML file as text and as a tree, within limits. The host reads config.toml and side files
// with the functions of this header.
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

constexpr std::size_t kMostConfigBytes = 1u << 20u;  // the limit for config.toml

// Returns the text of a regular file that has at most `most` bytes. If the path is a FIFO, the
// function does not wait for a writer. Any thread can call the functions of this header, but they
// block.
Result<std::string> read_document(const std::filesystem::path& file, std::size_t most);

// Returns nullopt if the text is not TOML 1.0, or is nested deeper than 32 levels. If the result is
// nullopt, `report` contains the reason (C002).
std::optional<Node> parse_document(std::string_view text, Report& report);

// Sorts diagnostics by their lines in the file.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
