// Reads one JSON text strictly (RFC 8259), in one pass and without recursion, and builds its tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "json/key_check.h"
#include "json/string_token.h"

namespace host::json {

using Builder = rapidjson::GenericDocument<rapidjson::UTF8<>, Allocator>;

class Reader {
 public:
  // Unfit::Replace makes the Reader replace the same numbers and characters as parse_foreign()
  // (foreign.h).
  enum class Unfit { Refuse, Replace };
  // `builder` gets an event for each value and name, like the events of RapidJSON's own reader.
  Reader(std::string_view text, const Limits& limits, Builder& builder, Unfit unfit);

  // Returns false if the reader refuses the text. error() says why, and error_at() says where.
  bool read();

  const std::string& error() const { return error_; }
  std::size_t error_at() const { return error_at_; }

 private:
  enum class Next { Another, Done, Refused };
  struct Frame {
    bool is_object;
    rapidjson::SizeType count;  // number of elements or members so far
    std::size_t names;          // position in keys_ at which this object's names start
  };

  Next read_value();
  Next after_value();
  Next open_array();
  Next open_object();
  Next read_name();
  bool close(Frame frame);
  bool read_text(std::string_view& decoded, HalfPairs halves);
  bool read_string();
  bool read_literal(std::string_view word);
  bool read_digits();
  bool read_too_large(const char* from, std::string why);

  void skip_space();
  bool at(char c) const { return position_ != end_ && *position_ == c; }
  bool count_value();
  bool enter();

  // refuse(), refuse_at() and refuse_limit() set the error and return false. If the text has ended,
  // refuse() says so in the error instead of naming `expected`.
  bool refuse(std::string_view expected);
  bool refuse_at(const char* where, std::string why);
  bool refuse_limit(const char* where, std::string before, std::uint32_t limit,
                    std::string_view after);

  const char* const begin_;
  const char* const end_;
  const char* position_;
  const Limits& limits_;
  Builder& builder_;
  const Unfit unfit_;
  std::vector<Frame> open_;
  KeyCheck keys_;
  std::uint32_t nodes_ = 0;
  std::string scratch_;  // text of the last string with escapes
  std::string error_;
  std::size_t error_at_ = 0;
};

}  // namespace host::json
