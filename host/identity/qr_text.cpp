#include <qrencode.h>

#include <memory>

#include "identity/totp.h"

namespace host::identity {

// Light on dark and dark on light terminals alike: what is light is written, in the terminal's own
// colour for text, so the picture stands inverted on light ones, which readers take as well.
std::string qr_text(const std::string& text) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, 1), &QRcode_free);
  if (!code) return {};
  constexpr int kQuiet = 2;
  const int width = code->width;
  const auto light = [&](int row, int column) {
    if (row < 0 || column < 0 || row >= width || column >= width) return true;
    return (code->data[row * width + column] & 1u) == 0;
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
