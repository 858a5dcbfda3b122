// QR codes.
#pragma once

#include <string>
#include <vector>

namespace host::identity {

// The rows of the code from the top. Each row has one `0` (light) or `1` (dark) for each column.
// The code is a square and needs a light margin of four modules on each side. Empty: the text is
// too long.
std::vector<std::string> qr_rows(const std::string& text);

// The same, with the margin, for a terminal. Each line shows two rows.
std::string qr_text(const std::string& text);

}  // namespace host::identity
