// Writes the head of an HTTP response: status line and header fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transport/http/http.h"

namespace host::transport {

enum class Framed { Length, Chunked, ByClose, NoBody };

struct AnswerHead {
  int status = 200;
  std::string_view content_type;  // omitted if empty
  Framed framed = Framed::Length;
  std::size_t length = 0;
  std::string_view date;        // from date_text()
  std::string_view connection;  // "close", "keep-alive", or empty
};

// Writes the response head into `out`, and replaces the earlier contents of `out`. The function
// write_head() omits header fields with control characters, because they could forge other fields.
void write_head(const AnswerHead& head, const Headers& headers, std::string& out);

// Returns the current time in the form of the header field Date (RFC 9110).
std::string date_text();

}  // namespace host::transport
