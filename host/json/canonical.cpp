#include "json/canonical.h"

#include <algorithm>
#include <vector>

namespace host::json {
namespace {

void append(const Value& value, std::string& out);

// Names are unique: parse() refuses an object that has one twice.
void append_object(const Value& value, std::string& out) {
  using Member = Value::ConstMemberIterator;
  std::vector<Member> members;
  members.reserve(value.MemberCount());
  for (Member at = value.MemberBegin(); at != value.MemberEnd(); ++at) members.push_back(at);
  std::sort(members.begin(), members.end(),
            [](Member a, Member b) { return text(a->name) < text(b->name); });
  out += '{';
  for (const Member& member : members) {
    if (out.back() != '{') out += ',';
    write_string(text(member->name), out);
    out += ':';
    append(member->value, out);
  }
  out += '}';
}

void append_array(const Value& value, std::string& out) {
  out += '[';
  bool first = true;
  for (const Value& element : value.GetArray()) {
    if (!first) out += ',';
    first = false;
    append(element, out);
  }
  out += ']';
}

void append(const Value& value, std::string& out) {
  if (value.IsObject()) return append_object(value, out);
  if (value.IsArray()) return append_array(value, out);
  write(value, out);
}

}  // namespace

std::string canonical(const Value& value) {
  std::string out;
  append(value, out);
  return out;
}

std::string canonical_text(std::string_view text) {
  const auto tree = parse(text);
  return tree ? canonical(tree->root()) : std::string(text);
}

}  // namespace host::json
