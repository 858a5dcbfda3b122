#include "cli/operate/jsonc.h"

#include <algorithm>
#include <cstddef>

namespace host::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), out_(text) {}

  std::string read() {
    if (text_.starts_with(kByteOrderMark)) blank_to(kByteOrderMark.size());
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) return blank_to(std::min(text_.find('\n', at_), text_.size()));
    if (rest.starts_with("/*")) return block_comment();
    const char c = rest.front();
    if (c == '"') return string();
    if (is_space(c)) return void(++at_);
    if ((c == '}' || c == ']') && has_comma_) out_[last_] = ' ';
    // A comma that ends no value is a fault, and stays.
    has_comma_ = c == ',' && ends_value_;
    ends_value_ = c != ',' && c != ':' && c != '{' && c != '[';
    last_ = at_++;
  }

  // One that does not end stays as it is.
  void block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end != std::string_view::npos) return blank_to(end + 2);
    at_ = text_.size();
  }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    last_ = at_ = std::min(at_ + 1, text_.size());
    has_comma_ = false;
    ends_value_ = true;
  }

  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') out_[at_] = ' ';
    }
  }

  const std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;     // the place of the last byte that is no space
  bool has_comma_ = false;   // that byte is a comma after a value
  bool ends_value_ = false;  // that byte can end a value
};

}  // namespace

std::string without_comments(std::string_view jsonc) {
  return Reader(jsonc).read();
}

}  // namespace host::cli
