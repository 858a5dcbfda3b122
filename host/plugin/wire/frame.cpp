#include "plugin/wire/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace host::plugin {
namespace {

static_assert(std::endian::native == std::endian::little, "the codec copies numbers as they are");

constexpr std::size_t kReadBytes = 64u << 10u;
constexpr std::size_t kMostReadBytes = 1u << 20u;

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void append(std::string& to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof value);
}

bool known(std::uint16_t type) {
  return type >= static_cast<std::uint16_t>(FrameType::Hello) &&
         type <= static_cast<std::uint16_t>(FrameType::StateEnd);
}

Error broken(std::string what) {
  return Error{ErrorKind::PluginFault, "broken frame: " + std::move(what)};
}

}  // namespace

std::span<char> FrameReader::prepare() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kMostReadBytes)
      std::vector<char>().swap(buffer_);  // one large frame is no habit
  }
  const std::size_t have = end_ - begin_;
  const std::size_t missing = wanted_ > have ? wanted_ - have : 0;
  const std::size_t room = std::clamp(missing, kReadBytes, kMostReadBytes);
  if (buffer_.size() - end_ < room / 2 || buffer_.empty()) {
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, have);
    begin_ = 0;
    end_ = have;
    if (buffer_.size() < end_ + room) buffer_.resize(end_ + room);
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

Result<std::optional<Frame>> FrameReader::next() {
  for (;;) {
    HOST_TRY_ASSIGN(const std::optional<Frame> frame, take());
    const bool skip = frame && !known(static_cast<std::uint16_t>(frame->type));
    if (!skip) return frame;
  }
}

Result<std::optional<Frame>> FrameReader::take() {
  const char* at = buffer_.data() + begin_;
  const std::size_t have = end_ - begin_;
  wanted_ = kFrameHeaderBytes;
  if (have < kFrameHeaderBytes) return std::optional<Frame>();
  if (load<std::uint32_t>(at) != kFrameMagic) return broken("wrong magic number");
  Frame frame;
  const auto type = load<std::uint16_t>(at + 4);
  frame.flags = load<std::uint16_t>(at + 6);
  frame.call_id = load<std::uint64_t>(at + 8);
  const auto length = load<std::uint32_t>(at + 16);
  if (load<std::uint32_t>(at + 20) != 0) return broken("reserved bytes are not 0");
  if (!known(type) && !(frame.flags & kOptional))
    return broken("unknown type " + std::to_string(type));
  if (length > kMaxFrameBytes) return broken("a body of " + std::to_string(length) + " bytes");
  wanted_ = kFrameHeaderBytes + length;
  if (have < wanted_) return std::optional<Frame>();
  frame.type = static_cast<FrameType>(type);
  frame.body = {at + kFrameHeaderBytes, length};
  begin_ += wanted_;
  wanted_ = kFrameHeaderBytes;
  return std::optional<Frame>(frame);
}

FrameWriter::FrameWriter(std::string& out, FrameType type, std::uint64_t call_id,
                         std::uint16_t flags)
    : BodyWriter(out), start_(out.size()) {
  char header[kFrameHeaderBytes] = {};
  const auto number = static_cast<std::uint16_t>(type);
  std::memcpy(header, &kFrameMagic, sizeof kFrameMagic);
  std::memcpy(header + 4, &number, sizeof number);
  std::memcpy(header + 6, &flags, sizeof flags);
  std::memcpy(header + 8, &call_id, sizeof call_id);
  out_.append(header, sizeof header);
}

FrameWriter::~FrameWriter() {
  const auto length = static_cast<std::uint32_t>(out_.size() - start_ - kFrameHeaderBytes);
  std::memcpy(out_.data() + start_ + 16, &length, sizeof length);
}

BodyWriter& BodyWriter::u32(std::uint32_t value) {
  append(out_, value);
  return *this;
}

BodyWriter& BodyWriter::u64(std::uint64_t value) {
  append(out_, value);
  return *this;
}

BodyWriter& BodyWriter::f64(double value) {
  append(out_, value);
  return *this;
}

BodyWriter& BodyWriter::text(std::string_view value) {
  append(out_, static_cast<std::uint32_t>(value.size()));
  out_.append(value);
  return *this;
}

BodyWriter& BodyWriter::raw(std::string_view value) {
  out_.append(value);
  return *this;
}

std::string_view BodyReader::take(std::size_t bytes) {
  if (bytes > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

std::uint32_t BodyReader::u32() {
  const std::string_view bytes = take(4);
  return bytes.empty() ? 0 : load<std::uint32_t>(bytes.data());
}

std::uint64_t BodyReader::u64() {
  const std::string_view bytes = take(8);
  return bytes.empty() ? 0 : load<std::uint64_t>(bytes.data());
}

double BodyReader::f64() {
  const std::string_view bytes = take(8);
  return bytes.empty() ? 0 : load<double>(bytes.data());
}

std::string_view BodyReader::text() {
  return take(u32());
}

}  // namespace host::plugin
