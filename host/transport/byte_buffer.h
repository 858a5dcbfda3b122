// A ByteBuffer is a buffer to which bytes are appended at the end, and from which bytes are removed
// at the front. When the buffer grows, the new memory is not set to zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace host::transport {

class ByteBuffer {
 public:
  const char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::string_view view(std::size_t from = 0) const { return {bytes_.get() + from, size_ - from}; }

  char* space() { return bytes_.get() + size_; }
  std::size_t space_bytes() const { return capacity_ - size_; }
  void filled(std::size_t bytes) { size_ += bytes; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) resize(capacity);
  }
  void shrink(std::size_t capacity) {
    if (size_ <= capacity && capacity < capacity_) resize(capacity);
  }
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    reserve(size_ + bytes.size());
    std::memcpy(space(), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void remove(std::size_t from, std::size_t bytes) {
    if (bytes == 0) return;
    std::memmove(bytes_.get() + from, bytes_.get() + from + bytes, size_ - from - bytes);
    size_ -= bytes;
  }
  void clear() { size_ = 0; }

 private:
  void resize(std::size_t capacity) {
    std::unique_ptr<char[]> bytes(new char[capacity]);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace host::transport
