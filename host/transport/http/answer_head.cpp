#include "transport/http/answer_head.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "transport/ascii.h"

namespace host::transport {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

void append_number(std::string& out, std::size_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.append("\r\n").append(name).append(": ").append(value);
}

bool is_safe(std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_control);
}

// Clients that are to try again want to know when. Most handlers cannot say it better than this.
bool lacks_retry_after(int status, const Headers& headers) {
  if (status != 429 && status != 503) return false;
  return std::none_of(headers.begin(), headers.end(), [](const auto& one) {
    return equal_ignoring_case(one.first, "Retry-After");
  });
}

}  // namespace

void write_head(const AnswerHead& head, const Headers& headers, std::string& out) {
  out.assign("HTTP/1.1 ");
  append_number(out, static_cast<std::size_t>(head.status));
  out.append(" ").append(reason(head.status));
  append_field(out, "Date", head.date);
  append_field(out, "Content-Type", head.content_type);
  if (head.framed == Framed::Length) {
    out.append("\r\nContent-Length: ");
    append_number(out, head.length);
  } else if (head.framed == Framed::Chunked) {
    out.append("\r\nTransfer-Encoding: chunked");
  }
  append_field(out, "Connection", head.connection);
  append_field(out, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : headers) {
    if (is_safe(name) && is_safe(value)) append_field(out, name, value);
  }
  if (lacks_retry_after(head.status, headers)) append_field(out, "Retry-After", "5");
  out.append("\r\n\r\n");
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return std::string(text, length);
}

}  // namespace host::transport
