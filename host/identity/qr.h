// Texts as pictures that a phone reads.
#pragma once

#include <string>
#include <vector>

namespace host::identity {

// The picture's rows from the top, each as many `0` (light) and `1` (dark) as there are rows; it
// wants a light margin of four around it. Empty: the text is too long for one.
std::vector<std::string> qr_rows(const std::string& text);

// The same with its margin, two rows of it a line, for a terminal.
std::string qr_text(const std::string& text);

}  // namespace host::identity
