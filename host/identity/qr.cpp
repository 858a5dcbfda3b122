#include "identity/qr.h"

#include <qrencode.h>

#include <cstddef>
#include <memory>

namespace host::identity {

std::vector<std::string> qr_rows(const std::string& text) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, 1), &QRcode_free);
  if (!code) return {};
  const auto width = static_cast<std::size_t>(code->width);
  std::vector<std::string> rows(width, std::string(width, '0'));
  for (std::size_t i = 0; i < width * width; ++i) {
    if ((code->data[i] & 1u) != 0) rows[i / width][i % width] = '1';
  }
  return rows;
}

// Works on dark and on light terminals: light modules are written in the terminal's text colour, so
// the code is inverted on light terminals, which scanners accept too.
std::string qr_text(const std::string& text) {
  const std::vector<std::string> rows = qr_rows(text);
  if (rows.empty()) return {};
  constexpr int kQuiet = 2;
  const int width = static_cast<int>(rows.size());
  const auto light = [&](int row, int column) {
    if (row < 0 || column < 0 || row >= width || column >= width) return true;
    return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] == '0';
  };
  std::string out;
  for (int row = -kQuiet; row < width + kQuiet; row += 2) {
    for (int column = -kQuiet; column < width + kQuiet; ++column) {
      const bool upper = light(row, column);
      const bool lower = light(row + 1, column);
      out += upper && lower ? "\u2588" : upper ? "\u2580" : lower ? "\u2584" : " ";
    }
    out += '\n';
  }
  return out;
}

}  // namespace host::identity
