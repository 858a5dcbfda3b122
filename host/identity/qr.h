// QR codes.
#pragma once

#include <string>
#include <vector>

namespace host::identity {

// The rows of the code from the top. Each has as many `0` (light) and `1` (dark) as there are rows.
// It needs a light margin of four on each side. Empty: the text is too long.
std::vector<std::string> qr_rows(const std::string& text);

// Same, with the margin, for a terminal. Each line has two rows.
std::string qr_text(const std::string& text);

}  // namespace host::identity
