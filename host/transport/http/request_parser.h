// RequestParser parses the head and body of an HTTP request. Only request_parser.cpp uses
// Boost.Beast's parser. RequestParser adds the checks that Boost.Beast lacks. A RequestParser is
// reused for the next request, so that parsing a request allocates no memory.
//
// The states of a RequestParser are head -> body -> complete. read_head() needs the whole head in
// one piece. The parser stores header fields as positions within the head, so the buffer can move
// between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/http/allowed_names.h"
#include "transport/http/http_server.h"

namespace host::transport {

// A Refusal is the reason why the parser refuses a request. The status 0 means that the parser does
// not refuse the request.
struct Refusal {
  int status = 0;
  std::string_view reason{};  // a literal
  std::string_view limit{};   // a literal: the key of the limit that was reached; empty: none
  explicit operator bool() const { return status != 0; }
};

// Returns a URL path with its percent escapes decoded. If an escape is malformed or stands for a
// control character, sets `well_formed` to false, and returns only the part before this escape. If
// all escapes are valid, sets `well_formed` to true.
std::string decoded_path(std::string_view raw, bool& well_formed);

class RequestParser {
 public:
  RequestParser(const HttpOptions& options, const AllowedNames& names);
  ~RequestParser();

  enum class Framing { None, Length, Chunked };

  void reset();

  // Finds the length of the HTTP request's head at the front of `bytes`, including the head's empty
  // line. find_head() sets `head_bytes` to 0 if the head is incomplete, and refuses a head that is
  // too long.
  Refusal find_head(std::string_view bytes, std::size_t& head_bytes);
  // Reads the head of the request. `head` must be exactly the bytes that find_head() found. Buffers
  // that are passed to other functions later must still begin with the bytes of `head`.
  Refusal read_head(std::string_view head);
  // Returns true if the last refusal of read_head() was only about the length of the body. If
  // is_body_too_long() is true, framing() and content_length() are known.
  bool is_body_too_long() const { return body_too_long_; }

  Framing framing() const { return framing_; }
  std::uint64_t content_length() const { return content_length_; }
  // Consumes bytes of a chunked body. The function read_chunks() sets `used` to the number of
  // consumed bytes, and `whole` to true if the body ended.
  Refusal read_chunks(std::string_view bytes, std::size_t& used, bool& whole);
  std::string_view chunked_body() const { return chunked_body_; }
  // Returns the number of bytes of memory that chunked_body() uses.
  std::size_t chunked_bytes() const { return chunked_body_.capacity(); }

  bool keep_alive() const { return keep_alive_; }
  bool is_http_1_0() const { return version_ == 10; }
  bool expects_continue() const { return expects_continue_; }

  // The functions below return parts of the head. `buffer` must begin with the head of the request.
  std::string_view method(const char* buffer) const { return method_.in(buffer); }
  std::string_view path(const char* buffer) const {
    return decoded_ ? std::string_view(decoded_path_) : path_.in(buffer);
  }
  std::string_view query(const char* buffer) const { return query_.in(buffer); }
  std::string_view header(const char* buffer, std::string_view name) const;
  // Works like HttpRequest::contradicting_field().
  std::string_view contradicting_field(const char* buffer) const {
    return contradicting_.in(buffer);
  }

 private:
  class Beast;
  struct Slot;
  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t length = 0;
    std::string_view in(const char* buffer) const { return {buffer + at, length}; }
  };
  struct Field {
    Piece name;
    Piece value;
  };
  struct Joined {
    std::string_view name;  // a literal
    std::string value;
  };

  Piece piece(std::string_view text) const;
  Refusal check_fields();
  Refusal check_repeats();
  void join_trace();
  Refusal read_target(std::string_view target);
  Refusal decode_path();
  bool can_go_on(std::string_view chunks) const;

  const HttpOptions& options_;
  const AllowedNames& names_;
  std::unique_ptr<Slot> slot_;
  const char* head_ = nullptr;  // set while read_head() runs
  std::size_t searched_ = 0;    // the head does not end before this position
  std::vector<Field> fields_;
  std::vector<Joined> joined_;  // the fields that came more than once
  Piece contradicting_;         // a name; empty: none
  Piece method_;
  Piece path_;
  Piece query_;
  bool decoded_ = false;
  std::string decoded_path_;
  int version_ = 11;
  Framing framing_ = Framing::None;
  std::uint64_t content_length_ = 0;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
  bool body_too_long_ = false;
  std::string chunked_body_;
};

}  // namespace host::transport
