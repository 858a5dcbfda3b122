#include "transport/http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <iterator>
#include <optional>

#include "transport/ascii.h"

namespace host::transport {
namespace {

namespace http = boost::beast::http;
using BeastText = boost::beast::string_view;
using BeastError = boost::beast::error_code;

// A chunk's size line or the trailers may not grow for ever.
constexpr std::size_t kChunkLineBytes = 8u << 10u;

// What has one value, and decides who calls or how the body is read. Twice the same is harmless.
struct OneValue {
  std::string_view name;
  std::string_view refusal;
};
constexpr OneValue kOneValue[] = {
    {"authorization", "more than one Authorization"},
    {"x-agent-api-key", "more than one X-Agent-API-Key"},
    {"x-toolpost-login", "more than one X-Toolpost-Login"},
    {"x-toolpost-totp", "more than one X-Toolpost-TOTP"},
    {"cookie", "more than one Cookie"},
    {"content-type", "more than one Content-Type"},
    {"last-event-id", "more than one Last-Event-ID"},
    {"idempotency-key", "more than one Idempotency-Key"},
};

constexpr std::string_view kBody = "limits.body_bytes";
constexpr std::string_view kHeader = "limits.header_bytes";
constexpr std::string_view kHeaderTooLarge =
    "the header fields are too large: limits.header_bytes sets the limit";

std::string_view view(BeastText text) {
  return {text.data(), text.size()};
}

Refusal body_too_large() {
  return {413, "the body is too large: limits.body_bytes sets the limit", kBody};
}

Refusal refusal_of(const BeastError& error) {
  if (error == http::error::body_limit) return body_too_large();
  if (error == http::error::header_limit) return {431, kHeaderTooLarge, kHeader};
  if (error == http::error::bad_version) return {505, "only HTTP/1.1 and HTTP/1.0 are served"};
  if (error == http::error::bad_method) return {400, "malformed request line: bad method"};
  if (error == http::error::bad_target) return {400, "malformed request line: bad target"};
  if (error == http::error::bad_field) return {400, "malformed header field name"};
  if (error == http::error::bad_value) return {400, "malformed header field value"};
  if (error == http::error::bad_line_ending) return {400, "a line must end in CR LF"};
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length) {
    return {400, "bad Content-Length"};
  }
  if (error == http::error::bad_transfer_encoding) return {400, "bad Transfer-Encoding"};
  if (error == http::error::bad_chunk || error == http::error::bad_chunk_extension) {
    return {400, "malformed chunk"};
  }
  return {400, "malformed HTTP request"};
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool has_folded_line(std::string_view head) {
  for (std::size_t at = head.find('\n'); at != std::string_view::npos;
       at = head.find('\n', at + 1)) {
    if (at + 1 < head.size() && (head[at + 1] == ' ' || head[at + 1] == '\t')) return true;
  }
  return false;
}

// True if the line with the size of a chunk is whole, and the chunk is not the last one.
bool has_size_line(std::string_view chunks) {
  if (chunks.starts_with("\r\n")) chunks.remove_prefix(2);  // the end of the chunk before
  const std::size_t end = chunks.find("\r\n");
  return end != std::string_view::npos && hex_digit(chunks[chunks.find_first_not_of('0')]) > 0;
}

}  // namespace

std::string decoded_path(std::string_view raw, bool& well_formed) {
  std::string path;
  well_formed = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      path.push_back(raw[i]);
      continue;
    }
    const int high = i + 2 < raw.size() ? hex_digit(raw[i + 1]) : -1;
    const int low = i + 2 < raw.size() ? hex_digit(raw[i + 2]) : -1;
    const char c = static_cast<char>(high * 16 + low);
    if (high < 0 || low < 0 || is_control(c)) return path;
    path.push_back(c);
    i += 2;
  }
  well_formed = true;
  return path;
}

// Beast finds the pieces; what they mean to us is noted here and judged by check_fields().
class RequestParser::Beast final : public http::basic_parser<true> {
 public:
  explicit Beast(RequestParser& owner) : owner_(owner) {}

  struct Seen {
    int hosts = 0;
    int lengths = 0;
    int encodings = 0;
    int origins = 0;
    std::string_view host;
    std::string_view origin;
    std::string_view length;
    std::string_view encoding;
    std::string_view expect;
    std::string_view target;
  };
  Seen seen;

 private:
  void on_request_impl(http::verb, BeastText method, BeastText target, int version,
                       BeastError&) override {
    owner_.method_ = owner_.piece(view(method));
    owner_.version_ = version;
    seen.target = view(target);
  }
  void on_response_impl(int, BeastText, int, BeastError&) override {}

  void on_field_impl(http::field field, BeastText name, BeastText value, BeastError&) override {
    if (in_body_) return;  // a trailer says nothing that we would believe
    const std::string_view text = view(value);
    owner_.fields_.push_back({owner_.piece(view(name)), owner_.piece(text)});
    switch (field) {
      case http::field::host:
        ++seen.hosts;
        seen.host = text;
        break;
      case http::field::origin:
        ++seen.origins;
        seen.origin = text;
        break;
      case http::field::content_length:
        ++seen.lengths;
        seen.length = text;
        break;
      case http::field::transfer_encoding:
        ++seen.encodings;
        seen.encoding = text;
        break;
      case http::field::expect:
        seen.expect = text;
        break;
      default:
        break;
    }
  }
  void on_header_impl(BeastError&) override { in_body_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(BeastText body, BeastError&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, BeastText extensions, BeastError& error) override {
    // Beast lets control characters pass within a quoted extension: a bare LF among them.
    if (std::any_of(extensions.begin(), extensions.end(), is_control)) {
      error = http::error::bad_chunk_extension;
    }
  }
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText body, BeastError&) override {
    owner_.chunked_body_.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(BeastError&) override {}

  RequestParser& owner_;
  bool in_body_ = false;
};

// Beast's parser serves one message; a fresh one is made in the same place.
struct RequestParser::Slot {
  std::optional<Beast> beast;
};

RequestParser::RequestParser(const HttpOptions& options, const AllowedNames& names)
    : options_(options), names_(names), slot_(std::make_unique<Slot>()) {}

RequestParser::~RequestParser() = default;

void RequestParser::reset() {
  searched_ = 0;
  fields_.clear();
  contradicting_ = {};
  joined_.clear();
  method_ = {};
  path_ = {};
  version_ = 11;
  query_ = {};
  decoded_ = false;
  framing_ = Framing::None;
  content_length_ = 0;
  expects_continue_ = false;
  body_too_long_ = false;
  if (chunked_body_.capacity() > 0) chunked_body_ = std::string();
}

Refusal RequestParser::find_head(std::string_view bytes, std::size_t& head_bytes) {
  head_bytes = 0;
  const std::size_t from = searched_ > 3 ? searched_ - 3 : 0;
  const void* found = bytes.size() > from
                          ? ::memmem(bytes.data() + from, bytes.size() - from, "\r\n\r\n", 4)
                          : nullptr;
  const std::size_t head =
      found ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 4
            : bytes.size();
  searched_ = bytes.size();

  if (head > options_.request_line_bytes) {
    const std::size_t line = bytes.substr(0, head).find("\r\n");
    if (std::min(line, head) > options_.request_line_bytes)
      return {414, "the request line is too long", kHeader};
    if (head - line > options_.header_bytes) return {431, kHeaderTooLarge, kHeader};
  } else if (head > options_.header_bytes) {
    return {431, kHeaderTooLarge, kHeader};
  }
  // What cannot become a head is refused before an end that may never come.
  const std::size_t newline = found ? std::string_view::npos : bytes.find('\n');
  if (newline != std::string_view::npos && (newline == 0 || bytes[newline - 1] != '\r')) {
    return {400, "a line must end in CR LF"};
  }
  if (found) head_bytes = head;
  return {};
}

Refusal RequestParser::read_head(std::string_view head) {
  if (has_folded_line(head)) return {400, "a header field may not be folded over lines"};
  head_ = head.data();
  Beast& beast = slot_->beast.emplace(*this);
  beast.header_limit(
      static_cast<std::uint32_t>(options_.request_line_bytes + options_.header_bytes + 64));
  beast.body_limit(boost::none);  // see below
  BeastError error;
  const std::size_t used = beast.put(boost::asio::buffer(head.data(), head.size()), error);
  // The path decides in which form any refusal is told.
  const Refusal of_target = read_target(beast.seen.target);
  if (error) return refusal_of(error);
  if (!beast.is_header_done() || used != head.size()) return {400, "malformed HTTP request"};
  if (const Refusal refusal = check_fields()) return refusal;
  keep_alive_ = beast.keep_alive();
  content_length_ = beast.content_length().value_or(0);
  if (beast.chunked()) {
    framing_ = Framing::Chunked;
    beast.body_limit(options_.body_bytes);
  } else if (content_length_ > 0) {
    framing_ = Framing::Length;
  }
  if (of_target) return of_target;
  // Last: who may not speak at all is told that first.
  body_too_long_ = content_length_ > options_.body_bytes;
  return body_too_long_ ? body_too_large() : Refusal();
}

Refusal RequestParser::check_fields() {
  const Beast::Seen& seen = slot_->beast->seen;
  if (fields_.size() > options_.header_fields) return {431, "too many header fields", kHeader};
  if (seen.hosts != 1) return {400, "exactly one Host is needed"};
  if (!names_.host(seen.host)) return {403, "this Host is not allowed: see server.allowed_hosts"};
  if (seen.origins > 1) return {400, "more than one Origin"};
  if (seen.origins == 1 && !names_.origin(seen.origin)) {
    return {403, "this Origin is not allowed: see server.allowed_origins"};
  }
  if (seen.lengths > 1 ||
      (seen.lengths == 1 && !std::all_of(seen.length.begin(), seen.length.end(), is_digit))) {
    return {400, "bad Content-Length"};
  }
  if (seen.encodings > 0) {
    if (seen.lengths > 0) return {400, "Content-Length and Transfer-Encoding together"};
    if (seen.encodings > 1 || !equal_ignoring_case(seen.encoding, "chunked")) {
      return {400, "the only Transfer-Encoding served is chunked"};
    }
    if (version_ == 10) return {400, "HTTP/1.0 has no Transfer-Encoding"};
  }
  if (!seen.expect.empty()) {
    if (!equal_ignoring_case(seen.expect, "100-continue")) return {417, "unknown expectation"};
    expects_continue_ = version_ >= 11;
  }
  join_trace();
  return check_repeats();
}

// Trace Context and Baggage: copies of a list are one list. Of traceparents that differ none is
// taken, so that the request begins a trace of its own.
void RequestParser::join_trace() {
  for (const std::string_view name : {"traceparent", "tracestate", "baggage"}) {
    const auto is_copy = [&](const Field& field) {
      return equal_ignoring_case(field.name.in(head_), name);
    };
    if (std::count_if(fields_.begin(), fields_.end(), is_copy) < 2) continue;
    const bool is_list = name != "traceparent";
    const std::string_view first = header(head_, name);
    const bool agree = std::all_of(fields_.begin(), fields_.end(), [&](const Field& field) {
      return !is_copy(field) || field.value.in(head_) == first;
    });
    if (!is_list && agree) continue;
    Joined joined{name, {}};
    for (const Field& field : fields_) {
      if (!is_list || !is_copy(field)) continue;
      if (!joined.value.empty()) joined.value += ',';
      joined.value += field.value.in(head_);
    }
    joined_.push_back(std::move(joined));
  }
}

// Two parts of the way could each believe another copy. What MCP says of its own fields, its
// handler answers.
Refusal RequestParser::check_repeats() {
  constexpr std::string_view kMcp = "mcp-";
  for (std::size_t at = 0; at < fields_.size(); ++at) {
    const std::string_view name = fields_[at].name.in(head_);
    const bool mcp = equal_ignoring_case(name.substr(0, kMcp.size()), kMcp);
    const auto* const one =
        std::find_if(std::begin(kOneValue), std::end(kOneValue),
                     [&](const OneValue& known) { return equal_ignoring_case(known.name, name); });
    if (!mcp && one == std::end(kOneValue)) continue;
    if (header(head_, name) == fields_[at].value.in(head_)) continue;  // the first of this name
    if (!mcp) return {400, one->refusal};
    contradicting_ = fields_[at].name;
  }
  return {};
}

// Origin form, absolute form (whose authority replaces Host), or the `*` of OPTIONS.
Refusal RequestParser::read_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t path = std::min(target.find_first_of("/?"), target.size());
    if (!names_.host(target.substr(0, path)))
      return {403, "this Host is not allowed: see server.allowed_hosts"};
    target.remove_prefix(path);
    if (target.empty() || target[0] != '/') return {400, "malformed request line: bad target"};
  }
  const bool asterisk = target == "*" && method_.in(head_) == "OPTIONS";
  if (target.empty() || (target[0] != '/' && !asterisk))
    return {400, "malformed request line: bad target"};
  const auto foreign = [](char c) { return c == '#' || static_cast<unsigned char>(c) >= 0x80; };
  if (std::any_of(target.begin(), target.end(), foreign))
    return {400, "malformed request line: bad target"};
  const std::size_t mark = target.find('?');
  path_ = piece(target.substr(0, mark));
  if (mark != std::string_view::npos) query_ = piece(target.substr(mark + 1));
  return decode_path();
}

Refusal RequestParser::decode_path() {
  const std::string_view raw = path_.in(head_);
  if (raw.find('%') == std::string_view::npos) return {};
  decoded_path_ = transport::decoded_path(raw, decoded_);
  if (!decoded_) return {400, "malformed percent encoding in the path"};
  return {};
}

// Beast's put() takes nothing from nothing within a chunk and calls it no error; and it asserts
// that of the shortest end there is more than its first line once it was shown that line.
bool RequestParser::can_go_on(std::string_view chunks) const {
  const bool shortest_end = chunks.size() < 5 && chunks.starts_with("0\r\n");
  return !slot_->beast->is_done() && !chunks.empty() && !shortest_end;
}

Refusal RequestParser::read_chunks(std::string_view bytes, std::size_t& used, bool& whole) {
  Beast& beast = *slot_->beast;
  used = 0;
  while (can_go_on(bytes.substr(used))) {
    BeastError error;
    used += beast.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
    if (error == http::error::need_more) {
      // Beast seeks the end of a quoted extension behind its line, and counts the size each time.
      if (has_size_line(bytes.substr(used))) return {400, "malformed chunk"};
      if (bytes.size() - used > kChunkLineBytes) return {400, "a chunk's head is too long"};
      break;
    }
    if (error) return refusal_of(error);
  }
  whole = beast.is_done();
  return {};
}

std::string_view RequestParser::header(const char* buffer, std::string_view name) const {
  for (const Joined& joined : joined_) {
    if (equal_ignoring_case(joined.name, name)) return joined.value;
  }
  for (const Field& field : fields_) {
    if (field.name.length == name.size() && equal_ignoring_case(field.name.in(buffer), name)) {
      return field.value.in(buffer);
    }
  }
  return {};
}

RequestParser::Piece RequestParser::piece(std::string_view text) const {
  return {static_cast<std::uint32_t>(text.data() - head_), static_cast<std::uint32_t>(text.size())};
}

}  // namespace host::transport
