// One value of a row as JSON.
#pragma once

#include <string>

#include <sqlite3.h>

// NULL is null; whole numbers that a double cannot hold, and infinities, are text; text that is no
// UTF-8 is mended; a blob is text like x'00ff', cut and with its size where it is long. `most`:
// bytes of a text that are told.
std::string cell(sqlite3_stmt* row, int column, std::size_t most);

std::string json_string(std::string_view utf8);
