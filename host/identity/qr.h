// Makes QR codes, with which users enrol for one-time codes.
#pragma once

#include <string>
#include <vector>

namespace host::identity {

// Returns the rows of the QR code, from the top. A row of the QR code is a text of the characters
// `0` (light) and `1` (dark). The QR code is a square and needs a light margin of four modules on
// each side. The returned list is empty if the text is too long for a QR code.
std::vector<std::string> qr_rows(const std::string& text);

// Returns the QR code with its margin as text for a terminal. Each line of text shows two rows of
// the QR code.
std::string qr_text(const std::string& text);

}  // namespace host::identity
