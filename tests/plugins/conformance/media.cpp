#include "media.h"

#include <array>
#include <cstdint>

namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void append_little_endian(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::uint32_t adler32(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void append_chunk(std::string& png, const std::string& type, const std::string& data) {
  append_big_endian(png, static_cast<std::uint32_t>(data.size()));
  png += type + data;
  append_big_endian(png, crc32(type + data));
}

// One stored block of deflate in a zlib stream.
std::string zlib_stored(const std::string& bytes) {
  std::string out("\x78\x01\x01", 3);
  append_little_endian(out, static_cast<std::uint32_t>(bytes.size()), 2);
  append_little_endian(out, ~static_cast<std::uint32_t>(bytes.size()), 2);
  out += bytes;
  append_big_endian(out, adler32(bytes));
  return out;
}

}  // namespace

std::string red_pixel_png() {
  std::string header;
  append_big_endian(header, 1);                      // width
  append_big_endian(header, 1);                      // height
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB
  const std::string line("\x00\xff\x00\x00", 4);     // no filter, red
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", zlib_stored(line));
  append_chunk(png, "IEND", {});
  return png;
}

std::string short_silence_wav() {
  constexpr std::uint32_t rate = 8000;
  const std::string samples(8, '\x80');  // 1 ms, 8 bits, mono
  std::string wav = "RIFF";
  append_little_endian(wav, 36 + static_cast<std::uint32_t>(samples.size()), 4);
  wav += "WAVEfmt ";
  append_little_endian(wav, 16, 4);  // of this chunk
  append_little_endian(wav, 1, 2);   // PCM
  append_little_endian(wav, 1, 2);   // channels
  append_little_endian(wav, rate, 4);
  append_little_endian(wav, rate, 4);  // bytes a second
  append_little_endian(wav, 1, 2);     // bytes a sample
  append_little_endian(wav, 8, 2);     // bits
  wav += "data";
  append_little_endian(wav, static_cast<std::uint32_t>(samples.size()), 4);
  return wav + samples;
}
