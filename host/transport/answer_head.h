// The text of an answer's head.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transport/http.h"

namespace host::transport {

enum class Framed { Length, Chunked, ByClose, NoBody };

struct AnswerHead {
  int status = 200;
  std::string_view content_type;  // left out where empty
  Framed framed = Framed::Length;
  std::size_t length = 0;
  std::string_view date;        // as date_text() gives it
  std::string_view connection;  // "close", "keep-alive", or nothing to say
};

// Replaces `out`. A field that could forge another (control characters) is left out.
void write_head(const AnswerHead& head, const Headers& headers, std::string& out);

// Now, as RFC 9110 wants it in Date.
std::string date_text();

}  // namespace host::transport
