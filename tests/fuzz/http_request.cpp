// The head and body of a request, read whole and read in pieces: the first byte says how long they
// are. What it is taken for may not depend on where the network has cut it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "transport/byte_buffer.h"
#include "transport/http/request_parser.h"

namespace {

using namespace host::transport;

void must(bool held) {
  if (!held) std::abort();
}

// Reads as HttpConnection does.
class Reader {
 public:
  enum class State { Head, Body, Whole, Refused };

  void take(std::string_view bytes) {
    in_.append(bytes);
    if (state_ == State::Head) take_head();
    if (state_ == State::Body) take_body();
  }

  State state() const { return state_; }
  // All that a handler is shown.
  std::string seen() const {
    std::string out;
    for (const std::string_view part : {parser_.method(in_.data()), parser_.path(in_.data()),
                                        parser_.query(in_.data()), body()}) {
      out += std::to_string(part.size()) + ' ';
      out += part;
    }
    for (const std::string_view name : {"Host", "Origin", "Content-Type", "a"})
      out += std::string(parser_.header(in_.data(), name)) + '\n';
    return out + (parser_.keep_alive() ? "keeps" : "ends");
  }
  std::string_view rest() const {
    return in_.view(parser_.framing() == RequestParser::Framing::Length
                        ? head_bytes_ + parser_.content_length()
                        : head_bytes_);
  }

 private:
  std::string_view body() const {
    return parser_.framing() == RequestParser::Framing::Chunked
               ? parser_.chunked_body()
               : in_.view(head_bytes_).substr(0, parser_.content_length());
  }
  void take_head() {
    if (parser_.find_head(in_.view(), head_bytes_)) return refuse();
    if (head_bytes_ == 0) return;
    if (parser_.read_head(in_.view().substr(0, head_bytes_))) return refuse();
    state_ = parser_.framing() == RequestParser::Framing::None ? State::Whole : State::Body;
  }
  void take_body() {
    if (parser_.framing() == RequestParser::Framing::Length) {
      if (in_.view(head_bytes_).size() >= parser_.content_length()) state_ = State::Whole;
      return;
    }
    std::size_t used = 0;
    bool whole = false;
    if (parser_.read_chunks(in_.view(head_bytes_), used, whole)) return refuse();
    must(used <= in_.view(head_bytes_).size());
    in_.remove(head_bytes_, used);
    if (whole) state_ = State::Whole;
  }
  void refuse() { state_ = State::Refused; }

  const HttpOptions options_{};
  const AllowedNames names_{{"a"}, {"https://a"}};
  RequestParser parser_{options_, names_};
  ByteBuffer in_;
  std::size_t head_bytes_ = 0;
  State state_ = State::Head;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = 1 + data[0] % 64;
  Reader whole;
  whole.take(text);
  Reader cut;
  std::size_t taken = 0;
  while (taken < text.size() && cut.state() != Reader::State::Whole) {
    cut.take(std::string_view(text).substr(taken, piece));
    taken = std::min(taken + piece, text.size());
  }
  must(whole.state() == cut.state());
  if (whole.state() != Reader::State::Whole) return 0;
  must(whole.seen() == cut.seen());
  must(whole.rest() == std::string(cut.rest()) + text.substr(taken));
  return 0;
}
