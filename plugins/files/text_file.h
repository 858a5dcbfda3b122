// One regular file of text, read whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"

struct TextFile {
  std::string bytes;
  struct stat about {};
};

// The system refused a file; `number` is errno.
class Unreadable : public toolpost::Error {
 public:
  Unreadable(const std::string& message, int error) : Error(message), number(error) {}

  const int number;
};

// Any regular file. Throws toolpost::Error for what is none (a FIFO or a device is not even
// opened) and what is larger than `most` bytes, and Unreadable for what cannot be read.
TextFile read_whole(const Roots& roots, const Place& place, std::size_t most);

// Throws toolpost::Error for a size of a new file that is over `most` bytes.
void check_new_size(std::size_t size, std::size_t most);

// Throws toolpost::Error that says why for what is no UTF-8 text.
void check_text(const Place& place, std::string_view bytes);

// image/png and so on, for what a model can look at; empty for all else.
std::string_view image_type(std::string_view bytes);

// Changes when the bytes do: 16 hexadecimal digits. A fingerprint to notice change by, no seal.
std::string version_of(std::string_view bytes);

// Without their ends. A newline at the end of the file ends the last line and begins none.
std::vector<std::string_view> lines_of(std::string_view text);
