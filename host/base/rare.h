// A Rare<T> is a member that only few objects of a class use. A Rare<T> is as large as a pointer,
// and has the value semantics of a std::optional<T>: a copy has its own copy of the value.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace host {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(T value) : at_(std::make_unique<T>(std::move(value))) {}
  Rare(const Rare& other) : at_(other.at_ ? std::make_unique<T>(*other.at_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) *this = Rare(other);
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  explicit operator bool() const noexcept { return at_ != nullptr; }
  T& operator*() & { return *at_; }
  const T& operator*() const& { return *at_; }
  T&& operator*() && { return std::move(*at_); }
  T* operator->() { return at_.get(); }
  const T* operator->() const { return at_.get(); }
  T& emplace() {
    at_ = std::make_unique<T>();
    return *at_;
  }

 private:
  std::unique_ptr<T> at_;
};

// A RareText is a text that is empty in most objects.
class RareText {
 public:
  RareText() = default;
  RareText(std::string text) {
    if (!text.empty()) text_ = std::move(text);
  }
  RareText& operator=(std::string text) { return *this = RareText(std::move(text)); }

  bool empty() const noexcept { return !text_; }
  const std::string& text() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return text(); }
  friend bool operator==(const RareText& a, std::string_view b) { return a.text() == b; }

 private:
  Rare<std::string> text_;
};

}  // namespace host
