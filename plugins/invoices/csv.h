// Invoice rows as CSV (RFC 4180), and files that appear whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <toolpost/toolpost.hpp>

struct Row {
  std::optional<std::string> date;
  std::optional<double> amount;
  std::optional<std::string> vendor;

  TOOLPOST_FIELDS(Row, TOOLPOST_FIELD(date), TOOLPOST_FIELD(amount), TOOLPOST_FIELD(vendor),
                  toolpost::additional_properties)
};

// A header line and a line a row, ended by CR LF. guard_formulas: text that a spreadsheet would run
// as a formula gets an apostrophe in front.
std::string to_csv(const std::vector<Row>& rows, bool guard_formulas);

// Writes `bytes` to folder/name by way of a temporary file, so that a reader sees the old file or
// the new one. Makes the folder where only that is missing. Throws std::system_error.
void write_whole(const std::string& folder, const std::string& name, const std::string& bytes);
