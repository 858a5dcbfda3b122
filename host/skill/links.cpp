#include "skill/links.h"

#include <md4c.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace host::skill {
namespace {

class Collector {
 public:
  explicit Collector(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') begins_.push_back(i + 1);
    }
  }

  std::vector<Link> run() {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
    parser.enter_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Collector*>(self)->enter(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* self) {
      static_cast<Collector*>(self)->unplaced_.clear();
      return 0;
    };
    parser.text = [](MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE, void* self) {
      static_cast<Collector*>(self)->pass(text);
      return 0;
    };
    ::md_parse(text_.data(), static_cast<MD_SIZE>(text_.size()), &parser, this);
    return std::move(links_);
  }

 private:
  int enter(MD_SPANTYPE type, void* detail) {
    if (links_.size() >= kMaxLinks) return 1;
    if (type == MD_SPAN_A) add(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    if (type == MD_SPAN_IMG) add(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
    return 0;
  }

  // A target without escapes is a part of the text itself, and so has a place.
  void add(const MD_ATTRIBUTE& target) {
    if (target.text == nullptr || has_entity(target)) return;
    const bool placed = is_inside(target.text);
    const std::size_t at = placed ? offset_of(target.text) : last_;
    Link link;
    link.target.assign(target.text, target.size);
    link.line = line_of(at);
    const std::size_t begin = begins_[link.line - 1];
    if (placed) link.column = characters(text_.substr(begin, at - begin)) + 1;
    if (!placed) unplaced_.push_back(links_.size());
    links_.push_back(std::move(link));
  }

  static bool has_entity(const MD_ATTRIBUTE& target) {
    for (std::size_t i = 0; target.substr_offsets[i] < target.size; ++i) {
      if (target.substr_types[i] == MD_TEXT_ENTITY) return true;
    }
    return false;
  }
  static std::uint32_t characters(std::string_view text) {
    return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
    }));
  }

  void pass(const char* text) {
    if (!is_inside(text)) return;
    last_ = offset_of(text);
    for (const std::size_t link : unplaced_) links_[link].line = line_of(last_);
    unplaced_.clear();
  }
  std::uint32_t line_of(std::size_t offset) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), offset);
    return static_cast<std::uint32_t>(next - begins_.begin());
  }

  // std::less orders pointers into other objects too.
  bool is_inside(const char* at) const {
    const std::less<const char*> before;
    return at != nullptr && !text_.empty() && !before(at, text_.data()) &&
           before(at, text_.data() + text_.size());
  }
  std::size_t offset_of(const char* at) const {
    return static_cast<std::size_t>(at - text_.data());
  }

  std::string_view text_;
  std::vector<Link> links_;
  std::size_t last_ = 0;                // where the text that was seen last begins
  std::vector<std::size_t> unplaced_;   // links around the text that comes next
  std::vector<std::size_t> begins_{0};  // of each line
};

}  // namespace

std::vector<Link> links_of(std::string_view markdown) {
  return Collector(markdown).run();
}

}  // namespace host::skill
