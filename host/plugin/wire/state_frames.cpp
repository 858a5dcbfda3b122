#include "plugin/wire/state_frames.h"

#include <utility>

#include "base/text/encoding.h"
#include "plugin/wire/fault.h"

namespace host::plugin {
namespace {

constexpr std::size_t kPieceBytes = 1u << 20u;
constexpr std::size_t kMostWhyBytes = 1024;

}  // namespace

void write_state(std::string& out, const SavedState& state) {
  std::string_view rest = state.bytes;
  while (!rest.empty()) {
    FrameWriter(out, FrameType::State, 0).raw(rest.substr(0, kPieceBytes));
    rest.remove_prefix(std::min(rest.size(), kPieceBytes));
  }
  FrameWriter(out, FrameType::StateEnd, 0).u32(1).text(state.schema_id);
}

void write_no_state(std::string& out, std::string_view why) {
  FrameWriter(out, FrameType::StateEnd, 0).u32(0).text(utf8_begin(why, kMostWhyBytes));
}

Result<void> StateReader::add(std::string_view body) {
  if (body.size() > SavedState::kMostBytes - bytes_.size()) return fault("a state over its limit");
  bytes_.append(body);
  return {};
}

Result<SavedState> StateReader::end(std::string_view body) {
  SavedState state;
  state.bytes = std::exchange(bytes_, {});
  BodyReader reader(body);
  const bool there = reader.u32() == 1;
  const std::string_view text = reader.text();
  if (!reader.done() || !is_utf8(text)) return fault("broken frame: the end of a state");
  if (!there && text.empty()) return fault("it gave no state and no reason");
  if (!there) return fault(std::string(utf8_begin(text, kMostWhyBytes)));
  if (text.size() > SavedState::kMostIdBytes) return fault("a schema id over its limit");
  state.schema_id = text;
  return state;
}

}  // namespace host::plugin
